// Depthwise convolution with taps in shared registers, at odd sizes, against the evaluator.
#include "tests/kernels/depthwise_program.h"

#include <fmt/format.h>

#include "tests/kernels/kernel_test.h"

namespace systolith::kernels {
namespace {

std::string Program(const Depthwise& d) {
  return fmt::format(
      R"(func.func public @main(%x: tensor<1x{0}x{1}x{2}xf32>, %w: tensor<{3}x{3}x1x{2}xf32>) -> tensor<1x{4}x{5}x{2}xf32> {{
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{stride = [{6}, {6}], pad = [[{7}, {8}], [{7}, {8}]]}} {{batch_group_count = 1 : i64, feature_group_count = {2} : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}} : (tensor<1x{0}x{1}x{2}xf32>, tensor<{3}x{3}x1x{2}xf32>) -> tensor<1x{4}x{5}x{2}xf32>
  return %y : tensor<1x{4}x{5}x{2}xf32>
}})",
      d.height, d.width, d.channels, d.k, d.out_height(), d.out_width(), d.stride, d.pad_before,
      d.pad_after);
}

class DepthwiseTest : public KernelTest {
 protected:
  void Check(const arch::ChipConfig& chip, const Depthwise& shape) {
    const std::vector<float> x = RandomFloats(shape.height * shape.width * shape.channels);
    const std::vector<float> w = RandomFloats(shape.k * shape.k * shape.channels);
    KernelProgram program(chip);
    DepthwiseProgram depthwise(program, shape, LaneType::kF32, w);
    const auto pitch = static_cast<size_t>(depthwise.pitch());
    const auto channels = static_cast<size_t>(shape.channels);
    const auto row = static_cast<size_t>(shape.width) * pitch;
    std::vector<float> padded(static_cast<size_t>(depthwise.image_rows()) * row, 0.0f);
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t at = static_cast<size_t>(shape.pad_before) * row + i / channels * pitch +
                        i % channels;
      if (at < padded.size()) padded[at] = x[i];  // the last rows may have no result
    }
    const int64_t image = program.Input(padded);
    const int64_t row_bytes = shape.out_width() * depthwise.pitch() * 4;
    const int64_t result = program.Allocate(depthwise.result_rows() * row_bytes);
    depthwise.Run(image, result);
    program.Store(result + depthwise.result_first() * row_bytes, shape.out_height() * row_bytes);
    Execute(program);
    const std::vector<float> with_gaps = program.Output<float>(0);
    std::vector<float> y;
    for (size_t i = 0; i < with_gaps.size(); ++i) {
      if (i % pitch < channels) y.push_back(with_gaps[i]);
    }
    const auto expected = evaluator::RunProgram(
        Program(shape), {F32({1, shape.height, shape.width, shape.channels}, x),
                         F32({shape.k, shape.k, 1, shape.channels}, w)});
    ASSERT_EQ(expected.size(), 1u);
    ExpectClose(y, expected[0], 1e-5, 2e-5);
  }
};

TEST_F(DepthwiseTest, EveryStrideAndNumberOfChannels) {
  for (const arch::ChipConfig& chip : Chips()) {
    for (const Depthwise& shape :
         {Depthwise{5, 7, 3, 3, 1, 1, 1}, {7, 9, 8, 5, 1, 2, 2}, {6, 11, 24, 3, 1, 1, 1},
          {9, 5, 5, 3, 2, 0, 1}, {8, 9, 17, 5, 2, 1, 2}, {7, 7, 40, 3, 1, 0, 0}}) {
      SCOPED_TRACE(fmt::format("{}: {}x{}x{} k {} stride {}", chip.name, shape.height, shape.width,
                               shape.channels, shape.k, shape.stride));
      Check(chip, shape);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace systolith::kernels
