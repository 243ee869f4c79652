// Softmax and layer normalisation over rows of odd lengths, narrower and wider than the lanes.
#include <fmt/format.h>

#include "tests/kernels/kernel_test.h"

namespace systolith::kernels {
namespace {

struct Size {
  int64_t rows, columns;
};

std::string SoftmaxProgram(const Size& size) {
  return fmt::format(R"(
func.func public @main(%x: tensor<{0}x{1}xf32>) -> tensor<{0}x{1}xf32> {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<{0}x{1}xf32>, tensor<f32>) -> tensor<{0}xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<{0}xf32>) -> tensor<{0}x{1}xf32>
  %d = stablehlo.subtract %x, %mb : tensor<{0}x{1}xf32>
  %e = stablehlo.exponential %d : tensor<{0}x{1}xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<{0}x{1}xf32>, tensor<f32>) -> tensor<{0}xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<{0}xf32>) -> tensor<{0}x{1}xf32>
  %r = stablehlo.divide %e, %sb : tensor<{0}x{1}xf32>
  return %r : tensor<{0}x{1}xf32>
}})",
                     size.rows, size.columns);
}

std::string LayerNormProgram(const Size& size) {
  return fmt::format(R"(
func.func public @main(%x: tensor<{0}x{1}xf32>, %g: tensor<{1}xf32>, %b: tensor<{1}xf32>) -> tensor<{0}x{1}xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<{1}.0> : tensor<{0}xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<{0}xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<{0}x{1}xf32>, tensor<f32>) -> tensor<{0}xf32>
  %mean = stablehlo.divide %s, %n : tensor<{0}xf32>
  %mb = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<{0}xf32>) -> tensor<{0}x{1}xf32>
  %d = stablehlo.subtract %x, %mb : tensor<{0}x{1}xf32>
  %q = stablehlo.multiply %d, %d : tensor<{0}x{1}xf32>
  %qs = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<{0}x{1}xf32>, tensor<f32>) -> tensor<{0}xf32>
  %var = stablehlo.divide %qs, %n : tensor<{0}xf32>
  %ve = stablehlo.add %var, %eps : tensor<{0}xf32>
  %r = stablehlo.rsqrt %ve : tensor<{0}xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<{0}xf32>) -> tensor<{0}x{1}xf32>
  %y = stablehlo.multiply %d, %rb : tensor<{0}x{1}xf32>
  %gb = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<{1}xf32>) -> tensor<{0}x{1}xf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<{1}xf32>) -> tensor<{0}x{1}xf32>
  %yg = stablehlo.multiply %y, %gb : tensor<{0}x{1}xf32>
  %z = stablehlo.add %yg, %bb : tensor<{0}x{1}xf32>
  return %z : tensor<{0}x{1}xf32>
}})",
                     size.rows, size.columns);
}

class NormalisationTest : public KernelTest {
 protected:
  static int64_t Segments(const Size& size, const arch::ChipConfig& chip) {
    return (size.columns + SegmentLanes(chip) - 1) / SegmentLanes(chip);
  }
  static RowStream Rows(StreamIndex index, const Size& size, float fill = 0) {
    return {index, LaneType::kF32, size.rows, size.columns, Pitch(size), 0, Bits(fill)};
  }
  static int64_t Pitch(const Size& size) { return RoundUp(size.columns, 8); }

  void Softmax(const arch::ChipConfig& chip, const Size& size, bool wide) {
    const std::vector<float> x = RandomFloats(size.rows * size.columns, -20, 20);
    KernelProgram program(chip);
    const std::vector<float> padded = PaddedRows(x, size.columns, Pitch(size));
    const auto bytes = static_cast<int64_t>(padded.size() * sizeof(float));
    const int64_t in = program.Input(padded);
    const int64_t out = program.Allocate(bytes);
    const int64_t unroll = arch::kSegmentLanes / SegmentLanes(chip);
    const kernel::Kernel kernel =
        wide ? FromLibrary("softmax_wide", {{"unroll", unroll}}, chip)
             : FromLibrary("softmax", {{"chunks", Segments(size, chip)}}, chip);
    if (wide) {
      arch::Vector vector;
      vector.kernel_level = 1;
      vector.counts[0] = static_cast<uint32_t>((size.rows + chip.vpu_sublanes - 1) /
                                               chip.vpu_sublanes);
      vector.counts[5] = static_cast<uint32_t>((Segments(size, chip) + unroll - 1) / unroll);
      std::vector<arch::Stream> streams = {Describe(Rows(kIn0, size, -kInfinity), chip),
                                           Describe(Rows(kOut0, size), chip)};
      for (arch::Stream& stream : streams) {
        stream.strides[5] = stream.strides[6] * static_cast<int32_t>(unroll);
        stream.x_steps[5] = stream.x_steps[6] * static_cast<int32_t>(unroll);
      }
      vector.bases[kIn0] = static_cast<int32_t>(in);
      vector.bases[kOut0] = static_cast<int32_t>(out);
      program.Run(kernel, streams, vector);
    } else {
      RunRowPipeline(program, kernel, size.rows, Rows(kIn0, size, -kInfinity), in,
                     Rows(kOut0, size), out, {}, {});
    }
    program.Store(out, bytes);
    Execute(program);
    const auto expected = evaluator::RunProgram(SoftmaxProgram(size),
                                                {F32({size.rows, size.columns}, x)});
    ASSERT_EQ(expected.size(), 1u);
    ExpectClose(DenseRows(program.Output<float>(0), size.columns, Pitch(size)), expected[0],
                2e-6, 1e-37);
  }

  void LayerNorm(const arch::ChipConfig& chip, const Size& size) {
    const std::vector<float> x = RandomFloats(size.rows * size.columns, -5, 9);
    const std::vector<float> gamma = RandomFloats(size.columns);
    const std::vector<float> beta = RandomFloats(size.columns);
    KernelProgram program(chip);
    const std::vector<float> padded = PaddedRows(x, size.columns, Pitch(size));
    const auto bytes = static_cast<int64_t>(padded.size() * sizeof(float));
    const int64_t in = program.Input(padded);
    arch::Vector vector;
    vector.bases[kIn2] = static_cast<int32_t>(program.Input(gamma));
    vector.bases[kIn3] = static_cast<int32_t>(program.Input(beta));
    const int64_t out = program.Allocate(bytes);
    const int64_t segment = SegmentLanes(chip);
    const int64_t last = size.columns - (Segments(size, chip) - 1) * segment;
    vector.scalars[0] = Bits(1.0f / static_cast<float>(size.columns));
    vector.scalars[1] = Bits(1e-5f);
    vector.scalars[2] = static_cast<uint32_t>(last);
    std::vector<arch::Stream> parameters;
    for (const StreamIndex index : {kIn2, kIn3}) {
      arch::Stream stream = Describe(Rows(index, {1, size.columns}), chip);
      stream.spread = static_cast<uint32_t>(arch::Spread::kRows);
      parameters.push_back(stream);
    }
    const kernel::Kernel kernel = FromLibrary(
        "layer_norm", {{"chunks", Segments(size, chip)}, {"ragged", last < segment ? 1 : 0}}, chip);
    RunRowPipeline(program, kernel, size.rows, Rows(kIn0, size), in, Rows(kOut0, size), out,
                   parameters, vector);
    program.Store(out, bytes);
    Execute(program);
    const auto expected =
        evaluator::RunProgram(LayerNormProgram(size),
                              {F32({size.rows, size.columns}, x), F32({size.columns}, gamma),
                               F32({size.columns}, beta)});
    ASSERT_EQ(expected.size(), 1u);
    ExpectClose(DenseRows(program.Output<float>(0), size.columns, Pitch(size)), expected[0],
                1e-5, 2e-6);
  }
};

TEST_F(NormalisationTest, SoftmaxInRegisters) {
  for (const arch::ChipConfig& chip : Chips()) {
    for (const Size& size : {Size{1, 1}, {3, 7}, {5, 33}, {17, 8}, {37, 65}}) {
      SCOPED_TRACE(fmt::format("{}: {} x {}", chip.name, size.rows, size.columns));
      Softmax(chip, size, false);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(NormalisationTest, SoftmaxWiderThanTheRegisters) {
  for (const arch::ChipConfig& chip : Chips()) {
    for (const Size& size : {Size{1, 1}, {3, 129}, {5, 257}, {17, 300}}) {
      SCOPED_TRACE(fmt::format("{}: {} x {}", chip.name, size.rows, size.columns));
      Softmax(chip, size, true);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(NormalisationTest, LayerNorm) {
  for (const arch::ChipConfig& chip : Chips()) {
    for (const Size& size : {Size{1, 3}, {3, 7}, {5, 33}, {17, 8}, {37, 65}}) {
      SCOPED_TRACE(fmt::format("{}: {} x {}", chip.name, size.rows, size.columns));
      LayerNorm(chip, size);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace systolith::kernels
