#include "tb/vpu/vector_model.h"

#include <algorithm>

#include "tb/vpu/lane_model.h"

namespace systolith::tb {
namespace {

using arch::Fault;
using arch::LaneType;
using arch::Vector;

struct Wait {
  uint32_t valid, flag, level, target, step;
};

std::array<Wait, 4> WaitsOf(const Vector& v) {
  return {{{v.wait0_valid, v.wait0_flag, v.wait0_level, v.wait0_target, v.wait0_step},
           {v.wait1_valid, v.wait1_flag, v.wait1_level, v.wait1_target, v.wait1_step},
           {v.wait2_valid, v.wait2_flag, v.wait2_level, v.wait2_target, v.wait2_step},
           {v.wait3_valid, v.wait3_flag, v.wait3_level, v.wait3_target, v.wait3_step}}};
}

uint32_t At(uint32_t base, const std::array<int32_t, 6>& strides,
            const std::array<uint32_t, 6>& index) {
  for (int l = 0; l < 6; ++l) base += index[l] * static_cast<uint32_t>(strides[l]);
  return base;
}

}  // namespace

VectorModel::VectorModel(const VectorSizes& sizes)
    : memory(sizes.buffer_bytes),
      accumulators(sizes.mxus, std::vector(sizes.accumulator_rows,
                                           std::vector<uint32_t>(sizes.cols))),
      sizes_(sizes) {}

std::optional<VectorFault> VectorModel::CheckRow(uint32_t address, LaneType type,
                                                 int64_t count) const {
  if (address % (8 * ElementBytes(type)) != 0) return VectorFault{Fault::kMisaligned, address};
  if (address >= sizes_.buffer_bytes) return VectorFault{Fault::kBufferRange, address};
  if (address + count * ElementBytes(type) > sizes_.buffer_bytes) {
    return VectorFault{Fault::kBufferRange, sizes_.buffer_bytes};
  }
  return std::nullopt;
}

std::optional<VectorFault> VectorModel::Run(const Vector& v) {
  const bool is_sync = v.opcode == static_cast<uint32_t>(arch::Opcode::kSync);
  std::array<uint32_t, 6> counts = v.counts;
  if (is_sync) counts.fill(1);
  std::array<Wait, 4> waits = WaitsOf(v);
  const size_t writes_before = writes.size();
  std::array<uint32_t, 6> index{};
  while (true) {
    // An iteration of level L starts here if all loops from L on are at their first iteration.
    int first_level = 6, last_level = 6;
    while (first_level > 0 && index[first_level - 1] == 0) --first_level;
    while (last_level > 0 && index[last_level - 1] == counts[last_level - 1] - 1) --last_level;

    std::vector<FlagNeed> needs;
    for (Wait& wait : waits) {
      if (wait.valid == 0 || static_cast<int>(wait.level) < first_level) continue;
      needs.push_back({wait.flag, static_cast<uint16_t>(wait.target)});
      wait.target += wait.step;
    }
    if (is_sync) {
      writes.push_back({});
    } else if (const auto fault = Iterate(v, index, needs, writes_before)) {
      return fault;
    }

    Signal signal;
    signal.writes_before = writes.size();
    if (v.signal0_valid != 0 && static_cast<int>(v.signal0_level) >= last_level) {
      signal.flags[0] = v.signal0_flag;
    }
    if (v.signal1_valid != 0 && static_cast<int>(v.signal1_level) >= last_level) {
      signal.flags[1] = v.signal1_flag;
    }
    if (signal.flags[0] || signal.flags[1]) signals.push_back(signal);

    int loop = 5;
    while (loop >= 0 && ++index[loop] == counts[loop]) index[loop--] = 0;
    if (loop < 0) return std::nullopt;
  }
}

std::optional<VectorFault> VectorModel::Iterate(const Vector& v,
                                                const std::array<uint32_t, 6>& index,
                                                const std::vector<FlagNeed>& needs,
                                                size_t writes_before) {
  int64_t count = v.length_limit;
  if (v.length_level != 7) count -= int64_t{index[v.length_level]} * sizes_.lanes;
  count = std::min<int64_t>(count, sizes_.lanes);
  if (count <= 0) {
    writes.push_back({});
    return std::nullopt;
  }
  const int64_t padded = (count + 7) / 8 * 8;

  std::array<std::vector<uint32_t>, 3> operands;  // x, y, z
  for (auto& lanes : operands) lanes.assign(sizes_.lanes, 0);
  const auto read = [&](int port, uint32_t address, uint32_t type_field,
                        bool splat) -> std::optional<VectorFault> {
    const auto type = static_cast<LaneType>(type_field);
    const int64_t elements = splat ? 8 : padded;
    if (const auto fault = CheckRow(address, type, elements)) return fault;
    const int size = ElementBytes(type);
    windows[port].push_back({.address = address, .bytes = static_cast<uint32_t>(elements * size),
                             .needs = needs, .writes_before = writes_before});
    for (int64_t i = 0; i < count; ++i) {
      uint32_t element = 0;
      for (int b = 0; b < size; ++b) {
        element |= uint32_t{memory[address + (splat ? 0 : i) * size + b]} << (8 * b);
      }
      operands[port][i] = LaneFromElement(type, element);
    }
    return std::nullopt;
  };

  const uint32_t x_address = At(v.x_base, v.x_strides, index);
  if (v.x_source == static_cast<uint32_t>(arch::XSource::kBuffer)) {
    if (const auto fault = read(0, x_address, v.x_type, false)) return fault;
  } else if (v.x_source == static_cast<uint32_t>(arch::XSource::kAccumulator)) {
    if (x_address >= static_cast<uint32_t>(sizes_.accumulator_rows)) {
      return VectorFault{Fault::kAccumulatorRange, x_address};
    }
    drains.push_back({.unit = v.x_unit, .row = x_address, .needs = needs,
                      .writes_before = writes_before});
    for (int c = 0; c < sizes_.cols; ++c) operands[0][c] = accumulators[v.x_unit][x_address][c];
  }
  if (v.y_used != 0) {
    const auto fault = read(1, At(v.y_base, v.y_strides, index), v.y_type, v.y_splat != 0);
    if (fault) return fault;
  }
  if (v.z_used != 0) {
    const auto fault = read(2, At(v.z_base, v.z_strides, index), v.z_type, v.z_splat != 0);
    if (fault) return fault;
  }

  std::vector<uint32_t>& x = operands[0];
  for (uint32_t s = 0; s < v.op_count; ++s) {
    const auto op = static_cast<arch::VectorOp>(v.ops[s] & 0xff);
    const uint32_t operand = v.ops[s] >> 8 & 0xf;
    for (int64_t i = 0; i < count; ++i) {
      const uint32_t value = operand == 0   ? 0
                             : operand <= 2 ? operands[operand][i]
                                            : v.immediates[operand - 4];
      x[i] = LaneStep(op, x[i], value);
    }
  }

  const auto out_type = static_cast<LaneType>(v.out_type);
  RowWrite write{.address = At(v.out_base, v.out_strides, index), .bytes = {}};
  if (const auto fault = CheckRow(write.address, out_type, padded)) return fault;
  for (int64_t i = 0; i < padded; ++i) {
    const uint32_t element = i < count ? ElementFromLane(out_type, x[i]) : 0;
    for (int b = 0; b < ElementBytes(out_type); ++b) {
      write.bytes.push_back(static_cast<uint8_t>(element >> (8 * b)));
    }
  }
  std::copy(write.bytes.begin(), write.bytes.end(), memory.begin() + write.address);
  writes.push_back(std::move(write));
  return std::nullopt;
}

}  // namespace systolith::tb
