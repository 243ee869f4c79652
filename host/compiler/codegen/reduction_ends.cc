#include "host/compiler/codegen/reduction_ends.h"

#include "host/compiler/codegen/transfer.h"
#include "host/compiler/passes/support.h"

namespace systolith::compiler {

void LoadInitialValue(Generator& generator, const Kernel& kernel, TileSlot& init) {
  const View& view = kernel.streams[0];
  const HbmMap::Place place = generator.PlaceOf(view, false);
  Transfer transfer;
  transfer.segment = place.segment;
  transfer.shift = place.shift;
  transfer.offset = place.offset + view.offset * view.ElementBytes();
  transfer.buffer = init.address;
  transfer.element_bytes = view.ElementBytes();
  EmitLoad(generator.emitter(), transfer, {{place.log}, {}, init.Logs()});
}

RowOperand InitialValueRow(const Reduction& reduction, const TileSlot& init) {
  return {*LaneTypeOf(reduction.x.type), std::nullopt, init.address, {0}, true};
}

void EmitJoinInitialValue(Generator& generator, const Reduction& reduction, int64_t length,
                          const RowOperand& sums, const RowOperand& results, Touches touches,
                          TileSlot& init) {
  RowJob job;
  job.counts = {1};
  job.length = length;
  job.x = sums;
  job.result = results;
  job.streams = {InitialValueRow(reduction, init)};
  job.steps = {{reduction.combine,
                {StepOperand{StepOperand::Kind::kLane, 0},
                 StepOperand{StepOperand::Kind::kStream, 0}}}};
  for (AccessLog* log : init.Logs()) touches.reads.push_back(log);
  generator.vector_unit().Emit(job, touches);
}

void StoreReduced(Generator& generator, const Kernel& kernel, const HbmMap::Place& place,
                  const Axis& axis, int64_t first, int64_t count, TileSlot& results) {
  const int64_t size = graph::ByteWidth(kernel.out.type);
  Transfer transfer;
  transfer.segment = place.segment;
  transfer.shift = place.shift;
  transfer.offset = place.offset + (kernel.out.offset + first * axis.stride) * size;
  transfer.buffer = results.address;
  transfer.element_bytes = size;
  transfer.dimensions = {{count, axis.stride * size, size}};
  EmitStore(generator.emitter(), transfer, {results.Logs(), {}, {place.log}});
}

}  // namespace systolith::compiler
