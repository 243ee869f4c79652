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
  // Elements of a pixel in the buffer.
  int64_t pitch() const { return (channels + 7) / 8 * 8; }
};

// Writes the convolution into a program: the taps into shared registers, then the image through the
// kernel that suits its size.
class DepthwiseProgram {
 public:
  // taps[(y * k + x) * channels + c].
  DepthwiseProgram(KernelProgram& program, const Depthwise& shape, arch::LaneType type,
                   const std::vector<float>& taps);

  // Image and result are [height, width, pitch] in the buffer.
  void Run(int64_t image, int64_t result);

  // Whether groups are flat (several whole pixels) instead of a pixel per row of lanes.
  bool is_flat() const { return flat_; }

 private:
  // How far sliding reaches, in pixels.
  int64_t Reach() const { return shape_.stride == 1 ? shape_.k - 1 : shape_.k / 2; }
  bool keeps_taps() const {
    return flat_ || (shape_.stride <= 2 && Reach() <= program_.chip().vpu_sublanes);
  }
  void RunFlat(int64_t image, int64_t result);
  void RunRows(int64_t image, int64_t result, int64_t segment);
  void LoadTaps(int64_t segment);
  // Tap t at step t.
  arch::Stream Taps(StreamIndex index, int64_t segment, int32_t& base) const;
  // The pixels of the windows' rows, from column `first` of the windows on, `ahead` groups further.
  arch::Stream Image(StreamIndex index, int64_t first, int64_t ahead, int64_t segment,
                     int64_t image, int32_t& base) const;

  KernelProgram& program_;
  const Depthwise shape_;
  const arch::LaneType type_;
  const int64_t bytes_;
  const bool flat_;
  const int64_t pixels_;  // of a group
  int64_t taps_ = 0;
  kernel::Kernel tap_kernel_, kernel_;
};

}  // namespace systolith::kernels

#endif  // SYSTOLITH_TESTS_KERNELS_DEPTHWISE_PROGRAM_H_
