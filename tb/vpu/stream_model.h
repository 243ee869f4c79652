#ifndef SYSTOLITH_TB_VPU_STREAM_MODEL_H_
#define SYSTOLITH_TB_VPU_STREAM_MODEL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "host/arch/isa.h"

namespace systolith::tb {

// Groups of streams as rtl/arch/README.md ("vector, stream, load_kernel") says them: element by
// element, without words, queues or time.

struct StreamSizes {
  int lanes, sublanes, cols, mxus, accumulator_rows, buffer_bytes;
  int Elements() const { return lanes * sublanes; }
};

// One group: the stream's description, and addr, x and y of the first row.
struct StreamGroup {
  arch::LaneType type = arch::LaneType::kF32;
  arch::StreamSource source = arch::StreamSource::kBuffer;
  uint32_t unit = 0;
  bool flat = false;
  arch::Spread spread = arch::Spread::kNone;
  bool gather = false;
  uint32_t addr = 0, x = 0, y = 0;
  uint32_t addr_step = 0, x_step = 0, y_step = 0;
  uint32_t x_limit = 0, y_limit = 0;
  uint32_t fill = 0;
  uint32_t gather_base = 0, gather_stride = 0, gather_limit = 0;
};

struct StreamFault {
  arch::Fault cause;
  uint32_t address;
};

struct ByteWrite {
  uint32_t address;
  uint8_t value;
};

int ElementBytes(arch::LaneType type);
// Conversions by the host's arithmetic; `element` in the lower bits.
uint32_t LaneFromElement(arch::LaneType type, uint32_t element);
uint32_t ElementFromLane(arch::LaneType type, uint32_t lane);

class StreamModel {
 public:
  explicit StreamModel(const StreamSizes& sizes);

  // The lanes of an input group, or its fault.
  std::optional<StreamFault> Fetch(const StreamGroup& group, std::vector<uint32_t>* lanes) const;
  // The bytes that an output group writes, or its fault.
  std::optional<StreamFault> Write(const StreamGroup& group, const std::vector<uint32_t>& lanes,
                                   std::vector<ByteWrite>* writes) const;

  const StreamSizes sizes;
  std::vector<uint8_t> memory;
  std::vector<std::vector<uint32_t>> accumulators;  // per MXU, Cols values per row

 private:
  struct Row {
    uint32_t addr;
    std::vector<bool> inside;  // elements that are accessed where they are inside
    int64_t x;
    uint32_t y;
  };
  Row RowOf(const StreamGroup& group, int row) const;
  std::optional<StreamFault> Gather(const StreamGroup& group, Row* row) const;
  std::optional<StreamFault> Check(const StreamGroup& group, const Row& row) const;
  uint32_t Load(uint32_t address, int bytes) const;
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_VPU_STREAM_MODEL_H_
