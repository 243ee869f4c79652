// Batch normalisation forward and backward over odd numbers of rows and columns.
#include <fmt/format.h>

#include <algorithm>

#include "tests/kernels/kernel_test.h"

namespace systolith::kernels {
namespace {

constexpr int64_t kPartials = arch::kSegmentLanes;  // rows that sums are kept of
constexpr float kEpsilon = 1e-5f;

struct Size {
  int64_t rows, columns;
};

// mean, variance, y of x; dx, dgamma, dbeta of dy.
std::string BatchNormProgram(const Size& size) {
  return fmt::format(R"(
func.func public @main(%x: tensor<{0}x{1}xf32>, %dy: tensor<{0}x{1}xf32>, %g: tensor<{1}xf32>, %b: tensor<{1}xf32>) -> (tensor<{0}x{1}xf32>, tensor<{0}x{1}xf32>, tensor<{1}xf32>, tensor<{1}xf32>) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<{0}.0> : tensor<{1}xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<{1}xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<{0}x{1}xf32>, tensor<f32>) -> tensor<{1}xf32>
  %mean = stablehlo.divide %s, %n : tensor<{1}xf32>
  %mb = stablehlo.broadcast_in_dim %mean, dims = [1] : (tensor<{1}xf32>) -> tensor<{0}x{1}xf32>
  %d = stablehlo.subtract %x, %mb : tensor<{0}x{1}xf32>
  %q = stablehlo.multiply %d, %d : tensor<{0}x{1}xf32>
  %qs = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<{0}x{1}xf32>, tensor<f32>) -> tensor<{1}xf32>
  %var = stablehlo.divide %qs, %n : tensor<{1}xf32>
  %ve = stablehlo.add %var, %eps : tensor<{1}xf32>
  %r = stablehlo.rsqrt %ve : tensor<{1}xf32>
  %gr = stablehlo.multiply %g, %r : tensor<{1}xf32>
  %grb = stablehlo.broadcast_in_dim %gr, dims = [1] : (tensor<{1}xf32>) -> tensor<{0}x{1}xf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<{1}xf32>) -> tensor<{0}x{1}xf32>
  %y0 = stablehlo.multiply %d, %grb : tensor<{0}x{1}xf32>
  %y = stablehlo.add %y0, %bb : tensor<{0}x{1}xf32>
  %dbeta = stablehlo.reduce(%dy init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<{0}x{1}xf32>, tensor<f32>) -> tensor<{1}xf32>
  %p = stablehlo.multiply %dy, %d : tensor<{0}x{1}xf32>
  %ps = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<{0}x{1}xf32>, tensor<f32>) -> tensor<{1}xf32>
  %dgamma = stablehlo.multiply %ps, %r : tensor<{1}xf32>
  %avg = stablehlo.divide %dbeta, %n : tensor<{1}xf32>
  %avgb = stablehlo.broadcast_in_dim %avg, dims = [1] : (tensor<{1}xf32>) -> tensor<{0}x{1}xf32>
  %k0 = stablehlo.divide %dgamma, %n : tensor<{1}xf32>
  %k = stablehlo.multiply %k0, %r : tensor<{1}xf32>
  %kb = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<{1}xf32>) -> tensor<{0}x{1}xf32>
  %t0 = stablehlo.multiply %d, %kb : tensor<{0}x{1}xf32>
  %t1 = stablehlo.subtract %dy, %avgb : tensor<{0}x{1}xf32>
  %t2 = stablehlo.subtract %t1, %t0 : tensor<{0}x{1}xf32>
  %dx = stablehlo.multiply %t2, %grb : tensor<{0}x{1}xf32>
  return %y, %dx, %ps, %dbeta : tensor<{0}x{1}xf32>, tensor<{0}x{1}xf32>, tensor<{1}xf32>, tensor<{1}xf32>
}})",
                     size.rows, size.columns);
}

// The passes of batch normalisation as vector instructions of one program.
class BatchNorm {
 public:
  BatchNorm(const arch::ChipConfig& chip, const Size& size)
      : chip_(chip), size_(size), program_(chip), pitch_(RoundUp(size.columns, 8)) {
    for (const char* name : {"column_sum", "column_square_deviation", "add_rows", "scale_rows",
                             "batch_norm", "batch_norm_gradient_sums", "batch_norm_gradient"}) {
      kernels_[name] = FromLibrary(name, {}, chip);
    }
  }

  int64_t Matrix(const std::vector<float>& dense) {
    return program_.Input(PaddedRows(dense, size_.columns, pitch_));
  }
  int64_t Rows(int64_t count) { return program_.Allocate(count * pitch_ * 4); }
  int64_t Row(int64_t address, int64_t row) const { return address + row * pitch_ * 4; }

  // Column sums of `kernel` over all rows, in row 0 of each of `outs` (128 rows of space each).
  void Sums(const std::string& kernel, const std::vector<int64_t>& matrices, int64_t mean,
            const std::vector<int64_t>& outs) {
    std::vector<arch::Stream> streams;
    arch::Vector vector = Columns(kPartials);
    vector.counts[5] = static_cast<uint32_t>((size_.rows + kPartials - 1) / kPartials);
    for (size_t i = 0; i < matrices.size(); ++i) {
      streams.push_back(Stream(static_cast<StreamIndex>(i), size_.rows));
      Block(streams.back());
      vector.bases[i] = static_cast<int32_t>(matrices[i]);
    }
    size_t next = matrices.size();
    if (mean >= 0) {
      streams.push_back(Spread(static_cast<StreamIndex>(next), 1));
      vector.bases[next++] = static_cast<int32_t>(mean);
    }
    if (kernel == "column_square_deviation") {  // ones for the rows that exist
      streams.push_back(Stream(static_cast<StreamIndex>(next), size_.rows));
      Block(streams.back());
      streams.back().strides.fill(0);
      streams.back().spread = static_cast<uint32_t>(arch::Spread::kLanes);
      streams.back().x_steps.fill(0);
      vector.bases[next++] = static_cast<int32_t>(One());
    }
    for (size_t i = 0; i < outs.size(); ++i) {
      streams.push_back(Stream(static_cast<StreamIndex>(kOut0 + i), kPartials));
      vector.bases[kOut0 + i] = static_cast<int32_t>(outs[i]);
    }
    program_.Run(kernels_.at(kernel), streams, vector);
    for (const int64_t out : outs) Tree(out);
  }

  void Scale(int64_t from, int64_t to, float factor) {
    arch::Vector vector = Columns(1);
    vector.bases[kIn0] = static_cast<int32_t>(from);
    vector.bases[kOut0] = static_cast<int32_t>(to);
    vector.scalars[0] = Bits(factor);
    program_.Run(kernels_.at("scale_rows"), {Stream(kIn0, 1), Stream(kOut0, 1)}, vector);
  }

  // batch_norm or batch_norm_gradient: `parameters` rows spread over all rows of `matrices`.
  void Apply(const std::string& kernel, const std::vector<int64_t>& matrices, int64_t parameters,
             int64_t parameter_rows, int64_t out) {
    arch::Vector vector = Columns(size_.rows);
    vector.prologue_level = 1;  // one prologue per column segment
    std::vector<arch::Stream> streams;
    for (size_t i = 0; i < matrices.size(); ++i) {
      streams.push_back(Stream(static_cast<StreamIndex>(i), size_.rows));
      vector.bases[i] = static_cast<int32_t>(matrices[i]);
    }
    streams.push_back(Spread(static_cast<StreamIndex>(matrices.size()), parameter_rows));
    vector.bases[matrices.size()] = static_cast<int32_t>(parameters);
    streams.push_back(Stream(kOut0, size_.rows));
    vector.bases[kOut0] = static_cast<int32_t>(out);
    vector.scalars[0] = Bits(kEpsilon);
    vector.scalars[1] = Bits(1.0f / static_cast<float>(size_.rows));
    program_.Run(kernels_.at(kernel), streams, vector);
  }

  void Store(int64_t address, int64_t rows) { program_.Store(address, rows * pitch_ * 4); }
  std::vector<float> Output(size_t n) const {
    return DenseRows(program_.Output<float>(n), size_.columns, pitch_);
  }
  KernelProgram& program() { return program_; }

 private:
  int64_t One() { return one_ < 0 ? one_ = program_.Input(std::vector<float>(8, 1.0f)) : one_; }

  // Loop 0: column segments; loop 1: row groups of `rows` rows.
  arch::Vector Columns(int64_t rows) const {
    arch::Vector vector;
    vector.kernel_level = 2;
    vector.counts[0] =
        static_cast<uint32_t>((size_.columns + SegmentLanes(chip_) - 1) / SegmentLanes(chip_));
    vector.counts[1] = static_cast<uint32_t>((rows + chip_.vpu_sublanes - 1) / chip_.vpu_sublanes);
    return vector;
  }
  arch::Stream Stream(StreamIndex index, int64_t rows) const {
    arch::Stream stream =
        Describe(RowStream{index, LaneType::kF32, rows, size_.columns, pitch_, 1}, chip_);
    stream.strides[0] = stream.strides[6];
    stream.x_steps[0] = stream.x_steps[6];
    return stream;
  }
  // Loop 5 steps by 128 rows.
  void Block(arch::Stream& stream) const {
    stream.strides[5] = static_cast<int32_t>(kPartials * pitch_ * 4);
    stream.y_steps[5] = static_cast<int32_t>(kPartials);
  }
  // Row k at step k, for all rows of a group.
  arch::Stream Spread(StreamIndex index, int64_t rows) const {
    arch::Stream stream = Stream(index, rows);
    stream.spread = static_cast<uint32_t>(arch::Spread::kRows);
    stream.strides[1] = 0;
    stream.y_steps[1] = 0;
    stream.strides[6] = static_cast<int32_t>(pitch_ * 4);
    stream.x_steps[6] = 0;
    stream.y_steps[6] = 1;
    return stream;
  }
  // Rows [0, 128) at `address` become their sum, in row 0.
  void Tree(int64_t address) {
    for (int64_t distance = kPartials / 2; distance > 0; distance /= 2) {
      arch::Vector vector = Columns(distance);
      vector.bases[kIn0] = vector.bases[kOut0] = static_cast<int32_t>(address);
      vector.bases[kIn1] = static_cast<int32_t>(Row(address, distance));
      program_.Run(kernels_.at("add_rows"),
                   {Stream(kIn0, distance), Stream(kIn1, distance), Stream(kOut0, distance)},
                   vector);
    }
  }

  const arch::ChipConfig& chip_;
  const Size size_;
  KernelProgram program_;
  const int64_t pitch_;
  std::map<std::string, kernel::Kernel> kernels_;
  int64_t one_ = -1;
};

class BatchNormTest : public KernelTest {
 protected:
  void Check(const arch::ChipConfig& chip, const Size& size) {
    std::vector<float> x = RandomFloats(size.rows * size.columns, -2, 5);
    // Two rows lie apart: a column that hardly varies would magnify rounding beyond any bound.
    std::ranges::copy(RandomFloats(size.columns, -2, 0), x.begin());
    std::ranges::copy(RandomFloats(size.columns, 3, 5), x.begin() + size.columns);
    const std::vector<float> dy = RandomFloats(size.rows * size.columns);
    const std::vector<float> gamma = RandomFloats(size.columns), beta = RandomFloats(size.columns);
    BatchNorm norm(chip, size);
    const int64_t x_at = norm.Matrix(x), dy_at = norm.Matrix(dy);
    // Rows: mean, variance, gamma, beta; and mean, variance, gamma, sum(dy), sum(dy * (x - mean)).
    std::vector<float> parameters(static_cast<size_t>(2 * size.columns), 0.0f);
    parameters.insert(parameters.end(), gamma.begin(), gamma.end());
    std::vector<float> gradients = parameters;
    parameters.insert(parameters.end(), beta.begin(), beta.end());
    gradients.resize(static_cast<size_t>(5 * size.columns), 0.0f);
    const int64_t forward = norm.Matrix(parameters), backward = norm.Matrix(gradients);
    const int64_t sums = norm.Rows(kPartials), more = norm.Rows(kPartials);
    const int64_t y = norm.Rows(size.rows), dx = norm.Rows(size.rows);
    const float scale = 1.0f / static_cast<float>(size.rows);

    norm.Sums("column_sum", {x_at}, -1, {sums});
    for (const int64_t rows : {forward, backward}) norm.Scale(sums, rows, scale);
    norm.Sums("column_square_deviation", {x_at}, forward, {sums});
    for (const int64_t rows : {forward, backward}) norm.Scale(sums, norm.Row(rows, 1), scale);
    norm.Apply("batch_norm", {x_at}, forward, 4, y);
    norm.Sums("batch_norm_gradient_sums", {dy_at, x_at}, forward, {sums, more});
    norm.Scale(sums, norm.Row(backward, 3), 1);
    norm.Scale(more, norm.Row(backward, 4), 1);
    norm.Apply("batch_norm_gradient", {dy_at, x_at}, backward, 5, dx);
    norm.Store(y, size.rows);
    norm.Store(dx, size.rows);
    norm.Store(more, 1);
    norm.Store(sums, 1);
    Execute(norm.program());

    const Dims matrix = {size.rows, size.columns};
    const auto expected = evaluator::RunProgram(
        BatchNormProgram(size), {F32(matrix, x), F32(matrix, dy), F32({size.columns}, gamma),
                                 F32({size.columns}, beta)});
    ASSERT_EQ(expected.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      SCOPED_TRACE(fmt::format("result {}", i));
      ExpectClose(norm.Output(i), expected[i], 2e-5, 2e-5 * (i < 2 ? 1 : 30));
      if (HasFatalFailure()) return;
    }
  }
};

TEST_F(BatchNormTest, ForwardAndBackward) {
  for (const arch::ChipConfig& chip : Chips()) {
    for (const Size& size : {Size{2, 1}, {3, 7}, {33, 9}, {129, 5}, {300, 17}}) {
      SCOPED_TRACE(fmt::format("{}: {} x {}", chip.name, size.rows, size.columns));
      if (size.rows > 200 && chip.buffer_bytes < (1 << 20)) continue;
      Check(chip, size);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace systolith::kernels
