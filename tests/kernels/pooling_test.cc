// Pooling and its gradients at odd sizes: windows, strides and borders of every kind.
#include <fmt/format.h>

#include "tests/kernels/kernel_test.h"

namespace systolith::kernels {
namespace {

// An image [height, width, channels]; windows of k x k places, `pad` of them outside on each side.
struct Pool {
  int64_t height, width, channels, k, stride, pad;

  int64_t Out(int64_t in) const { return (in + 2 * pad - k) / stride + 1; }
  int64_t pitch() const { return (channels + 7) / 8 * 8; }  // elements of a pixel in the buffer
  int64_t out_height() const { return Out(height); }
  int64_t out_width() const { return Out(width); }
};

// Loops: 0 rows, 1 row groups of pixels, 2 channel segments, 4 and 5 the window.
constexpr size_t kRow = 0, kPixel = 1, kSegment = 2, kWindowY = 4, kWindowX = 5, kSublane = 7;

int32_t Int(int64_t value) { return static_cast<int32_t>(value); }

// How a stream walks over an image of height x width pixels: pixel (y, x) of an iteration is
// base + row * row_step + pixel * pixel_step + window * window_step.
struct Walk {
  int64_t height, width, base_y, base_x, row_step, pixel_step, window_step;
};

class PoolProgram {
 public:
  PoolProgram(const arch::ChipConfig& chip, const Pool& pool)
      : chip_(chip), pool_(pool), program_(chip) {}

  // The image behind `walk`; its base address in `base`.
  arch::Stream Image(StreamIndex index, LaneType type, const Walk& walk, uint32_t fill,
                     int64_t address, int32_t& base) const {
    const int64_t size = BytesOf(type), pitch = pool_.pitch(), row = walk.width * pitch;
    const int64_t sublanes = chip_.vpu_sublanes, segment = SegmentLanes(chip_);
    arch::Stream s;
    s.index = index;
    s.type = static_cast<uint32_t>(type);
    s.fill = fill;
    s.x_base = Int(walk.base_x * pitch);
    s.y_base = Int(walk.base_y);
    s.x_limit = static_cast<uint32_t>(row);
    s.y_limit = static_cast<uint32_t>(walk.height);
    s.y_steps[kRow] = Int(walk.row_step);
    s.y_steps[kWindowY] = Int(walk.window_step);
    s.x_steps[kPixel] = Int(walk.pixel_step * sublanes * pitch);
    s.x_steps[kSublane] = Int(walk.pixel_step * pitch);
    s.x_steps[kSegment] = Int(segment);
    s.x_steps[kWindowX] = Int(walk.window_step * pitch);
    for (size_t i = 0; i < 8; ++i) {
      s.strides[i] = Int((s.x_steps[i] + s.y_steps[i] * row) * size);
    }
    base = Int(address + (walk.base_y * row + walk.base_x * pitch) * size);
    return s;
  }

  // Results: pixels of one row, whose channels are the elements of a row of lanes.
  arch::Stream Result(StreamIndex index, LaneType type, const Walk& walk, int64_t pixels,
                      int64_t address, int32_t& base) const {
    arch::Stream s = Image(index, type, walk, 0, address, base);
    s.x_steps.fill(0);
    s.x_base = 0;
    s.x_steps[kSegment] = Int(SegmentLanes(chip_));
    s.x_limit = static_cast<uint32_t>(pool_.pitch());
    s.y_steps.fill(0);
    s.y_base = 0;
    s.y_steps[kPixel] = Int(chip_.vpu_sublanes);
    s.y_steps[kSublane] = 1;
    s.y_limit = static_cast<uint32_t>(pixels);
    s.strides[kWindowY] = s.strides[kWindowX] = 0;
    return s;
  }

  // The number of a window's place: first + ky * step_y + kx * step_x.
  arch::Stream Places(StreamIndex index, int64_t first, int64_t step_y, int64_t step_x) const {
    arch::Stream s;
    s.index = index;
    s.source = static_cast<uint32_t>(arch::StreamSource::kIota);
    s.spread = static_cast<uint32_t>(arch::Spread::kBoth);
    s.x_base = Int(first);
    s.x_steps[kWindowY] = Int(step_y);
    s.x_steps[kWindowX] = Int(step_x);
    s.x_limit = static_cast<uint32_t>(pool_.k * pool_.k);
    s.y_limit = 1;
    return s;
  }

  arch::Vector Loops(int64_t rows, int64_t pixels, int64_t window_y, int64_t window_x) const {
    const auto ceil = [](int64_t a, int64_t b) { return static_cast<uint32_t>((a + b - 1) / b); };
    arch::Vector vector;
    vector.kernel_level = 3;
    vector.counts = {static_cast<uint32_t>(rows),
                     ceil(pixels, chip_.vpu_sublanes),
                     ceil(pool_.channels, SegmentLanes(chip_)),
                     1,
                     static_cast<uint32_t>(window_y),
                     static_cast<uint32_t>(window_x)};
    return vector;
  }

  // Windows over the image at `in`; results at `outs`.
  void Forward(const kernel::Kernel& kernel, LaneType type, uint32_t fill, int64_t in,
               bool counts_places, const std::vector<std::pair<int64_t, LaneType>>& outs) {
    arch::Vector vector = Loops(pool_.out_height(), pool_.out_width(), pool_.k, pool_.k);
    const Walk windows = {pool_.height, pool_.width, -pool_.pad, -pool_.pad,
                          pool_.stride, pool_.stride, 1};
    std::vector<arch::Stream> streams = {Image(kIn0, type, windows, fill, in, vector.bases[kIn0])};
    if (counts_places) {
      streams.push_back(Image(kIn1, type, windows, ~0u, 0, vector.bases[kIn1]));
      streams.back().source = static_cast<uint32_t>(arch::StreamSource::kIota);
    } else {
      streams.push_back(Places(kIn1, 0, pool_.k, 1));
    }
    for (size_t i = 0; i < outs.size(); ++i) {
      const auto index = static_cast<StreamIndex>(kOut0 + i);
      const Walk dense = {pool_.out_height(), pool_.out_width(), 0, 0, 1, 1, 0};
      streams.push_back(Result(index, outs[i].second, dense, pool_.out_width(), outs[i].first,
                               vector.bases[index]));
    }
    program_.Run(kernel, streams, vector);
  }

  // The image's gradient, one phase of pixels after the other.
  void Gradient(const kernel::Kernel& kernel, int64_t dy, int64_t places, int64_t dx) {
    const int64_t s = pool_.stride, p = pool_.pad, k = pool_.k;
    for (int64_t fy = 0; fy < std::min(s, pool_.height); ++fy) {
      for (int64_t fx = 0; fx < std::min(s, pool_.width); ++fx) {
        const int64_t ky = (fy + p) % s, kx = (fx + p) % s;  // the first place that a pixel has
        const int64_t rows = (pool_.height - fy + s - 1) / s;
        const int64_t pixels = (pool_.width - fx + s - 1) / s;
        arch::Vector vector = Loops(rows, pixels, (k - ky + s - 1) / s, (k - kx + s - 1) / s);
        const Walk back = {pool_.out_height(), pool_.out_width(), (fy + p - ky) / s,
                           (fx + p - kx) / s,  1,                 1, -1};
        std::vector<arch::Stream> streams = {
            Image(kIn0, LaneType::kF32, back, 0, dy, vector.bases[kIn0])};
        if (places >= 0) {
          streams.push_back(Image(kIn1, LaneType::kS32, back, ~0u, places, vector.bases[kIn1]));
          streams.push_back(Places(kIn2, ky * k + kx, s * k, s));
        }
        const Walk phase = {pool_.height, pool_.width, fy, fx, s, s, 0};
        streams.push_back(Result(kOut0, LaneType::kF32, phase, pixels, dx, vector.bases[kOut0]));
        program_.Run(kernel, streams, vector);
      }
    }
  }

  template <typename T>
  int64_t Input(const std::vector<T>& dense) {
    const auto pitch = static_cast<size_t>(pool_.pitch()), c = static_cast<size_t>(pool_.channels);
    std::vector<T> padded(dense.size() / c * pitch, T{});
    for (size_t i = 0; i < dense.size(); ++i) padded[i / c * pitch + i % c] = dense[i];
    return program_.Input(padded);
  }
  int64_t Space(int64_t pixels, LaneType type) {
    return program_.Allocate(pixels * pool_.pitch() * BytesOf(type));
  }
  void Store(int64_t address, int64_t pixels, LaneType type) {
    program_.Store(address, pixels * pool_.pitch() * BytesOf(type));
  }
  template <typename T>
  std::vector<T> Output(size_t n) const {
    const auto pitch = static_cast<size_t>(pool_.pitch()), c = static_cast<size_t>(pool_.channels);
    const std::vector<T> padded = program_.Output<T>(n);
    std::vector<T> dense(padded.size() / pitch * c);
    for (size_t i = 0; i < dense.size(); ++i) dense[i] = padded[i / c * pitch + i % c];
    return dense;
  }
  KernelProgram& program() { return program_; }

 private:
  const arch::ChipConfig& chip_;
  const Pool pool_;
  KernelProgram program_;
};

std::string Window(const Pool& p) {
  return fmt::format(
      "window_dimensions = array<i64: {0}, {0}, 1>, window_strides = array<i64: {1}, {1}, 1>, "
      "padding = dense<[[{2}, {2}], [{2}, {2}], [0, 0]]> : tensor<3x2xi64>",
      p.k, p.stride, p.pad);
}

std::string Reduce(const Pool& p, const char* operation, const char* name, const char* operand,
                   const char* init) {
  return fmt::format(R"(
  {} = "stablehlo.reduce_window"({}, {}) <{{{}}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.{} %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }}) : (tensor<{}x{}x{}xf32>, tensor<f32>) -> tensor<{}x{}x{}xf32>)",
                     name, operand, init, Window(p), operation, p.height, p.width, p.channels,
                     p.out_height(), p.out_width(), p.channels);
}

std::string ImageType(const Pool& p) {
  return fmt::format("tensor<{}x{}x{}xf32>", p.height, p.width, p.channels);
}
std::string ResultType(const Pool& p) {
  return fmt::format("tensor<{}x{}x{}xf32>", p.out_height(), p.out_width(), p.channels);
}

std::string MaximumProgram(const Pool& p) {
  return fmt::format(
      R"(func.func public @main(%x: {0}, %dy: {1}) -> ({1}, {0}) {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>{2}
  %dx = "stablehlo.select_and_scatter"(%x, %dy, %zero) <{{{3}}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}, {{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }}) : ({0}, {1}, tensor<f32>) -> {0}
  return %y, %dx : {1}, {0}
}})",
      ImageType(p), ResultType(p), Reduce(p, "maximum", "%y", "%x", "%low"), Window(p));
}

std::string AverageProgram(const Pool& p) {
  return fmt::format(
      R"(func.func public @main(%x: {0}) -> {1} {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %ones = stablehlo.constant dense<1.0> : {0}{2}{3}
  %y = stablehlo.divide %s, %n : {1}
  return %y : {1}
}})",
      ImageType(p), ResultType(p), Reduce(p, "add", "%s", "%x", "%zero"),
      Reduce(p, "add", "%n", "%ones", "%zero"));
}

class PoolingTest : public KernelTest {
 protected:
  static std::vector<Pool> Pools() {
    return {{1, 1, 1, 1, 1, 0}, {5, 7, 3, 3, 2, 1}, {7, 5, 9, 2, 2, 0}, {6, 6, 17, 3, 1, 1},
            {9, 4, 5, 3, 3, 0}};
  }

  template <typename T>
  static std::vector<T> IntegerAverage(const arch::ChipConfig& chip, const Pool& p, LaneType type,
                                       const std::vector<T>& x) {
    PoolProgram program(chip, p);
    const int64_t pixels = p.out_height() * p.out_width();
    const int64_t in = program.Input(x), y = program.Space(pixels, type);
    program.Forward(FromLibrary("average_pool_integer", {}, chip), type, 0, in, true, {{y, type}});
    program.Store(y, pixels, type);
    Execute(program.program());
    return program.Output<T>(0);
  }
};

TEST_F(PoolingTest, LargestValueAndItsGradient) {
  for (const arch::ChipConfig& chip : Chips()) {
    for (const Pool& p : Pools()) {
      SCOPED_TRACE(fmt::format("{}: {}x{}x{} k {} stride {}", chip.name, p.height, p.width,
                               p.channels, p.k, p.stride));
      const int64_t pixels = p.out_height() * p.out_width();
      std::vector<float> x(static_cast<size_t>(p.height * p.width * p.channels));
      for (float& value : x) value = static_cast<float>(rng_.Range(-4, 4));  // many are equal
      const std::vector<float> dy = RandomFloats(pixels * p.channels);
      PoolProgram program(chip, p);
      const int64_t in = program.Input(x), gradient = program.Input(dy);
      const int64_t y = program.Space(pixels, LaneType::kF32);
      const int64_t at = program.Space(pixels, LaneType::kS32);
      const int64_t dx = program.Space(p.height * p.width, LaneType::kF32);
      program.Forward(FromLibrary("max_pool", {}, chip), LaneType::kF32, Bits(-kInfinity), in,
                      false, {{y, LaneType::kF32}, {at, LaneType::kS32}});
      program.Gradient(FromLibrary("max_pool_gradient", {}, chip), gradient, at, dx);
      program.Store(y, pixels, LaneType::kF32);
      program.Store(dx, p.height * p.width, LaneType::kF32);
      Execute(program.program());
      const auto expected = evaluator::RunProgram(
          MaximumProgram(p), {F32({p.height, p.width, p.channels}, x),
                              F32({p.out_height(), p.out_width(), p.channels}, dy)});
      ASSERT_EQ(expected.size(), 2u);
      ExpectClose(program.Output<float>(0), expected[0], 0);
      ExpectClose(program.Output<float>(1), expected[1], 1e-6, 1e-6);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(PoolingTest, AverageOfThePlacesInsideTheImage) {
  for (const arch::ChipConfig& chip : Chips()) {
    for (const Pool& p : Pools()) {
      SCOPED_TRACE(fmt::format("{}: {}x{}x{} k {} stride {}", chip.name, p.height, p.width,
                               p.channels, p.k, p.stride));
      const int64_t pixels = p.out_height() * p.out_width();
      const std::vector<float> x = RandomFloats(p.height * p.width * p.channels);
      PoolProgram program(chip, p);
      const int64_t in = program.Input(x), y = program.Space(pixels, LaneType::kF32);
      program.Forward(FromLibrary("average_pool", {}, chip), LaneType::kF32, 0, in, true,
                      {{y, LaneType::kF32}});
      program.Store(y, pixels, LaneType::kF32);
      Execute(program.program());
      const auto expected = evaluator::RunProgram(AverageProgram(p),
                                                  {F32({p.height, p.width, p.channels}, x)});
      ASSERT_EQ(expected.size(), 1u);
      ExpectClose(program.Output<float>(0), expected[0], 1e-5, 1e-6);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(PoolingTest, GradientOfTheAverage) {
  for (const arch::ChipConfig& chip : Chips()) {
    for (const Pool& p : Pools()) {
      SCOPED_TRACE(fmt::format("{}: {}x{}x{} k {} stride {}", chip.name, p.height, p.width,
                               p.channels, p.k, p.stride));
      const int64_t pixels = p.out_height() * p.out_width();
      std::vector<float> dy(static_cast<size_t>(pixels * p.channels));
      for (float& value : dy) value = static_cast<float>(rng_.Range(-99, 99));
      PoolProgram program(chip, p);
      const int64_t gradient = program.Input(dy);
      const int64_t dx = program.Space(p.height * p.width, LaneType::kF32);
      program.Gradient(FromLibrary("average_pool_gradient", {}, chip), gradient, -1, dx);
      program.Store(dx, p.height * p.width, LaneType::kF32);
      Execute(program.program());
      // Integers: every sum is exact. Each result's gradient goes to every place of its window.
      Literal expected(Shape{ElementType::kF32, {p.height, p.width, p.channels}});
      for (int64_t i = 0; i < pixels * p.k * p.k * p.channels; ++i) {
        const int64_t c = i % p.channels, place = i / p.channels % (p.k * p.k);
        const int64_t pixel = i / p.channels / (p.k * p.k);
        const int64_t row = pixel / p.out_width() * p.stride + place / p.k - p.pad;
        const int64_t column = pixel % p.out_width() * p.stride + place % p.k - p.pad;
        if (row < 0 || row >= p.height || column < 0 || column >= p.width) continue;
        const int64_t to = (row * p.width + column) * p.channels + c;
        const auto from = static_cast<size_t>(pixel * p.channels + c);
        expected.SetDouble(to, expected.GetDouble(to) + static_cast<double>(dy[from]));
      }
      ExpectClose(program.Output<float>(0), expected, 0);
      if (HasFatalFailure()) return;
    }
  }
}

// Divided by the number of places inside, rounded once.
TEST_F(PoolingTest, QuantisedAveragesRoundHalfAwayFromZero) {
  for (const arch::ChipConfig& chip : Chips()) {
    SCOPED_TRACE(chip.name);
    EXPECT_EQ(IntegerAverage<int8_t>(chip, {2, 2, 3, 2, 2, 0}, LaneType::kS8,
                                     {-3, 3, 1, -3, 3, 1, -2, 2, 1, -2, 2, 1}),
              (std::vector<int8_t>{-3, 3, 1}));
    EXPECT_EQ(IntegerAverage<int16_t>(chip, {17, 17, 1, 17, 1, 0}, LaneType::kS16,
                                      std::vector<int16_t>(17 * 17, 32767)),
              (std::vector<int16_t>{32767}));
    const Pool p = {5, 7, 3, 3, 2, 1};
    std::vector<int8_t> x(5 * 7 * 3);
    for (int8_t& value : x) value = static_cast<int8_t>(rng_.U32());
    const std::vector<int8_t> y = IntegerAverage<int8_t>(chip, p, LaneType::kS8, x);
    for (int64_t i = 0; i < static_cast<int64_t>(y.size()); ++i) {
      const int64_t c = i % 3, column = i / 3 % p.out_width(), row = i / 3 / p.out_width();
      double sum = 0, count = 0;
      for (int64_t place = 0; place < 9; ++place) {
        const int64_t at_y = row * 2 + place / 3 - 1, at_x = column * 2 + place % 3 - 1;
        if (at_y < 0 || at_y >= 5 || at_x < 0 || at_x >= 7) continue;
        sum += x[static_cast<size_t>((at_y * 7 + at_x) * 3 + c)];
        ++count;
      }
      ASSERT_EQ(y[static_cast<size_t>(i)], std::round(sum / count)) << i;
    }
  }
}

}  // namespace
}  // namespace systolith::kernels
