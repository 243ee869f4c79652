// Adam, momentum, random bits, gathered rows and the largest element of a row, at odd sizes.
#include <fmt/format.h>

#include <bit>

#include "tests/kernels/kernel_test.h"

namespace systolith::kernels {
namespace {

class OptimizerTest : public KernelTest {
 protected:
  static int64_t Bytes(int64_t elements) { return (elements + 7) / 8 * 8 * 4; }
  static uint32_t Groups(int64_t elements, const arch::ChipConfig& chip) {
    return static_cast<uint32_t>((elements + GroupLanes(chip) - 1) / GroupLanes(chip));
  }
  static arch::Vector Flat(int64_t elements, const arch::ChipConfig& chip) {
    arch::Vector vector;
    vector.kernel_level = 1;
    vector.counts[0] = Groups(elements, chip);
    return vector;
  }
  static arch::Stream Elements(StreamIndex index, int64_t count, const arch::ChipConfig& chip,
                               LaneType type = LaneType::kF32) {
    return Describe(FlatStream{index, type, count}, chip);
  }
  static std::vector<float> First(std::vector<float> values, int64_t count) {
    values.resize(static_cast<size_t>(count));
    return values;
  }
};

constexpr char kAdam[] = R"(
func.func public @main(%p: tensor<{0}xf32>, %g: tensor<{0}xf32>, %m: tensor<{0}xf32>, %v: tensor<{0}xf32>) -> (tensor<{0}xf32>, tensor<{0}xf32>, tensor<{0}xf32>) {{
  %b1 = stablehlo.constant dense<0.9> : tensor<{0}xf32>
  %b2 = stablehlo.constant dense<0.999> : tensor<{0}xf32>
  %c1 = stablehlo.constant dense<0.1> : tensor<{0}xf32>
  %c2 = stablehlo.constant dense<0.001> : tensor<{0}xf32>
  %d1 = stablehlo.constant dense<{1}> : tensor<{0}xf32>
  %d2 = stablehlo.constant dense<{2}> : tensor<{0}xf32>
  %lr = stablehlo.constant dense<0.01> : tensor<{0}xf32>
  %eps = stablehlo.constant dense<1.0e-8> : tensor<{0}xf32>
  %0 = stablehlo.multiply %m, %b1 : tensor<{0}xf32>
  %1 = stablehlo.multiply %g, %c1 : tensor<{0}xf32>
  %2 = stablehlo.add %0, %1 : tensor<{0}xf32>
  %3 = stablehlo.multiply %v, %b2 : tensor<{0}xf32>
  %4 = stablehlo.multiply %g, %g : tensor<{0}xf32>
  %5 = stablehlo.multiply %4, %c2 : tensor<{0}xf32>
  %6 = stablehlo.add %3, %5 : tensor<{0}xf32>
  %7 = stablehlo.divide %2, %d1 : tensor<{0}xf32>
  %8 = stablehlo.divide %6, %d2 : tensor<{0}xf32>
  %9 = stablehlo.sqrt %8 : tensor<{0}xf32>
  %10 = stablehlo.add %9, %eps : tensor<{0}xf32>
  %11 = stablehlo.divide %7, %10 : tensor<{0}xf32>
  %12 = stablehlo.multiply %11, %lr : tensor<{0}xf32>
  %13 = stablehlo.subtract %p, %12 : tensor<{0}xf32>
  return %13, %2, %6 : tensor<{0}xf32>, tensor<{0}xf32>, tensor<{0}xf32>
}})";

TEST_F(OptimizerTest, AdamUpdatesAsTheFormulaSays) {
  for (const arch::ChipConfig& chip : Chips()) {
    for (const int64_t n : {1, 17, 333}) {
      SCOPED_TRACE(fmt::format("{}: {}", chip.name, n));
      const double step = 3;
      const double d1 = 1 - std::pow(0.9, step), d2 = 1 - std::pow(0.999, step);
      const std::vector<float> p = RandomFloats(n), g = RandomFloats(n), m = RandomFloats(n);
      const std::vector<float> v = RandomFloats(n, 0, 2);
      KernelProgram program(chip);
      arch::Vector vector = Flat(n, chip);
      const std::vector<const std::vector<float>*> inputs = {&p, &g, &m, &v};
      std::vector<arch::Stream> streams;
      for (size_t i = 0; i < inputs.size(); ++i) {
        vector.bases[i] = static_cast<int32_t>(program.Input(*inputs[i]));
        streams.push_back(Elements(static_cast<StreamIndex>(i), n, chip));
      }
      const int64_t parameters = program.Allocate(Bytes(n));
      const int64_t moments = program.Allocate(2 * Bytes(n));
      vector.bases[kOut0] = static_cast<int32_t>(parameters);
      vector.bases[kOut1] = static_cast<int32_t>(moments);
      streams.push_back(Elements(kOut0, n, chip));
      streams.push_back(Elements(kOut1, n, chip));
      streams.back().strides[6] = static_cast<int32_t>(Bytes(n));
      vector.scalars = {Bits(0.01f),  Bits(0.9f), Bits(0.1f), Bits(0.999f), Bits(0.001f),
                        Bits(static_cast<float>(1 / d1)), Bits(static_cast<float>(1 / d2)),
                        Bits(1e-8f)};
      program.Run(FromLibrary("adam", {}, chip), streams, vector);
      program.Store(parameters, 4 * n);
      program.Store(moments, 4 * n);
      program.Store(moments + Bytes(n), 4 * n);
      Execute(program);
      const auto expected = evaluator::RunProgram(
          fmt::format(kAdam, n, fmt::format("{:.9e}", d1), fmt::format("{:.9e}", d2)),
          {F32({n}, p), F32({n}, g), F32({n}, m), F32({n}, v)});
      ASSERT_EQ(expected.size(), 3u);
      for (size_t i = 0; i < 3; ++i) {
        ExpectClose(program.Output<float>(i), expected[i], 1e-6, 1e-6);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(OptimizerTest, MomentumUpdatesAsTheFormulaSays) {
  for (const arch::ChipConfig& chip : Chips()) {
    const int64_t n = 93;
    const std::vector<float> p = RandomFloats(n), g = RandomFloats(n), v = RandomFloats(n);
    KernelProgram program(chip);
    arch::Vector vector = Flat(n, chip);
    vector.bases = {static_cast<int32_t>(program.Input(p)), static_cast<int32_t>(program.Input(g)),
                    static_cast<int32_t>(program.Input(v)), 0,
                    static_cast<int32_t>(program.Allocate(Bytes(n))),
                    static_cast<int32_t>(program.Allocate(Bytes(n)))};
    vector.scalars[0] = Bits(0.1f);
    vector.scalars[1] = Bits(0.9f);
    program.Run(FromLibrary("sgd_momentum", {}, chip),
                {Elements(kIn0, n, chip), Elements(kIn1, n, chip), Elements(kIn2, n, chip),
                 Elements(kOut0, n, chip), Elements(kOut1, n, chip)},
                vector);
    program.Store(vector.bases[kOut0], 4 * n);
    program.Store(vector.bases[kOut1], 4 * n);
    Execute(program);
    const auto expected = evaluator::RunProgram(
        fmt::format(R"(
func.func public @main(%p: tensor<{0}xf32>, %g: tensor<{0}xf32>, %v: tensor<{0}xf32>) -> (tensor<{0}xf32>, tensor<{0}xf32>) {{
  %mu = stablehlo.constant dense<0.9> : tensor<{0}xf32>
  %lr = stablehlo.constant dense<0.1> : tensor<{0}xf32>
  %0 = stablehlo.multiply %v, %mu : tensor<{0}xf32>
  %1 = stablehlo.add %0, %g : tensor<{0}xf32>
  %2 = stablehlo.multiply %1, %lr : tensor<{0}xf32>
  %3 = stablehlo.subtract %p, %2 : tensor<{0}xf32>
  return %3, %1 : tensor<{0}xf32>, tensor<{0}xf32>
}})",
                    n),
        {F32({n}, p), F32({n}, g), F32({n}, v)});
    ASSERT_EQ(expected.size(), 2u);
    ExpectClose(program.Output<float>(0), expected[0], 1e-6, 1e-6);
    ExpectClose(program.Output<float>(1), expected[1], 1e-6, 1e-6);
  }
}

// Threefry-2x32-20 as its authors describe it.
void Threefry(const uint32_t key[2], uint32_t& a, uint32_t& b) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1bd11bda};
  a += keys[0];
  b += keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (const int rotation : kRotations[group % 2]) {
      a += b;
      b = std::rotl(b, rotation) ^ a;
    }
    a += keys[(group + 1) % 3];
    b += keys[(group + 2) % 3] + group + 1;
  }
}

TEST_F(OptimizerTest, RandomBitsAreThreefrys) {
  const uint32_t zero[2] = {0, 0};
  uint32_t a = 0, b = 0;
  Threefry(zero, a, b);  // the published vector
  ASSERT_EQ(a, 0x6b200159u);
  ASSERT_EQ(b, 0x99ba4efeu);
  for (const arch::ChipConfig& chip : Chips()) {
    const int64_t n = 77;
    const uint32_t key[2] = {rng_.U32(), rng_.U32()};
    KernelProgram program(chip);
    arch::Vector vector = Flat(n, chip);
    std::vector<arch::Stream> streams;
    for (const StreamIndex index : {kIn0, kIn1}) {  // counters i and n + i
      streams.push_back(Elements(index, 2 * n, chip));
      streams.back().source = static_cast<uint32_t>(arch::StreamSource::kIota);
      streams.back().x_base = index == kIn0 ? 0 : static_cast<int32_t>(n);
    }
    for (const StreamIndex index : {kOut0, kOut1}) {
      vector.bases[index] = static_cast<int32_t>(program.Allocate(Bytes(n)));
      streams.push_back(Elements(index, n, chip, LaneType::kU32));
    }
    vector.scalars[0] = key[0];
    vector.scalars[1] = key[1];
    vector.scalars[2] = key[0] ^ key[1] ^ 0x1bd11bda;
    program.Run(FromLibrary("threefry", {}, chip), streams, vector);
    program.Store(vector.bases[kOut0], 4 * n);
    program.Store(vector.bases[kOut1], 4 * n);
    Execute(program);
    const std::vector<uint32_t> first = program.Output<uint32_t>(0);
    const std::vector<uint32_t> second = program.Output<uint32_t>(1);
    for (uint32_t i = 0; i < n; ++i) {
      a = i;
      b = static_cast<uint32_t>(n) + i;
      Threefry(key, a, b);
      ASSERT_EQ(first[i], a) << chip.name << ": " << i;
      ASSERT_EQ(second[i], b) << chip.name << ": " << i;
    }
  }
}

TEST_F(OptimizerTest, RowsAreGatheredByAnIndexStream) {
  for (const arch::ChipConfig& chip : Chips()) {
    const int64_t table_rows = 19, columns = 3 * 8, rows = 13;
    const std::vector<float> table = RandomFloats(table_rows * columns);
    std::vector<int32_t> indices(16);
    for (int32_t& index : indices) index = static_cast<int32_t>(rng_.Below(table_rows));
    KernelProgram program(chip);
    arch::Vector vector;
    vector.kernel_level = 1;
    vector.counts[0] = static_cast<uint32_t>((rows + chip.vpu_sublanes - 1) / chip.vpu_sublanes);
    vector.bases[kIn0] = static_cast<int32_t>(program.Input(table));
    arch::Stream in = Describe(RowStream{kIn0, LaneType::kF32, rows, columns, columns}, chip);
    in.strides[0] = in.strides[7] = 0;  // only the index moves the address
    in.gather = 1;
    in.gather_base = static_cast<uint32_t>(program.Input(indices));
    in.gather_stride = static_cast<int32_t>(4 * columns);
    in.gather_limit = table_rows;
    vector.bases[kOut0] = static_cast<int32_t>(program.Allocate(4 * rows * columns));
    const int64_t segments = (columns + SegmentLanes(chip) - 1) / SegmentLanes(chip);
    program.Run(FromLibrary("gather_rows", {{"segments", segments}}, chip),
                {in, Describe(RowStream{kOut0, LaneType::kF32, rows, columns, columns}, chip)},
                vector);
    program.Store(vector.bases[kOut0], 4 * rows * columns);
    Execute(program);
    const std::vector<float> gathered = program.Output<float>(0);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        ASSERT_EQ(gathered[static_cast<size_t>(r * columns + c)],
                  table[static_cast<size_t>(indices[static_cast<size_t>(r)] * columns + c)])
            << chip.name << ": " << r << ", " << c;
      }
    }
  }
}

TEST_F(OptimizerTest, TheFirstLargestElementIsFound) {
  for (const arch::ChipConfig& chip : Chips()) {
    const int64_t rows = 11, columns = 150, pitch = 152;
    std::vector<float> x(static_cast<size_t>(rows * pitch), 100.0f);
    std::vector<int64_t> expected(static_cast<size_t>(rows), 0);
    for (int64_t r = 0; r < rows; ++r) {
      float* row = &x[static_cast<size_t>(r * pitch)];
      for (int64_t c = 0; c < columns; ++c) row[c] = static_cast<float>(rng_.Range(-9, 9));
      if (r == 3) row[57] = row[99] = NAN;
      for (int64_t c = 1; c < columns; ++c) {
        const float best = row[expected[static_cast<size_t>(r)]];
        if (!std::isnan(best) && (row[c] > best || std::isnan(row[c]))) {
          expected[static_cast<size_t>(r)] = c;
        }
      }
    }
    KernelProgram program(chip);
    const int64_t unroll = arch::kSegmentLanes / SegmentLanes(chip);
    arch::Vector vector;
    vector.kernel_level = 1;
    vector.counts[0] = static_cast<uint32_t>((rows + chip.vpu_sublanes - 1) / chip.vpu_sublanes);
    vector.counts[5] = 2;
    std::vector<arch::Stream> streams = {
        Describe(RowStream{kIn0, LaneType::kF32, rows, columns, pitch, 0, Bits(-kInfinity)}, chip),
        Describe(RowStream{kIn1, LaneType::kS32, rows, columns, pitch}, chip)};
    for (arch::Stream& stream : streams) {
      stream.strides[5] = stream.strides[6] * static_cast<int32_t>(unroll);
      stream.x_steps[5] = stream.x_steps[6] * static_cast<int32_t>(unroll);
    }
    streams[1].source = static_cast<uint32_t>(arch::StreamSource::kIota);
    streams[1].fill = 0x7fffffff;
    vector.bases[kIn0] = static_cast<int32_t>(program.Input(x));
    for (const StreamIndex index : {kOut0, kOut1}) {
      vector.bases[index] = static_cast<int32_t>(program.Allocate(4 * rows));
      streams.push_back(Describe(RowStream{index, LaneType::kS32, rows, 1, 1}, chip));
      streams.back().spread = static_cast<uint32_t>(arch::Spread::kLanes);
    }
    program.Run(FromLibrary("arg_maximum", {{"unroll", unroll}}, chip), streams, vector);
    program.Store(vector.bases[kOut0], 4 * rows);
    program.Store(vector.bases[kOut1], 4 * rows);
    Execute(program);
    const std::vector<int32_t> at = program.Output<int32_t>(0);
    const std::vector<float> value = program.Output<float>(1);
    for (int64_t r = 0; r < rows; ++r) {
      const auto i = static_cast<size_t>(r);
      ASSERT_EQ(at[i], expected[i]) << chip.name << ": row " << r;
      const float wanted = x[static_cast<size_t>(r * pitch + expected[i])];
      ASSERT_TRUE(value[i] == wanted || (std::isnan(value[i]) && std::isnan(wanted))) << r;
    }
  }
}

}  // namespace
}  // namespace systolith::kernels
