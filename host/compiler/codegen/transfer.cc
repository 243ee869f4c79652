#include "host/compiler/codegen/transfer.h"

#include <cstdlib>
#include <functional>

#include "host/base/rounding.h"

namespace systolith::compiler {
namespace {

constexpr uint32_t OffsetWord() {
  for (const arch::FieldInfo& field : arch::kDmaFields) {
    if (field.name == "offset_lo") return field.word;
  }
  return 0;
}

// What an instruction of the transfer touches, with its patch.
Touches WithShift(const Transfer& transfer, Touches touches) {
  if (transfer.shift != 0) touches.patches.push_back({OffsetWord(), transfer.shift});
  return touches;
}

struct Plan {
  std::vector<TransferDimension> loops;  // outer to inner
  int64_t run_bytes = 0;
  int64_t buffer_run_bytes = 0;
  bool empty = false;
};

Plan MakePlan(const Transfer& transfer) {
  Plan plan;
  plan.run_bytes = transfer.element_bytes;
  std::vector<TransferDimension> dimensions;
  for (const TransferDimension& dimension : transfer.dimensions) {
    if (dimension.size == 0) plan.empty = true;
    if (dimension.size != 1) dimensions.push_back(dimension);
  }
  // Large steps in HBM outside, so that neighbouring accesses are near; repeats outermost.
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [](const TransferDimension& a, const TransferDimension& b) {
                     if ((a.hbm_stride == 0) != (b.hbm_stride == 0)) return a.hbm_stride == 0;
                     return std::abs(a.hbm_stride) > std::abs(b.hbm_stride);
                   });
  // The run grows by the dimensions that continue it on both sides. Where runs are padded, one
  // that is not full to the brim ends it.
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t i = dimensions.size(); i > 0; --i) {
      const TransferDimension& dimension = dimensions[i - 1];
      if (dimension.hbm_stride != plan.run_bytes || dimension.buffer_stride != plan.run_bytes) {
        continue;
      }
      plan.run_bytes *= dimension.size;
      dimensions.erase(dimensions.begin() + static_cast<std::ptrdiff_t>(i - 1));
      grown = true;
      break;
    }
  }
  for (const TransferDimension& dimension : dimensions) {
    if (!plan.loops.empty()) {
      TransferDimension& outer = plan.loops.back();
      if (outer.hbm_stride == dimension.size * dimension.hbm_stride &&
          outer.buffer_stride == dimension.size * dimension.buffer_stride) {
        outer = {outer.size * dimension.size, dimension.hbm_stride, dimension.buffer_stride};
        continue;
      }
    }
    plan.loops.push_back(dimension);
  }
  plan.buffer_run_bytes = RoundUp(plan.run_bytes, transfer.pad_bytes);
  for (const TransferDimension& loop : plan.loops) {
    // Elements that lie side by side in the buffer arrive one by one; nothing may follow them.
    if (std::abs(loop.buffer_stride) < plan.buffer_run_bytes) {
      plan.buffer_run_bytes = plan.run_bytes;
    }
  }
  return plan;
}

void Emit(Emitter& emitter, const Transfer& transfer, bool is_load,
          const std::function<void(const arch::Dma&)>& emit) {
  const Plan plan = MakePlan(transfer);
  if (plan.empty) return;
  const size_t free_loops = arch::kLoops - (transfer.gather ? 1 : 0);
  const size_t unrolled = plan.loops.size() > free_loops ? plan.loops.size() - free_loops : 0;
  std::vector<int64_t> index(unrolled, 0);
  for (bool more = true; more;) {
    int64_t offset = transfer.offset;
    int64_t buffer = transfer.buffer;
    for (size_t i = 0; i < unrolled; ++i) {
      offset += index[i] * plan.loops[i].hbm_stride;
      buffer += index[i] * plan.loops[i].buffer_stride;
    }
    arch::Dma dma;
    dma.counts.fill(1);
    const size_t used = plan.loops.size() - unrolled;
    for (size_t i = 0; i < used; ++i) {
      const TransferDimension& loop = plan.loops[unrolled + i];
      const size_t at = arch::kLoops - used + i;
      dma.counts[at] = emitter.Address(loop.size);
      dma.hbm_strides[at] = emitter.Stride(loop.hbm_stride);
      dma.buffer_strides[at] = emitter.Stride(loop.buffer_stride);
    }
    if (transfer.gather) {
      dma.counts[0] = emitter.Address(transfer.gather->count);
      dma.hbm_strides[0] = emitter.Stride(transfer.gather->hbm_stride);
      dma.buffer_strides[0] = emitter.Stride(transfer.gather->buffer_stride);
      dma.gather = 1;
      dma.gather_base = emitter.Address(transfer.gather->indices);
      dma.gather_limit = emitter.Address(transfer.gather->limit);
    }
    dma.segment = transfer.segment;
    dma.offset_lo = static_cast<uint32_t>(static_cast<uint64_t>(offset));
    dma.offset_hi = static_cast<uint32_t>(static_cast<uint64_t>(offset) >> 32);
    dma.buffer_base = emitter.Address(buffer);
    dma.run_bytes = emitter.Address(plan.run_bytes);
    dma.buffer_run_bytes = is_load ? emitter.Address(plan.buffer_run_bytes) : dma.run_bytes;
    dma.fill = transfer.fill;
    emit(dma);
    more = false;
    for (size_t i = unrolled; i > 0 && !more; --i) {
      more = ++index[i - 1] < plan.loops[i - 1].size;
      if (!more) index[i - 1] = 0;
    }
  }
}

}  // namespace

bool FillsPadding(const Transfer& transfer) {
  const Plan plan = MakePlan(transfer);
  return plan.empty || plan.buffer_run_bytes % transfer.pad_bytes == 0;
}

void EmitLoad(Emitter& emitter, const Transfer& transfer, const Touches& touches) {
  const Touches all = WithShift(transfer, touches);
  Emit(emitter, transfer, true, [&](const arch::Dma& dma) { emitter.Load(dma, all); });
}

void EmitStore(Emitter& emitter, const Transfer& transfer, const Touches& touches) {
  const Touches all = WithShift(transfer, touches);
  Emit(emitter, transfer, false, [&](const arch::Dma& dma) { emitter.Store(dma, all); });
}

}  // namespace systolith::compiler
