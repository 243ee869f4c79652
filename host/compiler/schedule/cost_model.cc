#include "host/compiler/schedule/cost_model.h"

#include <algorithm>
#include <cmath>

#include "host/base/rounding.h"
#include "host/compiler/codegen/generator.h"
#include "host/compiler/codegen/transpose_job.h"

namespace systolith::compiler {
namespace {

constexpr double kLinesInFlight = 64.0;
constexpr double kHbmLatencyCycles = 40.0;
constexpr double kRequestCycles = 8.0;

// Of an HBM2 chip's raw rate, what loads and stores get that take turns.
constexpr double kHbm2Share = 0.6;

// The elements of a view that follow one another in memory, whatever the order of its dimensions;
// repeated ones left out.
int64_t RunElements(const View& view) {
  int64_t run = 1;
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t i = 0; i < view.dims.size() && !grown; ++i) {
      if (view.dims[i] <= 1 || view.strides[i] != run) continue;
      run *= view.dims[i];
      grown = true;
    }
  }
  return run;
}

int64_t StoredBytes(const View& view) {
  if (view.is_iota || !view.base.valid()) return 0;
  int64_t elements = 1;
  for (size_t i = 0; i < view.dims.size(); ++i) {
    if (view.strides[i] != 0) elements *= view.dims[i];
  }
  return elements * view.ElementBytes();
}

double ReadCycles(const View& view, const arch::ChipConfig& chip) {
  return TransferCycles(chip, StoredBytes(view), RunElements(view) * view.ElementBytes());
}

// Bundles of two operations; groups come and go through the ports of the buffer.
double VectorCycles(const Kernel& kernel, int64_t elements, int64_t operand_bytes,
                    const arch::ChipConfig& chip) {
  const auto count = static_cast<double>(elements);
  const auto lanes = static_cast<double>(chip.Lanes() * chip.vpu_sublanes);
  const double bundles = std::ceil((static_cast<double>(kernel.steps.size()) + 1.0) / 2.0);
  const auto word = static_cast<double>(chip.WordBytes());
  const double reads = count * static_cast<double>(operand_bytes) /
                       (word * static_cast<double>(chip.vpu_read_words));
  const double writes = count * static_cast<double>(kernel.out.ElementBytes()) /
                        (word * static_cast<double>(chip.vpu_write_words));
  return std::max({count / lanes * bundles, reads, writes});
}

}  // namespace

double BytesPerCycle(const arch::ChipConfig& chip) {
  const double raw =
      chip.IsHbm2()
          ? kHbm2Share *
                static_cast<double>(std::min<int64_t>(16 * chip.memory_channels, chip.WordBytes()))
          : static_cast<double>(chip.memory_bytes_per_cycle);
  const double latency =
      chip.IsHbm2() ? kHbmLatencyCycles : static_cast<double>(chip.memory_latency_cycles);
  return std::min(raw, kLinesInFlight * static_cast<double>(chip.memory_line_bytes) /
                           (latency + kRequestCycles));
}

double TransferCycles(const arch::ChipConfig& chip, int64_t bytes, int64_t run_bytes) {
  const auto line = static_cast<double>(chip.memory_line_bytes);
  const double run = std::max<double>(static_cast<double>(run_bytes), 1.0);
  return static_cast<double>(bytes) / run *
         std::max(std::max(run, line) / BytesPerCycle(chip), 1.0);
}

double EstimateCycles(const Kernel& kernel, const arch::ChipConfig& chip) {
  const View* x = nullptr;
  if (const auto* copy = std::get_if<Copy>(&kernel.body)) x = &copy->x;
  if (const auto* elementwise = std::get_if<Elementwise>(&kernel.body)) x = &elementwise->x;
  if (const auto* reduction = std::get_if<Reduction>(&kernel.body)) x = &reduction->x;
  const int64_t elements = kernel.shape().ElementCount();
  const int64_t out_bytes = elements * kernel.out.ElementBytes();
  double loads = 0.0, work = 0.0;
  double stores =
      TransferCycles(chip, out_bytes, RunElements(kernel.out) * kernel.out.ElementBytes());
  int64_t operand_bytes = 0;
  if (x != nullptr) {
    loads += ReadCycles(*x, chip);
    operand_bytes += x->ElementBytes();
  }
  for (const View& stream : kernel.streams) {
    loads += ReadCycles(stream, chip);
    operand_bytes += StoredBytes(stream) == 0 ? 0 : stream.ElementBytes();
  }
  if (std::holds_alternative<Copy>(kernel.body)) {
    if (TransposesInBuffer(*x, kernel.out)) {
      // Runs on both sides; a cycle per row that the transposer reads or writes.
      loads = stores = TransferCycles(chip, out_bytes, chip.memory_line_bytes);
      work = 4.0 * static_cast<double>(elements) / static_cast<double>(chip.Lanes());
    }
  } else if (std::holds_alternative<Reduction>(kernel.body)) {
    const auto& reduction = std::get<Reduction>(kernel.body);
    work = VectorCycles(kernel, reduction.reduced.size * reduction.kept.size, operand_bytes, chip);
  } else {
    work = VectorCycles(kernel, elements, operand_bytes, chip);
  }
  const double memory = chip.IsHbm2() ? std::max(loads, stores) : loads + stores;
  return std::max(memory, work) + kKernelCycles;
}

}  // namespace systolith::compiler
