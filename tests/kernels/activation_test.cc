// Bias and GELU over rows of the buffer, and over the products that matrix units leave in their
// accumulators.
#include <fmt/format.h>

#include <algorithm>

#include "tests/kernels/kernel_test.h"

namespace systolith::kernels {
namespace {

constexpr int kUnroll = 2;  // row groups of an instance
constexpr uint32_t kLoads = 3;  // before the products: activations and two weights
// The evaluator rounds 1 + erf to f32, which the tail of GELU shows, times x / 2.
constexpr double kRelative = 1e-6, kAbsolute = 1e-6;

struct Size {
  int64_t rows, columns;
};

// %x + %b, then GELU.
std::string GeluLines(const Size& size) {
  return fmt::format(R"(
  %bb = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<{1}xf32>) -> tensor<{0}x{1}xf32>
  %y = stablehlo.add %x, %bb : tensor<{0}x{1}xf32>
  %scale = stablehlo.constant dense<0.70710678118654752> : tensor<{0}x{1}xf32>
  %half = stablehlo.constant dense<0.5> : tensor<{0}x{1}xf32>
  %one = stablehlo.constant dense<1.0> : tensor<{0}x{1}xf32>
  %s = stablehlo.multiply %y, %scale : tensor<{0}x{1}xf32>
  %e = chlo.erf %s : tensor<{0}x{1}xf32> -> tensor<{0}x{1}xf32>
  %p = stablehlo.add %e, %one : tensor<{0}x{1}xf32>
  %h = stablehlo.multiply %y, %half : tensor<{0}x{1}xf32>
  %r = stablehlo.multiply %h, %p : tensor<{0}x{1}xf32>
  return %r : tensor<{0}x{1}xf32>
}})",
                     size.rows, size.columns);
}

std::string GeluProgram(const Size& size) {
  return fmt::format("func.func public @main(%x: tensor<{0}x{1}xf32>, %b: tensor<{1}xf32>)"
                     " -> tensor<{0}x{1}xf32> {{",
                     size.rows, size.columns) +
         GeluLines(size);
}

std::string ProductProgram(const Size& size, int64_t depth) {
  return fmt::format(R"(func.func public @main(%a: tensor<{0}x{2}xf32>, %w: tensor<{2}x{1}xf32>, %b: tensor<{1}xf32>) -> tensor<{0}x{1}xf32> {{
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<{0}x{2}xf32>, tensor<{2}x{1}xf32>) -> tensor<{0}x{1}xf32>)",
                     size.rows, size.columns, depth) +
         GeluLines(size);
}

class ActivationTest : public KernelTest {
 protected:
  static std::vector<uint16_t> PaddedBf16(const std::vector<float>& dense, const Size& size,
                                          int64_t pitch) {
    std::vector<uint16_t> padded(static_cast<size_t>(size.rows * pitch), 0x7fc0);
    for (int64_t i = 0; i < size.rows * size.columns; ++i) {
      padded[static_cast<size_t>(i / size.columns * pitch + i % size.columns)] =
          Bfloat16FromFloat(dense[static_cast<size_t>(i)]);
    }
    return padded;
  }
  // Eighths from -1 to 1: bf16 numbers whose sums of products are exact.
  std::vector<float> RandomEighths(int64_t count) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = static_cast<float>(rng_.Range(0, 16)) / 8 - 1;
    return values;
  }

  // Rows of f32 in the buffer; loop 0 steps over columns, loop 1 over row groups.
  void BiasGelu(const arch::ChipConfig& chip, const Size& size) {
    const int64_t pitch = RoundUp(size.columns, 8), lanes = chip.Lanes();
    const std::vector<float> x = RandomFloats(size.rows * pitch, -7, 7);
    const std::vector<float> bias = RandomFloats(size.columns, -1, 1);
    KernelProgram program(chip);
    arch::Vector vector;
    vector.bases[kIn0] = static_cast<int32_t>(program.Input(x));
    vector.bases[kIn1] = static_cast<int32_t>(program.Input(bias));
    const auto bytes = static_cast<int64_t>(x.size() * sizeof(float));
    const int64_t out = program.Allocate(bytes);
    vector.bases[kOut0] = static_cast<int32_t>(out);
    std::vector<arch::Stream> streams;
    for (const StreamIndex index : {kIn0, kOut0}) {
      streams.push_back(RowGroups(index, size, chip));
      arch::Stream& stream = streams.back();
      stream.strides[0] = static_cast<int32_t>(lanes * 4);
      stream.x_steps[0] = static_cast<int32_t>(lanes);
      const auto row = static_cast<int32_t>(pitch * 4);
      stream.strides[1] = row * stream.y_steps[1];
      stream.strides[6] = row * stream.y_steps[6];
      stream.strides[7] = row;
    }
    arch::Stream spread;
    spread.index = kIn1;
    spread.spread = static_cast<uint32_t>(arch::Spread::kRows);
    spread.strides[0] = static_cast<int32_t>(lanes * 4);
    spread.x_steps[0] = static_cast<int32_t>(lanes);
    spread.x_limit = static_cast<uint32_t>(size.columns);
    spread.y_limit = 1;
    streams.push_back(spread);
    vector.kernel_level = 2;
    vector.prologue_level = 1;
    vector.counts[0] = static_cast<uint32_t>((size.columns + lanes - 1) / lanes);
    vector.counts[1] = Instances(size, chip);
    program.Run(FromLibrary("bias_gelu", {{"unroll", kUnroll}}, chip), streams, vector);
    program.Store(out, bytes);
    Execute(program);
    const auto expected =
        evaluator::RunProgram(GeluProgram(size), {F32({size.rows, size.columns},
                                                      DenseRows(x, size.columns, pitch)),
                                                  F32({size.columns}, bias)});
    ASSERT_EQ(expected.size(), 1u);
    ExpectClose(DenseRows(program.Output<float>(0), size.columns, pitch), expected[0], kRelative,
                kAbsolute);
  }

  // Two products: of the first two matrix units, or one behind the other in the only one.
  void ProductsBiasGelu(const arch::ChipConfig& chip, const Size& size, int64_t depth) {
    const int64_t pitch = RoundUp(size.columns, 8), a_pitch = RoundUp(depth, 8);
    const std::vector<float> a = RandomEighths(size.rows * depth);
    const std::vector<float> bias = RandomFloats(2 * pitch, -1, 1);
    const std::vector<float> w[2] = {RandomEighths(depth * size.columns),
                                     RandomEighths(depth * size.columns)};
    KernelProgram program(chip);
    const int64_t a_at = program.Input(PaddedBf16(a, {size.rows, depth}, a_pitch));
    const int64_t w_at[2] = {program.Input(PaddedBf16(w[0], {depth, size.columns}, pitch)),
                             program.Input(PaddedBf16(w[1], {depth, size.columns}, pitch))};
    const int64_t bytes = size.rows * pitch * 4;
    arch::Vector vector;
    std::vector<arch::Stream> streams;
    for (int64_t i = 0; i < 2; ++i) {
      const int64_t unit = i % chip.mxu_count, row = i / chip.mxu_count * size.rows;
      program.Append(arch::Opcode::kMatmul,
                     static_cast<arch::Engine>(static_cast<int64_t>(arch::Engine::kMxu0) + unit),
                     Product(size, depth, a_at, w_at[i], row));
      streams.push_back(RowGroups(static_cast<StreamIndex>(kIn0 + i), size, chip));
      arch::Stream& in = streams.back();
      in.source = static_cast<uint32_t>(arch::StreamSource::kAccumulator);
      in.unit = static_cast<uint32_t>(unit);
      in.strides = in.y_steps;
      vector.bases[static_cast<size_t>(kIn0 + i)] = static_cast<int32_t>(row);
      const int64_t out_at = program.Allocate(bytes);
      streams.push_back(RowGroups(static_cast<StreamIndex>(kOut0 + i), size, chip));
      arch::Stream& out = streams.back();
      for (size_t loop = 0; loop < out.strides.size(); ++loop) {
        out.strides[loop] = out.y_steps[loop] * static_cast<int32_t>(pitch * 4);
      }
      vector.bases[static_cast<size_t>(kOut0 + i)] = static_cast<int32_t>(out_at);
    }
    arch::Stream spread;
    spread.index = kIn2;
    spread.spread = static_cast<uint32_t>(arch::Spread::kRows);
    spread.strides[6] = static_cast<int32_t>(pitch * 4);
    spread.x_limit = static_cast<uint32_t>(size.columns);
    spread.y_limit = 1;
    streams.push_back(spread);
    vector.bases[kIn2] = static_cast<int32_t>(program.Input(bias));
    vector.kernel_level = 2;
    vector.counts[1] = Instances(size, chip);
    program.Run(FromLibrary("bias_gelu_pair", {{"unroll", kUnroll}}, chip), streams, vector);
    for (const StreamIndex out : {kOut0, kOut1}) program.Store(vector.bases[out], bytes);
    Execute(program);
    for (size_t i = 0; i < 2; ++i) {
      SCOPED_TRACE(i == 0 ? "first product" : "second product");
      const auto of_column = bias.begin() + static_cast<int64_t>(i) * pitch;
      const auto expected = evaluator::RunProgram(
          ProductProgram(size, depth),
          {F32({size.rows, depth}, a), F32({depth, size.columns}, w[i]),
           F32({size.columns}, std::vector<float>(of_column, of_column + size.columns))});
      ASSERT_EQ(expected.size(), 1u);
      ExpectClose(DenseRows(program.Output<float>(i), size.columns, pitch), expected[0], kRelative,
                  kAbsolute);
    }
  }

 private:
  static uint32_t Instances(const Size& size, const arch::ChipConfig& chip) {
    const int64_t rows = kUnroll * chip.vpu_sublanes;
    return static_cast<uint32_t>((size.rows + rows - 1) / rows);
  }
  // The bounds of a stream over rows of f32: loop 1 steps by an instance, the step by a row group.
  static arch::Stream RowGroups(StreamIndex index, const Size& size,
                                const arch::ChipConfig& chip) {
    const auto sublanes = static_cast<int32_t>(chip.vpu_sublanes);
    arch::Stream stream;
    stream.index = index;
    stream.y_steps = {0, kUnroll * sublanes, 0, 0, 0, 0, sublanes, 1};
    stream.y_limit = static_cast<uint32_t>(size.rows);
    stream.x_limit = static_cast<uint32_t>(size.columns);
    return stream;
  }
  // One weight tile; a row per iteration, into the accumulators from `row` on.
  static arch::Matmul Product(const Size& size, int64_t depth, int64_t a, int64_t w, int64_t row) {
    arch::Matmul m;
    m.counts = {1, static_cast<uint32_t>(size.rows), 1, 1, 1, 1};
    m.weight_level = 1;
    m.k_level = m.n_level = arch::kNoLevel;
    m.a_length = m.k_limit = m.x_limit = static_cast<uint32_t>(depth);
    m.a_base = static_cast<int32_t>(a);
    m.a_strides[1] = static_cast<int32_t>(RoundUp(depth, 8) * 2);
    m.y_limit = 1;
    m.w_base = static_cast<uint32_t>(w);
    m.w_row_stride = static_cast<int32_t>(RoundUp(size.columns, 8) * 2);
    m.n_limit = static_cast<uint32_t>(size.columns);
    m.acc_base = static_cast<uint32_t>(row);
    m.acc_strides[1] = 1;
    // The program's order holds activations; weights, too, have to wait for their load.
    m.wait1_valid = m.wait1_weights = 1;
    m.wait1_flag = static_cast<uint32_t>(arch::Engine::kDmaLoad);
    m.wait1_target = kLoads;
    return m;
  }
};

TEST_F(ActivationTest, BiasGelu) {
  for (const arch::ChipConfig& chip : Chips()) {
    for (const Size& size : {Size{1, 1}, {3, 7}, {5, 33}, {17, 8}, {37, 131}}) {
      SCOPED_TRACE(fmt::format("{}: {} x {}", chip.name, size.rows, size.columns));
      BiasGelu(chip, size);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(ActivationTest, BiasGeluOfTwoProducts) {
  for (const arch::ChipConfig& chip : Chips()) {
    if (!chip.mxu_bf16) continue;  // GELU of integers is nothing
    for (const Size& size : {Size{1, 1}, {3, 5}, {37, chip.mxu_cols - 1}, {29, chip.mxu_cols}}) {
      SCOPED_TRACE(fmt::format("{}: {} x {}", chip.name, size.rows, size.columns));
      ProductsBiasGelu(chip, size, chip.mxu_rows - 1);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace systolith::kernels
