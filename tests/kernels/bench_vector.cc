// Figures of the vector unit on verilated v2: kernels over data that is resident in the unified
// buffer. Cycles are those that a second run of the same instructions adds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <stdexcept>

#include "host/arch/csr.h"
#include "tests/kernels/depthwise_program.h"
#include "tests/kernels/kernel_test.h"

namespace systolith::kernels {
namespace {

using Write = std::function<void(KernelProgram&, int repeats)>;

class Bench {
 public:
  Bench() : chip_(arch::LoadChipConfig("v2").value()) {
    const char* target = std::getenv("SYSTOLITH_KERNEL_TARGET");
    auto transport = hal::OpenTransport(target == nullptr ? "rtl" : target, chip_);
    if (!transport.ok()) throw std::runtime_error(transport.status().message());
    transport_ = std::move(transport).value();
  }
  const arch::ChipConfig& chip() const { return chip_; }

  uint64_t Cycles(const Write& write) {
    uint64_t cycles[2];
    double seconds[2];
    for (int repeats : {1, 2}) {
      KernelProgram program(chip_);
      write(program, repeats);
      const std::clock_t start = std::clock();
      const golden::JobResult result = program.Execute(*transport_);
      seconds[repeats - 1] = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      if (!result.status.ok() || !result.completed) {
        std::cerr << "bench_vector: " << result << "\n";
        std::exit(4);
      }
      cycles[repeats - 1] = Read(arch::Csr::kCyclesLo);
      conflicts_ = Read(At(arch::Csr::kConflict, static_cast<uint32_t>(arch::Engine::kVpu)));
    }
    microseconds_ = 1e6 * (seconds[1] - seconds[0]) / static_cast<double>(cycles[1] - cycles[0]);
    return cycles[1] - cycles[0];
  }
  // CPU time of the simulation per cycle, in the last measurement.
  double microseconds() const { return microseconds_; }
  // Word accesses of the vector unit that a bank conflict held back in the last run.
  uint32_t conflicts() const { return conflicts_; }

 private:
  uint32_t Read(arch::Csr csr) { return transport_->ReadCsr(csr).value(); }

  const arch::ChipConfig chip_;
  std::unique_ptr<hal::Transport> transport_;
  uint32_t conflicts_ = 0;
  double microseconds_ = 0;
};

kernel::Kernel Library(const std::string& name, const kernel::Parameters& parameters,
                       const arch::ChipConfig& chip) {
  auto kernel = kernel::AssembleFromLibrary(name, parameters, chip);
  if (!kernel.ok()) throw std::runtime_error(kernel.status().message());
  return std::move(kernel).value();
}

// ALU operations in the loop of a kernel of the row pipeline: what a row group needs. Copies, which
// only bring values into registers, are counted apart.
struct Operations {
  int64_t arithmetic = 0, copies = 0;
};
Operations LoopOperations(const kernel::Kernel& kernel) {
  Operations operations;
  bool inside = false;
  for (const auto& words : kernel.bundles) {
    const arch::Bundle bundle = arch::DecodeBundle(words);
    inside |= bundle.loop_start != 0;
    for (const uint32_t op : {bundle.a_op, bundle.b_op}) {
      if (!inside || op == 0) continue;
      ++(op == static_cast<uint32_t>(arch::AluOp::kCopy) ? operations.copies
                                                         : operations.arithmetic);
    }
    inside &= bundle.loop_end == 0;
  }
  return operations;
}

// Rows of random bf16 numbers through a kernel of the row pipeline.
void Rows(Bench& bench, const std::string& name, int64_t rows, int64_t columns) {
  const arch::ChipConfig& chip = bench.chip();
  const int64_t chunks = columns / SegmentLanes(chip);
  kernel::Parameters parameters = {{"chunks", chunks}};
  const bool is_norm = name == "layer_norm";
  if (is_norm) parameters["ragged"] = 0;
  const kernel::Kernel kernel = Library(name, parameters, chip);
  tb::Rng rng(1);
  std::vector<uint16_t> x(static_cast<size_t>(rows * columns));
  for (uint16_t& value : x) value = static_cast<uint16_t>(0x3f00 + (rng.U32() & 0x80ff));
  const uint64_t cycles = bench.Cycles([&](KernelProgram& program, int repeats) {
    const int64_t in = program.Input(x);
    const int64_t out = program.Allocate(rows * columns * 2);
    arch::Vector vector;
    std::vector<arch::Stream> others;
    if (is_norm) {
      for (const StreamIndex index : {kIn2, kIn3}) {
        vector.bases[index] = static_cast<int32_t>(
            program.Input(std::vector<float>(static_cast<size_t>(columns), 1.0f)));
        others.push_back(Describe(RowStream{index, LaneType::kF32, 1, columns, columns}, chip));
        others.back().spread = static_cast<uint32_t>(arch::Spread::kRows);
      }
      vector.scalars = {Bits(1.0f / static_cast<float>(columns)), Bits(1e-5f),
                        static_cast<uint32_t>(SegmentLanes(chip))};
    }
    for (int r = 0; r < repeats; ++r) {
      RunRowPipeline(program, kernel, rows,
                     {kIn0, LaneType::kBf16, rows, columns, columns, 0, Bits(-kInfinity)}, in,
                     {kOut0, LaneType::kBf16, rows, columns, columns}, out, others, vector);
    }
  });
  const int64_t groups = rows / chip.vpu_sublanes;
  const Operations operations = LoopOperations(kernel);
  const auto share = [&](int64_t count) {
    return 100 * static_cast<double>(groups * count) / 2 / static_cast<double>(cycles);
  };
  const int64_t write = rows * columns * 2 / (chip.vpu_write_words * 2 * chip.Lanes());
  fmt::print("{:<28} {:>8} cycles. A row group needs {} operations ({:.1f} % of the cycles at two a"
             " cycle) and {} copies (together {:.1f} %); the write port needs {} cycles ({:.1f} %)."
             " {} conflicts\n",
             fmt::format("{} {}x{} bf16", name, rows, columns), cycles, operations.arithmetic,
             share(operations.arithmetic), operations.copies,
             share(operations.arithmetic + operations.copies), write,
             100 * static_cast<double>(write) / static_cast<double>(cycles), bench.conflicts());
}

// EfficientNet-Lite0's depthwise layers.
void DepthwiseLayers(Bench& bench) {
  struct Layer {
    int64_t size, channels, k, stride, times;
  };
  const arch::ChipConfig& chip = bench.chip();
  double total = 0, total_matrix = 0;
  for (const Layer& layer :
       {Layer{112, 32, 3, 1, 1}, {112, 96, 3, 2, 1}, {56, 144, 3, 1, 1}, {56, 144, 5, 2, 1},
        {28, 240, 5, 1, 1}, {28, 240, 3, 2, 1}, {14, 480, 3, 1, 2}, {14, 480, 5, 1, 1},
        {14, 672, 5, 1, 2}, {14, 672, 5, 2, 1}, {7, 1152, 5, 1, 3}, {7, 1152, 3, 1, 1}}) {
    const int64_t out = layer.size / layer.stride;
    const int64_t pad = std::max<int64_t>((out - 1) * layer.stride + layer.k - layer.size, 0);
    const Depthwise shape = {layer.size,   layer.size, layer.channels, layer.k,
                             layer.stride, pad / 2,    pad - pad / 2};
    const std::vector<float> taps(static_cast<size_t>(layer.k * layer.k * layer.channels), 0.1f);
    const uint64_t cycles = bench.Cycles([&](KernelProgram& program, int repeats) {
      DepthwiseProgram depthwise(program, shape, LaneType::kBf16, taps);
      const int64_t pixels = depthwise.image_rows() * layer.size;
      const int64_t image = program.Input(
          std::vector<uint16_t>(static_cast<size_t>(pixels * depthwise.pitch()), 0x3f80));
      const int64_t result =
          program.Allocate(depthwise.result_rows() * out * depthwise.pitch() * 2);
      for (int r = 0; r < repeats; ++r) depthwise.Run(image, result);
    });
    // On the matrix units at best: per tap and 128 channels a diagonal weight tile, a pixel a cycle
    // and unit, nothing lost.
    const double matrix = static_cast<double>(out * out * layer.k * layer.k) *
                          std::ceil(static_cast<double>(layer.channels) /
                                    static_cast<double>(chip.mxu_cols)) /
                          static_cast<double>(chip.mxu_count);
    total += static_cast<double>(cycles) * static_cast<double>(layer.times);
    total_matrix += matrix * static_cast<double>(layer.times);
    fmt::print("{:<28} {:>8} cycles, matrix units at best {:>8.0f}: {:.1f} times\n",
               fmt::format("depthwise {0}x{0}x{1} k{2} s{3}", layer.size, layer.channels, layer.k,
                           layer.stride),
               cycles, matrix, matrix / static_cast<double>(cycles));
  }
  fmt::print("{:<28} {:>8.0f} cycles, matrix units at best {:>8.0f}: {:.1f} times\n",
             "all depthwise layers", total, total_matrix, total_matrix / total);
}

// A [1024, 512] x [512, 4096] bf16 product on both matrix units, tile columns in pairs, and bias +
// GELU on its rows by the vector unit, which works on one half of the accumulators while the other
// fills.
class MatmulGelu {
 public:
  static constexpr int64_t kM = 1024, kK = 512, kN = 4096;

  MatmulGelu(Bench& bench)
      : bench_(bench), kernel_(Library("bias_gelu_pair", {{"unroll", 2}}, bench.chip())) {}

  uint64_t Cycles(bool matmul, bool vector) {
    return bench_.Cycles([&](KernelProgram& program, int repeats) {
      const std::vector<uint16_t> ones(kM * kK, 0x3f80), weights(kK * kN, 0x3c00);
      const int64_t a = program.Input(ones), w = program.Input(weights);
      const int64_t bias = program.Input(std::vector<float>(kN, 0.5f));
      const int64_t out = program.Allocate(kM * kN * 2);
      program.Load(kernel_);
      for (const arch::Stream& stream : Streams(bench_.chip())) {
        program.Append(arch::Opcode::kStream, arch::Engine::kVpu, stream);
      }
      // Flags of this part: units 16, 17, vector unit 18.
      program.Barrier({arch::Engine::kMxu0, arch::Engine::kMxu1, arch::Engine::kVpu});
      for (int64_t pair = 0; pair < repeats * kN / 256; ++pair) {
        const int64_t column = pair * 256 % kN;
        for (uint32_t unit = 0; matmul && unit < 2; ++unit) {
          program.Raw(arch::Opcode::kMatmul, Matmul(unit, pair, column, a, w, vector));
        }
        if (vector) {
          program.Raw(arch::Opcode::kVector, Gelu(pair, column, bias, out, matmul));
        }
      }
    });
  }

 private:
  static arch::Matmul Matmul(uint32_t unit, int64_t pair, int64_t column, int64_t a, int64_t w,
                             bool waits) {
    arch::Matmul m;
    m.engine = static_cast<uint32_t>(arch::Engine::kMxu0) + unit;
    m.counts = {kK / 128, kM, 1, 1, 1, 1};
    m.weight_level = 1;
    m.k_level = 0;
    m.n_level = arch::kNoLevel;
    m.fresh_mask = 1;
    m.a_length = 128;
    m.a_base = static_cast<int32_t>(a);
    m.a_strides = {128 * 2, kK * 2};
    m.y_limit = 1;
    m.x_limit = 128;
    m.w_base = static_cast<uint32_t>(w + (column + 128 * unit) * 2);
    m.w_strides = {128 * kN * 2};
    m.w_row_stride = kN * 2;
    m.k_limit = kK;
    m.n_limit = 128;
    m.acc_base = static_cast<uint32_t>(pair % 2 * kM);
    m.acc_strides = {0, 1};
    m.signal0_valid = 1;
    m.signal0_flag = 16 + unit;
    if (waits && pair >= 2) {
      m.wait0_valid = 1;
      m.wait0_flag = 18;
      m.wait0_target = static_cast<uint32_t>(pair - 1);
    }
    return m;
  }

  static std::vector<arch::Stream> Streams(const arch::ChipConfig& chip) {
    const auto sublanes = static_cast<int32_t>(chip.vpu_sublanes);
    std::vector<arch::Stream> streams;
    for (uint32_t unit = 0; unit < 2; ++unit) {
      arch::Stream s;
      s.index = kIn0 + unit;
      s.source = static_cast<uint32_t>(arch::StreamSource::kAccumulator);
      s.unit = unit;
      s.strides = {2 * sublanes, 0, 0, 0, 0, 0, sublanes, 1};
      s.x_limit = 128;
      s.y_limit = 1;
      streams.push_back(s);
    }
    arch::Stream bias;
    bias.index = kIn2;
    bias.spread = static_cast<uint32_t>(arch::Spread::kRows);
    bias.strides[6] = 128 * 4;
    bias.x_limit = 128;
    bias.y_limit = 1;
    streams.push_back(bias);
    for (const StreamIndex index : {kOut0, kOut1}) {
      arch::Stream s;
      s.index = index;
      s.type = static_cast<uint32_t>(LaneType::kBf16);
      const int32_t row = kN * 2;
      s.strides = {2 * sublanes * row, 0, 0, 0, 0, 0, sublanes * row, row};
      s.x_limit = 128;
      s.y_limit = 1;
      streams.push_back(s);
    }
    return streams;
  }

  arch::Vector Gelu(int64_t pair, int64_t column, int64_t bias, int64_t out, bool waits) const {
    arch::Vector v;
    v.engine = static_cast<uint32_t>(arch::Engine::kVpu);
    v.counts = {static_cast<uint32_t>(kM / (2 * bench_.chip().vpu_sublanes)), 1, 1, 1, 1, 1};
    v.kernel_level = 1;
    v.body = kernel_.body;
    const auto row = static_cast<int32_t>(pair % 2 * kM);
    const auto at = static_cast<int32_t>(out + column * 2);
    v.bases = {row, row, static_cast<int32_t>(bias + column * 4), 0, at, at + 256};
    v.signal0_valid = 1;
    v.signal0_flag = 18;
    if (waits) {
      v.wait0_valid = v.wait1_valid = 1;
      v.wait0_flag = 16;
      v.wait1_flag = 17;
      v.wait0_target = v.wait1_target = static_cast<uint32_t>(pair + 1);
    }
    return v;
  }

  Bench& bench_;
  const kernel::Kernel kernel_;
};

int Main() {
  Bench bench;
  Rows(bench, "softmax", 1024, 1024);
  Rows(bench, "layer_norm", 1024, 768);
  MatmulGelu gelu(bench);
  const uint64_t matmul = gelu.Cycles(true, false);
  fmt::print("only the matrix units busy: {:.2f} us of CPU time per cycle\n", bench.microseconds());
  const uint64_t vector = gelu.Cycles(false, true);
  const uint64_t both = gelu.Cycles(true, true);
  fmt::print("matmul 1024x512x4096 + bias + GELU: {} cycles; matmul alone {}, vector work alone {}:"
             " {:.1f} % over the longer\n",
             both, matmul, vector,
             100.0 * (static_cast<double>(both) / static_cast<double>(std::max(matmul, vector)) - 1));
  DepthwiseLayers(bench);
  return 0;
}

}  // namespace
}  // namespace systolith::kernels

int main() {
  try {
    return systolith::kernels::Main();
  } catch (const std::exception& error) {
    std::cerr << "bench_vector: " << error.what() << "\n";
    return 2;
  }
}
