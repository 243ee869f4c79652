#ifndef SYSTOLITH_SIM_GOLDEN_VPU_STREAM_ACCESS_H_
#define SYSTOLITH_SIM_GOLDEN_VPU_STREAM_ACCESS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "sim/golden/checker/instance_accesses.h"
#include "sim/golden/prim/engine.h"

namespace systolith::golden {

// Reads and writes the row groups of streams: windows, types, spread, gather.
class StreamAccess {
 public:
  // `agent` and `pc` name the reader to the hazard checker.
  StreamAccess(ChipState& state, Agent agent);

  void StartInstruction(uint32_t pc);
  void StartInstance();

  // The group of `stream` at `base`, at the loop indices and the step of a bundle.
  MaybeFault Read(const arch::Stream& stream, uint32_t base,
                  const std::array<uint32_t, arch::kLoops>& index, uint32_t step,
                  std::span<uint32_t> group);
  MaybeFault Write(const arch::Stream& stream, uint32_t base,
                   const std::array<uint32_t, arch::kLoops>& index, uint32_t step,
                   std::span<const uint32_t> group);

 private:
  struct Place {
    int32_t address = 0, x = 0, y = 0;
  };
  // The part of a row that is inside: elements [begin, end).
  struct Window {
    int64_t begin = 0, end = 0;
    bool empty() const { return begin >= end; }
  };

  static Place PlaceOf(const arch::Stream& stream, uint32_t base,
                       const std::array<uint32_t, arch::kLoops>& index, uint32_t step,
                       uint32_t sublane);
  static bool RowInside(const arch::Stream& stream, const Place& place);
  static Window WindowOf(const arch::Stream& stream, const Place& place, int64_t elements);

  MaybeFault ReadRow(const arch::Stream& stream, Place place, std::span<uint32_t> row);
  // Moves the row's address by its index.
  MaybeFault Gather(const arch::Stream& stream, Place& place);
  MaybeFault ReadAccumulator(const arch::Stream& stream, const Place& place, const Window& window,
                             std::span<uint32_t> row);
  MaybeFault ReadBuffer(const arch::Stream& stream, const Place& place, const Window& window,
                        std::span<uint32_t> row);
  MaybeFault WriteRow(const arch::Stream& stream, const Place& place,
                      std::span<const uint32_t> row);
  // Checks alignment and range of the inside part, which is [*first, *first + *bytes).
  MaybeFault CheckRow(const arch::Stream& stream, const Place& place, const Window& window,
                      int64_t& first, int64_t& bytes) const;
  void Touch(Port port, int64_t first, int64_t bytes);

  ChipState& state_;
  const Agent agent_;
  uint32_t pc_ = 0;
  const int64_t lanes_, sublanes_;
  std::optional<InstanceAccesses> instances_;  // where hazards are checked
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_VPU_STREAM_ACCESS_H_
