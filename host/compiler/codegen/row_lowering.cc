#include "host/compiler/codegen/row_lowering.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

#include "host/base/rounding.h"
#include "host/compiler/codegen/field_narrower.h"
#include "host/compiler/function_cost.h"

namespace systolith::compiler {
namespace {

constexpr size_t kStepStride = arch::kLoops;  // places in a stream's strides, behind the loops
constexpr size_t kSublaneStride = arch::kLoops + 1;
constexpr int64_t kRowAlignment = 8;  // elements
constexpr int64_t kSlots = 2;         // ALU slots of a bundle
constexpr int64_t kResultStream = arch::kInputStreams;

uint32_t Number(auto value) { return static_cast<uint32_t>(value); }

// A job whose loops are as few as possible. Operands: the result, x, the streams.
struct Rows {
  std::vector<int64_t> counts;
  int64_t length = 1;
  std::vector<RowOperand> operands;  // without x: streams follow the result
};

// Loops of which the outer one continues where the inner one ends become one.
void MergeLoops(Rows& rows) {
  const auto erase = [&](size_t loop) {
    const auto at = static_cast<std::ptrdiff_t>(loop);
    rows.counts.erase(rows.counts.begin() + at);
    for (RowOperand& o : rows.operands) o.strides.erase(o.strides.begin() + at);
  };
  for (size_t i = rows.counts.size(); i > 0; --i) {
    if (rows.counts[i - 1] == 1) erase(i - 1);
  }
  for (size_t i = rows.counts.size(); i > 1; --i) {
    const bool joins = std::all_of(rows.operands.begin(), rows.operands.end(), [&](const auto& o) {
      return o.strides[i - 2] == o.strides[i - 1] * rows.counts[i - 1];
    });
    if (!joins) continue;
    rows.counts[i - 1] *= rows.counts[i - 2];
    erase(i - 2);
  }
}

bool NeverMoves(const RowOperand& operand) {
  return operand.splat && std::all_of(operand.strides.begin(), operand.strides.end(),
                                      [](int64_t stride) { return stride == 0; });
}

// The same job with rows that follow one another joined, if every operand is dense or a single
// element. The padding behind short rows is computed, too.
std::optional<Rows> Flattened(Rows rows, bool writes_padding) {
  const auto is_single = [](const RowOperand& o) { return NeverMoves(o); };
  for (const RowOperand& o : rows.operands) {
    if (o.accumulator || (o.splat && !is_single(o))) return std::nullopt;
  }
  const int64_t padded = writes_padding ? RoundUp(rows.length, kRowAlignment) : rows.length;
  if (!rows.counts.empty()) {
    const int64_t pitch = rows.operands[0].strides.back() / LaneBytes(rows.operands[0].type);
    const bool joins = pitch >= rows.length && pitch <= padded &&
                       std::all_of(rows.operands.begin(), rows.operands.end(), [&](const auto& o) {
                         return is_single(o) || o.strides.back() == pitch * o.ElementStep();
                       });
    if (joins) {
      rows.length += (rows.counts.back() - 1) * pitch;
      rows.counts.pop_back();
      for (RowOperand& o : rows.operands) o.strides.pop_back();
    }
  }
  return rows;
}

// How a job is walked: `loop` is the one whose rows lie in the sublanes (kRows).
struct Walk {
  GroupShape shape = GroupShape::kRows;
  Rows rows;
  size_t loop = 0;
  int64_t groups = 0;
};

Walk ChooseWalk(const Rows& rows, const RowJob& job, int64_t lanes, int64_t sublanes) {
  const auto product = [](const Rows& r) {
    int64_t count = 1;
    for (const int64_t c : r.counts) count *= c;
    return count;
  };
  Walk best;
  best.groups = std::numeric_limits<int64_t>::max();
  const auto consider = [&](Walk walk) {
    if (walk.groups < best.groups) best = std::move(walk);
  };
  if (std::optional<Rows> flat = Flattened(rows, job.writes_padding);
      flat && !job.is_scattered) {
    const int64_t groups = CeilDivide(flat->length, lanes * sublanes) * product(*flat);
    consider({GroupShape::kFlat, std::move(*flat), 0, groups});
  }
  Rows in_rows = rows;
  if (in_rows.counts.empty()) {
    in_rows.counts.push_back(1);
    for (RowOperand& o : in_rows.operands) o.strides.push_back(0);
  }
  const int64_t chunks = CeilDivide(rows.length, lanes);
  for (size_t i = in_rows.counts.size(); i > 0; --i) {
    const int64_t count = in_rows.counts[i - 1];
    consider({GroupShape::kRows, in_rows, i - 1,
              product(in_rows) / count * CeilDivide(count, sublanes) * chunks});
  }
  if (chunks > 1) {
    consider({GroupShape::kChunks, rows, 0, product(rows) * CeilDivide(chunks, sublanes)});
  }
  return best;
}

// Writes streams and instruction for a walk.
class Lowering : private FieldNarrower {
 public:
  Lowering(const RowJob& job, const arch::ChipConfig& chip, int64_t max_groups)
      : job_(job),
        chip_(chip),
        lanes_(chip.Lanes()),
        sublanes_(chip.vpu_sublanes),
        max_groups_(max_groups) {}

  Result<LoweredJob> Run() {
    Rows rows{job_.counts, job_.length, {job_.result}};
    if (job_.x) rows.operands.push_back(*job_.x);
    rows.operands.insert(rows.operands.end(), job_.streams.begin(), job_.streams.end());
    MergeLoops(rows);
    walk_ = ChooseWalk(rows, job_, lanes_, sublanes_);
    lowered_.kernel.has_x = job_.x.has_value();
    std::iota(lowered_.kernel.inputs.begin(), lowered_.kernel.inputs.end(), 0);
    ChooseGroups();
    SetCounts();
    size_t operand = 0;
    SetStream(kResultStream, walk_.rows.operands[operand++]);
    if (job_.x) SetStream(0, walk_.rows.operands[operand++]);
    for (size_t s = 0; s < job_.streams.size(); ++s) {
      SetStream(static_cast<int64_t>(s) + 1, walk_.rows.operands[operand++]);
    }
    std::sort(lowered_.streams.begin(), lowered_.streams.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
    SetSteps();
    lowered_.vector.kernel_level = arch::kLoops;
    lowered_.vector.prologue_level = lowered_.kernel.shared != 0 ? 0 : arch::kNoLevel;
    RETURN_IF_ERROR(fault());
    return std::move(lowered_);
  }

 private:
  // One loop of the instruction: a loop of the job, or along the length of a row.
  struct Loop {
    int64_t count = 1;
    std::optional<size_t> of_job;  // its loop of the walk's rows
    int64_t rows = 0;              // of that loop per step
    int64_t elements = 0;          // along the row per step
  };

  // Elements of a row that a group covers.
  int64_t GroupElements() const {
    return walk_.shape == GroupShape::kRows ? lanes_ : lanes_ * sublanes_;
  }

  // Cycles in which the buffer's ports move a group.
  int64_t TransferCycles() const {
    int64_t read_bytes = 0, write_bytes = 0, rows = 0;
    for (size_t i = 0; i < walk_.rows.operands.size(); ++i) {
      const RowOperand& o = walk_.rows.operands[i];
      const int64_t bytes = lanes_ * sublanes_ * LaneBytes(o.type);
      if (i == 0) {
        write_bytes = bytes;
      } else if (o.accumulator) {
        rows += sublanes_;  // they come one by one
      } else if (!NeverMoves(o) && !o.is_iota) {
        read_bytes += bytes;
      }
    }
    const int64_t word = chip_.WordBytes();
    return std::max({CeilDivide(read_bytes, word * chip_.vpu_read_words) + rows,
                     CeilDivide(write_bytes, word * chip_.vpu_write_words)});
  }

  // Several groups in one instance keep both ALU slots busy where a group alone has a chain of
  // steps, each of which needs the last.
  void ChooseGroups() {
    const StepsCost cost = CostOfSteps(job_.steps, chip_);
    const int64_t slots = std::max<int64_t>(cost.slots, 1);
    const int64_t depth = std::max<int64_t>(cost.depth, 1);
    const int64_t along = GroupsAlongWalk();
    const int64_t transfer = TransferCycles() * walk_.groups;
    int64_t best = std::numeric_limits<int64_t>::max();
    for (int64_t groups = 1; groups <= max_groups_; groups *= 2) {
      // Groups side by side need registers each.
      if (groups > 1 && groups * cost.registers > arch::kVectorRegisters) break;
      const int64_t instances = walk_.groups / along * CeilDivide(along, groups);
      // Each group of an instance starts a bundle after the last: they read other stream steps.
      const int64_t bundles = std::max(CeilDivide(groups * slots, kSlots), depth + groups - 1);
      const int64_t cycles = std::max(
          transfer, CeilDivide(instances, arch::kVectorThreads) * arch::kVectorThreads * bundles);
      if (cycles >= best) continue;
      best = cycles;
      groups_ = groups;
    }
    lowered_.kernel.groups = Number(groups_);
  }
  // Of the loop that steps from group to group along the walk.
  int64_t GroupsAlongWalk() const {
    return walk_.shape == GroupShape::kRows
               ? CeilDivide(walk_.rows.counts[walk_.loop], sublanes_)
               : CeilDivide(walk_.rows.length, lanes_ * sublanes_);
  }

  void SetCounts() {
    const Rows& rows = walk_.rows;
    const bool in_rows = walk_.shape == GroupShape::kRows;
    for (size_t i = 0; i < rows.counts.size(); ++i) {
      const int64_t step = in_rows && i == walk_.loop ? sublanes_ * groups_ : 1;
      loops_.push_back({CeilDivide(rows.counts[i], step), i, step, 0});
    }
    const int64_t elements = GroupElements() * (in_rows ? 1 : groups_);
    loops_.push_back({CeilDivide(rows.length, elements), std::nullopt, 0, elements});
    std::erase_if(loops_, [](const Loop& loop) { return loop.count == 1; });
    assert(loops_.size() <= arch::kLoops);
    lowered_.vector.counts.fill(1);
    for (size_t i = 0; i < loops_.size(); ++i) {
      lowered_.vector.counts[Place(i)] = Unsigned(loops_[i].count);
    }
  }
  // The innermost loop is the last of the instruction.
  size_t Place(size_t loop) const { return arch::kLoops - loops_.size() + loop; }

  void SetStream(int64_t index, const RowOperand& operand) {
    arch::Stream stream;
    stream.index = Unsigned(index);
    stream.type = Number(operand.type);
    if (operand.accumulator) {
      stream.source = Number(arch::StreamSource::kAccumulator);
      stream.unit = Unsigned(*operand.accumulator);
    }
    const bool in_rows = walk_.shape == GroupShape::kRows;
    const int64_t element = operand.splat ? 0 : operand.ElementStep();
    const auto stride = [&](size_t loop) { return operand.strides[loop]; };
    const int64_t step_bytes =
        in_rows ? sublanes_ * stride(walk_.loop) : GroupElements() * element;
    bool is_fixed = step_bytes == 0 || groups_ == 1;
    if (groups_ > 1) {
      stream.strides[kStepStride] = Signed(step_bytes);
      (in_rows ? stream.y_steps : stream.x_steps)[kStepStride] =
          Signed(in_rows ? sublanes_ : GroupElements());
    }
    for (size_t i = 0; i < loops_.size(); ++i) {
      const Loop& loop = loops_[i];
      const int64_t bytes =
          (loop.of_job ? loop.rows * stride(*loop.of_job) : 0) + loop.elements * element;
      is_fixed = is_fixed && bytes == 0;
      stream.strides[Place(i)] = Signed(bytes);
      stream.x_steps[Place(i)] = Signed(loop.elements);
      if (in_rows && loop.of_job == walk_.loop) stream.y_steps[Place(i)] = Signed(loop.rows);
    }
    stream.x_limit = Unsigned(walk_.rows.length);
    stream.y_limit = 1;
    const bool is_input = index < kResultStream;
    if (walk_.shape == GroupShape::kFlat) {
      stream.flat = operand.splat ? 0 : 1;
    } else if (in_rows) {
      stream.strides[kSublaneStride] = Signed(stride(walk_.loop));
      stream.y_steps[kSublaneStride] = 1;
      stream.y_limit = Unsigned(walk_.rows.counts[walk_.loop]);
    } else {
      stream.strides[kSublaneStride] = Signed(lanes_ * element);
      stream.x_steps[kSublaneStride] = Signed(lanes_);
    }
    if (is_input && !operand.accumulator && stream.flat == 0) {
      const bool repeats = sublanes_ > 1 && stream.strides[kSublaneStride] == 0;
      const bool is_single = operand.splat || job_.is_scattered;
      stream.spread = Number(is_single ? (repeats ? arch::Spread::kBoth : arch::Spread::kLanes)
                                       : (repeats ? arch::Spread::kRows : arch::Spread::kNone));
    }
    if (!is_input && job_.is_scattered) stream.spread = Number(arch::Spread::kLanes);
    // A single element can't be spread over a dense stretch; the prologue can.
    const bool must_share = walk_.shape == GroupShape::kFlat && operand.splat;
    if (must_share || (is_fixed && index > 0 && is_input && !loops_.empty())) {
      lowered_.kernel.shared |= 1u << (index - 1);
      for (size_t i = 0; i < loops_.size(); ++i) {
        stream.x_steps[Place(i)] = stream.y_steps[Place(i)] = 0;
      }
      stream.x_steps[kStepStride] = stream.y_steps[kStepStride] = 0;
    }
    if (operand.is_iota) {
      MakeIota(stream, operand.base);
    } else {
      lowered_.vector.bases[static_cast<size_t>(index)] = Signed(operand.base);
    }
    lowered_.streams.push_back(stream);
  }

  // The unit's iota is the place along the row: strides become steps of that, without a limit.
  void MakeIota(arch::Stream& stream, int64_t base) {
    stream.source = Number(arch::StreamSource::kIota);
    stream.type = Number(arch::LaneType::kS32);
    stream.x_base = Signed(base);
    stream.x_steps = std::exchange(stream.strides, {});
    stream.y_steps = {};
    stream.x_limit = Number(std::numeric_limits<int32_t>::max());
  }

  void SetSteps() {
    std::vector<uint32_t> scalars;
    lowered_.kernel.SetSteps(job_.steps, scalars);
    std::copy(scalars.begin(), scalars.end(), lowered_.vector.scalars.begin());
  }

  const RowJob& job_;
  const arch::ChipConfig& chip_;
  const int64_t lanes_, sublanes_, max_groups_;
  Walk walk_;
  int64_t groups_ = 1;       // per instance
  std::vector<Loop> loops_;  // with more than one iteration
  LoweredJob lowered_;
};

}  // namespace

int64_t LaneBytes(arch::LaneType type) {
  switch (type) {
    case arch::LaneType::kF32:
    case arch::LaneType::kS32:
    case arch::LaneType::kU32: return 4;
    case arch::LaneType::kBf16:
    case arch::LaneType::kF16:
    case arch::LaneType::kS16:
    case arch::LaneType::kU16: return 2;
    case arch::LaneType::kS8:
    case arch::LaneType::kU8: return 1;
  }
  return 4;
}

int64_t RowOperand::ElementStep() const { return is_iota ? 1 : LaneBytes(type); }

Result<LoweredJob> LowerRowJob(const RowJob& job, const arch::ChipConfig& chip,
                               int64_t max_groups) {
  return Lowering(job, chip, max_groups).Run();
}

}  // namespace systolith::compiler
