#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_DEPTHWISE_JOB_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_DEPTHWISE_JOB_H_

#include <compare>
#include <cstdint>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/arch/isa.h"
#include "host/base/status.h"
#include "host/kernel/kernel.h"

namespace systolith::compiler {

// How the channels of a depthwise convolution lie in row groups and in the buffer. It depends on
// the chip, but every sum is one lane's chain of multiply-adds, the same everywhere.
struct DepthwiseLayout {
  bool flat = false;   // a group is a stretch of whole pixels; else a pixel in each sublane
  int64_t pitch = 8;   // elements from one pixel to the next
  int64_t pixels = 1;  // results of a group along x
  int64_t rows = 1;    // results of an instance along y
  bool unrolled = true;  // taps along y are in the kernel's code; else a loop

  int64_t TapElements() const { return flat ? pixels * pitch : pitch; }
};

// What a depthwise convolution of some images in the buffer computes: result (y, x, channel) is the
// sum over taps (kx, ky), in this order, of image (y * stride_y + ky * dilation_y, x * stride_x +
// kx * dilation_x, channel) times tap (kx, ky, channel).
struct DepthwiseJob {
  DepthwiseLayout layout;
  int64_t channels = 1, taps_y = 1, taps_x = 1;
  int64_t stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
  arch::LaneType image_type = arch::LaneType::kF32, tap_type = arch::LaneType::kF32;
  arch::LaneType result_type = arch::LaneType::kF32;
  bool round_image = false, round_taps = false;  // to bf16

  // The image's part that is in the buffer, pixels `pitch` elements apart, and the place of the
  // first window in it. Outside of it there are zeros.
  int64_t image = 0;  // byte address
  int64_t height = 0, width = 0, first_y = 0, first_x = 0;
  int64_t taps = 0;    // byte address; taps (kx, ky) of TapElements(), flat: repeated per pixel
  int64_t result = 0;  // byte address
  int64_t result_height = 1, result_width = 1;
};

// Layouts by chip and geometry.
DepthwiseLayout ChooseDepthwiseLayout(const DepthwiseJob& job, const arch::ChipConfig& chip);

// Result rows and pixels of a row that the buffer must hold: more than there are results.
int64_t ResultRows(const DepthwiseLayout& layout, int64_t height);
int64_t ResultWidth(const DepthwiseLayout& layout, int64_t width);

// Its code: what differs in addresses and sizes only is one kernel.
struct DepthwiseKernel {
  int64_t rows = 1, taps_y = 1, stride_y = 1, dilation_y = 1;
  bool unrolled = true, is_integer = false, two_roundings = false;
  bool round_image = false, round_taps = false;

  auto operator<=>(const DepthwiseKernel&) const = default;
};
Result<kernel::Kernel> BuildDepthwiseKernel(const DepthwiseKernel& depthwise);

struct LoweredDepthwise {
  DepthwiseKernel kernel;
  std::vector<arch::Stream> streams;  // `index` set; without bases
  arch::Vector vector;                // without the kernel's place and body
};
Result<LoweredDepthwise> LowerDepthwise(const DepthwiseJob& job, const arch::ChipConfig& chip);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_DEPTHWISE_JOB_H_
