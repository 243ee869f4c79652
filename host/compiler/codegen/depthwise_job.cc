// Depthwise convolutions on the vector unit: each group read from the image serves all results of
// the instance that it adds to, so that the buffer's ports keep up with the arithmetic.
#include "host/compiler/codegen/depthwise_job.h"

#include <algorithm>
#include <vector>

#include "host/base/rounding.h"
#include "host/compiler/codegen/field_narrower.h"
#include "host/compiler/codegen/row_job.h"
#include "host/kernel/builder.h"

namespace systolith::compiler {
namespace {

using kernel::Value;

constexpr int64_t kMostRows = 4;        // results of an instance along y
constexpr int64_t kMostSteps = 32;      // of a stream in one bundle's reach
constexpr int64_t kMostVariables = 24;  // sums and taps; the rest of the registers is for operands

// Loops of the instruction: blocks of rows, groups of pixels, segments of channels; then the
// kernel's own.
constexpr size_t kRowLoop = 0, kPixelLoop = 1, kSegmentLoop = 2, kTapXLoop = 4, kTapYLoop = 5;
constexpr size_t kStep = 6, kSublane = 7;
constexpr uint32_t kImage = 0, kTaps = 1, kResult = arch::kInputStreams;

// Image rows that results of so many rows need.
int64_t Span(int64_t rows, int64_t taps, int64_t stride, int64_t dilation) {
  return (rows - 1) * stride + (taps - 1) * dilation + 1;
}

bool IsInteger(const DepthwiseJob& job) {
  return job.image_type != arch::LaneType::kF32 && job.image_type != arch::LaneType::kBf16;
}

// Products of f32 are rounded before they are added, as most references do. Those of bf16 are exact.
bool TwoRoundings(const DepthwiseJob& job) {
  const auto is_f32 = [](arch::LaneType type, bool rounds) {
    return type == arch::LaneType::kF32 && !rounds;
  };
  return is_f32(job.image_type, job.round_image) || is_f32(job.tap_type, job.round_taps);
}

class Lowering : private FieldNarrower {
 public:
  Lowering(const DepthwiseJob& job, const arch::ChipConfig& chip)
      : job_(job), layout_(job.layout), lanes_(chip.Lanes()) {}

  Result<LoweredDepthwise> Run() {
    lowered_.kernel = {layout_.rows, job_.taps_y, job_.stride_y, job_.dilation_y,
                       layout_.unrolled, IsInteger(job_), TwoRoundings(job_), job_.round_image,
                       job_.round_taps};
    arch::Vector& vector = lowered_.vector;
    vector.counts.fill(1);
    vector.counts[kRowLoop] = Unsigned(CeilDivide(job_.result_height, layout_.rows));
    vector.counts[kPixelLoop] = Unsigned(CeilDivide(job_.result_width, layout_.pixels));
    vector.counts[kSegmentLoop] = Unsigned(layout_.flat ? 1 : CeilDivide(layout_.pitch, lanes_));
    vector.counts[kTapXLoop] = Unsigned(job_.taps_x);
    vector.counts[kTapYLoop] = Unsigned(layout_.unrolled ? 1 : job_.taps_y);
    vector.kernel_level = kTapXLoop;
    vector.prologue_level = arch::kNoLevel;
    SetImage();
    SetTaps();
    SetResult();
    RETURN_IF_ERROR(fault());
    return std::move(lowered_);
  }

 private:
  void SetImage() {
    const int64_t size = LaneBytes(job_.image_type);
    const int64_t pixel = layout_.pitch, line = job_.width * pixel;
    arch::Stream s;
    s.index = kImage;
    s.type = static_cast<uint32_t>(job_.image_type);
    s.flat = layout_.flat ? 1 : 0;
    const auto step = [&](size_t loop, int64_t y, int64_t x) {
      s.y_steps[loop] = Signed(y);
      s.x_steps[loop] = Signed(x);
      s.strides[loop] = Signed((y * line + x) * size);
    };
    step(kRowLoop, layout_.rows * job_.stride_y, 0);
    step(kPixelLoop, 0, layout_.pixels * job_.stride_x * pixel);
    step(kSegmentLoop, 0, lanes_);
    step(kTapXLoop, 0, job_.dilation_x * pixel);
    step(kTapYLoop, job_.dilation_y, 0);
    step(kStep, 1, 0);
    if (!layout_.flat) step(kSublane, 0, job_.stride_x * pixel);
    s.x_base = Signed(job_.first_x * pixel);
    s.y_base = Signed(job_.first_y);
    s.x_limit = Unsigned(line);
    s.y_limit = Unsigned(job_.height);
    Add(s, job_.image + (job_.first_y * line + job_.first_x * pixel) * size);
  }

  void SetTaps() {
    const int64_t size = LaneBytes(job_.tap_type);
    const int64_t tap = layout_.TapElements() * size;
    arch::Stream s;
    s.index = kTaps;
    s.type = static_cast<uint32_t>(job_.tap_type);
    s.flat = layout_.flat ? 1 : 0;
    s.spread =
        static_cast<uint32_t>(layout_.flat ? arch::Spread::kNone : arch::Spread::kRows);
    s.strides[kSegmentLoop] = Signed(lanes_ * size);
    s.x_steps[kSegmentLoop] = Signed(lanes_);
    s.strides[kTapXLoop] = Signed(job_.taps_y * tap);
    s.strides[kTapYLoop] = s.strides[kStep] = Signed(tap);
    s.x_limit = Unsigned(layout_.TapElements());
    s.y_limit = 1;
    Add(s, job_.taps);
  }

  void SetResult() {
    const int64_t size = LaneBytes(job_.result_type);
    const int64_t pixel = layout_.pitch * size;
    const int64_t line = ResultWidth(layout_, job_.result_width) * pixel;
    arch::Stream s;
    s.index = kResult;
    s.type = static_cast<uint32_t>(job_.result_type);
    s.flat = layout_.flat ? 1 : 0;
    s.strides[kRowLoop] = Signed(layout_.rows * line);
    s.strides[kPixelLoop] = Signed(layout_.pixels * pixel);
    s.strides[kStep] = Signed(line);
    s.x_limit = Unsigned(layout_.TapElements());
    s.y_limit = 1;
    if (!layout_.flat) {
      s.strides[kSegmentLoop] = Signed(lanes_ * size);
      s.x_steps[kSegmentLoop] = Signed(lanes_);
      s.strides[kSublane] = Signed(pixel);
    }
    Add(s, job_.result);
  }

  void Add(const arch::Stream& stream, int64_t base) {
    lowered_.vector.bases[stream.index] = Signed(base);
    lowered_.streams.push_back(stream);
  }

  const DepthwiseJob& job_;
  const DepthwiseLayout& layout_;
  const int64_t lanes_;
  LoweredDepthwise lowered_;
};

}  // namespace

Result<kernel::Kernel> BuildDepthwiseKernel(const DepthwiseKernel& depthwise) {
  kernel::Builder builder("depthwise");
  const auto load = [&](uint32_t stream, int64_t step, bool rounds) {
    const Value value = Value::Input(static_cast<int>(stream), static_cast<int>(step));
    return rounds ? builder.Op(arch::AluOp::kRoundBf16, {value})
                  : builder.Op(arch::AluOp::kCopy, {value});
  };
  std::vector<Value> sums;
  for (int64_t r = 0; r < depthwise.rows; ++r) {
    sums.push_back(builder.Variable());
    builder.Assign(sums.back(), Value::Bits(0));
  }
  const auto add = [&](Value sum, Value x, Value tap) {
    if (depthwise.is_integer || depthwise.two_roundings) {
      const bool is_integer = depthwise.is_integer;
      const Value product = builder.Op(
          is_integer ? arch::AluOp::kMultiplyS32 : arch::AluOp::kMultiplyF32, {x, tap});
      const std::array<Value, 2> operands = {sum, product};
      builder.Assign(sum, is_integer ? arch::AluOp::kAddS32 : arch::AluOp::kAddF32, operands);
    } else {
      const std::array<Value, 3> operands = {x, tap, sum};
      builder.Assign(sum, arch::AluOp::kMultiplyAddF32, operands);
    }
  };
  builder.BeginLoop(kTapXLoop);
  if (depthwise.unrolled) {
    const int64_t span = Span(depthwise.rows, depthwise.taps_y, depthwise.stride_y, depthwise.dilation_y);
    std::vector<Value> taps;
    for (int64_t t = 0; t < depthwise.taps_y; ++t) taps.push_back(load(kTaps, t, depthwise.round_taps));
    for (int64_t y = 0; y < span; ++y) {
      std::vector<std::pair<int64_t, int64_t>> uses;  // row of results, tap
      for (int64_t r = 0; r < depthwise.rows; ++r) {
        const int64_t below = y - r * depthwise.stride_y;
        if (below >= 0 && below % depthwise.dilation_y == 0 && below / depthwise.dilation_y < depthwise.taps_y) {
          uses.emplace_back(r, below / depthwise.dilation_y);
        }
      }
      if (uses.empty()) continue;
      const Value x = load(kImage, y, depthwise.round_image);
      for (const auto& [r, t] : uses) {
        add(sums[static_cast<size_t>(r)], x, taps[static_cast<size_t>(t)]);
      }
    }
  } else {
    builder.BeginLoop(kTapYLoop);
    const Value tap = load(kTaps, 0, depthwise.round_taps);
    add(sums[0], load(kImage, 0, depthwise.round_image), tap);
    builder.EndLoop();
  }
  builder.EndLoop();
  for (int64_t r = 0; r < depthwise.rows; ++r) {
    builder.Store(0, static_cast<int>(r), sums[static_cast<size_t>(r)]);
  }
  return builder.Finish();
}

DepthwiseLayout ChooseDepthwiseLayout(const DepthwiseJob& job, const arch::ChipConfig& chip) {
  const int64_t lanes = chip.Lanes();
  const int64_t group = lanes * chip.vpu_sublanes;
  DepthwiseLayout layout;
  layout.pitch = RoundUp(job.channels, 8);
  // Aligned groups are read at twice the rate.
  if (RoundUp(layout.pitch, lanes) * 10 <= layout.pitch * 11) {
    layout.pitch = RoundUp(layout.pitch, lanes);
  }
  const double of_rows =
      static_cast<double>(job.channels) / static_cast<double>(RoundUp(layout.pitch, lanes));
  const double of_stretch = static_cast<double>(group / layout.pitch * job.channels) /
                            static_cast<double>(group);
  layout.flat = job.stride_x == 1 && of_stretch > of_rows;
  layout.pixels = layout.flat ? group / layout.pitch : chip.vpu_sublanes;
  layout.rows = std::min(kMostRows, job.result_height);
  const auto fits = [&](int64_t rows) {
    return Span(rows, job.taps_y, job.stride_y, job.dilation_y) <= kMostSteps &&
           rows + job.taps_y <= kMostVariables;
  };
  while (layout.rows > 1 && !fits(layout.rows)) --layout.rows;
  layout.unrolled = fits(layout.rows);
  return layout;
}

int64_t ResultRows(const DepthwiseLayout& layout, int64_t height) {
  return RoundUp(height, layout.rows);
}

int64_t ResultWidth(const DepthwiseLayout& layout, int64_t width) {
  return RoundUp(width, layout.pixels);
}

Result<LoweredDepthwise> LowerDepthwise(const DepthwiseJob& job, const arch::ChipConfig& chip) {
  return Lowering(job, chip).Run();
}

}  // namespace systolith::compiler
