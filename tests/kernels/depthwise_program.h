#ifndef SYSTOLITH_TESTS_KERNELS_DEPTHWISE_PROGRAM_H_
#define SYSTOLITH_TESTS_KERNELS_DEPTHWISE_PROGRAM_H_

#include <vector>

#include "tests/kernels/kernel_program.h"

namespace systolith::kernels {

// A depthwise convolution of an image [height, width, channels] with k x k taps per channel.
struct Depthwise {
  int64_t height, width, channels, k, stride, pad_before, pad_after;

  int64_t Out(int64_t in) const { return (in + pad_before + pad_after - k) / stride + 1; }
  int64_t out_height() const { return Out(height); }
  int64_t out_width() const { return Out(width); }
};

// Writes the convolution into a program: the taps into shared registers, then the image through the
// kernel that suits its size. In the buffer the image is [image_rows, width, pitch], its first row
// behind pad_before rows of zeros and zeros behind its last; the result is [result_rows, out_width,
// pitch], its first row behind result_first rows that may hold anything.
class DepthwiseProgram {
 public:
  // taps[(y * k + x) * channels + c].
  DepthwiseProgram(KernelProgram& program, const Depthwise& shape, arch::LaneType type,
                   const std::vector<float>& taps);

  // Elements of a pixel.
  int64_t pitch() const { return pitch_; }
  int64_t image_rows() const;
  int64_t result_rows() const;
  int64_t result_first() const { return kind_ == Kind::kFlat ? shape_.k - 1 : 0; }

  void Run(int64_t image, int64_t result);

 private:
  enum class Kind {
    kFlat,   // several whole pixels in a group, all rows in one go
    kBlock,  // a pixel per row of lanes, a few result rows at a time
    kAny,    // the same, a result row at a time, a group read per tap
  };
  Kind Choose() const;
  int64_t Blocks() const;  // in the direction of rows
  void RunFlat(int64_t image, int64_t result);
  void RunRows(int64_t image, int64_t result, int64_t segment);
  // The windows' rows, from pixel `first` of them on, `ahead` groups further.
  arch::Stream Image(StreamIndex index, int64_t first, int64_t ahead, int64_t segment,
                     int64_t image, int32_t& base) const;
  // Taps first, first + step ... at steps 0, 1 ...
  arch::Stream Taps(StreamIndex index, int64_t first, int64_t step, int64_t segment,
                    int32_t& base) const;
  void AddTaps(int64_t segment, std::vector<arch::Stream>& streams, arch::Vector& vector) const;

  KernelProgram& program_;
  const Depthwise shape_;
  const arch::LaneType type_;
  const int64_t bytes_, lanes_;
  Kind kind_;
  int64_t pitch_ = 0;
  int64_t pixels_ = 0;  // of a group
  int64_t rows_ = 1;    // result rows of an instance
  int64_t taps_ = 0;
  kernel::Kernel tap_kernel_, kernel_;
};

}  // namespace systolith::kernels

#endif  // SYSTOLITH_TESTS_KERNELS_DEPTHWISE_PROGRAM_H_
