#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "host/compiler/passes/host_fragment.h"
#include "host/compiler/passes/memory_report.h"
#include "host/compiler/passes/passes.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

using graph::Value;

constexpr uint64_t kAlignment = 256;  // of tensors in shared allocations: whole memory lines

uint64_t RoundUp(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// First and last group in which a value is used.
struct Lifetime {
  size_t first = 0, last = 0;
};

class Placer {
 public:
  explicit Placer(Compilation& compilation)
      : compilation_(compilation), executable_(compilation.executable) {
    graph::ForEachOp(compilation.function().body, [this](const graph::Op& op) {
      if (op.opcode == graph::Opcode::kConstant) {
        constants_[op.result()] = op.As<graph::ConstantAttributes>().value.get();
      }
    });
  }

  Status Run() {
    const graph::Function& function = compilation_.function();
    const std::vector<Value> arguments = function.arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      executable_.arguments.push_back(
          Add(arguments[i], isa::Home::kArgument, static_cast<uint32_t>(i), 0));
    }
    CollectLifetimes();
    PlaceResults(function.results());
    PlaceConstants();
    PlaceScratch();
    RETURN_IF_ERROR(CheckFits());
    for (const Value value : function.results()) {
      const Value base = BaseOf(value);
      if (!compilation_.tensors.contains(value)) {
        isa::Tensor tensor = executable_.tensors[compilation_.tensors.at(base)];
        tensor.dims = function.shape(value).dims;
        executable_.tensors.push_back(tensor);
        compilation_.tensors[value] = static_cast<uint32_t>(executable_.tensors.size() - 1);
      }
      executable_.results.push_back(compilation_.tensors.at(value));
    }
    return OkStatus();
  }

 private:
  Value BaseOf(Value value) const {
    const auto found = compilation_.same_storage.find(value);
    return found == compilation_.same_storage.end() ? value : found->second;
  }

  uint32_t Add(Value value, isa::Home home, uint32_t index, uint64_t offset) {
    const graph::Shape& shape = compilation_.function().shape(value);
    isa::Tensor tensor;
    tensor.element = graph::ElementTypeName(shape.type);
    tensor.dims = shape.dims;
    tensor.home = home;
    tensor.index = index;
    tensor.offset = offset;
    tensor.bytes = static_cast<uint64_t>(shape.ByteCount());
    executable_.tensors.push_back(tensor);
    const auto number = static_cast<uint32_t>(executable_.tensors.size() - 1);
    compilation_.tensors[value] = number;
    return number;
  }

  void Use(Value value) {
    if (!value.valid()) return;
    auto [found, inserted] = lifetimes_.insert({value, {now_, now_}});
    if (inserted) order_.push_back(value);
    found->second.last = now_;
    if (!loops_.empty()) loops_.back().used.push_back(value);
  }

  void NextMoment(const std::string& operation, int line) {
    ++now_;
    moments_.push_back(line > 0 ? fmt::format("{} (line {})", operation, line) : operation);
  }

  // One moment per kernel and per group of host operations.
  void CollectLifetimes() {
    const StoredValueFinder finder(compilation_);
    for (const Group& group : compilation_.groups) {
      if (const auto* chip = std::get_if<ChipGroup>(&group)) {
        UseSequence(chip->items);
        continue;
      }
      NextMoment("evaluator", 0);
      const Fragment fragment = MakeFragment(compilation_, finder, std::get<HostGroup>(group));
      for (const Value value : fragment.inputs) Use(value);
      for (const Value value : fragment.outputs) Use(value);
    }
  }

  void UseSequence(const Sequence& sequence) {
    for (const Item& item : sequence) {
      if (item.kind == Item::Kind::kKernel) {
        const Kernel& kernel = compilation_.kernels[item.index];
        NextMoment(kernel.operation, kernel.location.line);
        for (const Value value : kernel.Operands()) Use(value);
        Use(kernel.out.base);
        continue;
      }
      const Control& control = compilation_.controls[item.index];
      NextMoment(control.operation, control.location.line);
      if (const auto* loop = std::get_if<Loop>(&control.body)) {
        UseLoop(control, *loop);
        continue;
      }
      const auto& choice = std::get<Choice>(control.body);
      Use(choice.index.base);
      for (const Sequence& branch : choice.branches) UseSequence(branch);
    }
  }

  // What was there before the first turn is there in every turn.
  void UseLoop(const Control& control, const Loop& loop) {
    UseSequence(loop.entry);
    NextMoment(control.operation, control.location.line);
    loops_.push_back({now_, {}});
    UseSequence(loop.condition);
    Use(loop.predicate.base);
    UseSequence(loop.body);
    const LoopUses uses = std::move(loops_.back());
    loops_.pop_back();
    NextMoment(control.operation, control.location.line);
    for (const Value value : uses.used) {
      if (lifetimes_.at(value).first < uses.begin) Use(value);
    }
  }

  void PlaceResults(const std::vector<Value>& results) {
    for (size_t i = 0; i < results.size(); ++i) {
      const Value base = BaseOf(results[i]);
      if (constants_.contains(base)) {
        Use(base);
      } else if (!compilation_.tensors.contains(base)) {
        Add(base, isa::Home::kResult, static_cast<uint32_t>(i), 0);
      }
    }
  }

  void PlaceConstants() {
    for (const Value value : order_) {
      if (!constants_.contains(value)) continue;
      const uint64_t offset = RoundUp(executable_.constants.size());
      Add(value, isa::Home::kConstants, 0, offset);
      const auto bytes = constants_.at(value)->bytes();
      executable_.constants.resize(offset);
      executable_.constants.insert(executable_.constants.end(), bytes.begin(), bytes.end());
    }
  }

  // First fit among the values that are alive at the same time.
  void PlaceScratch() {
    struct Block {
      uint64_t begin, end;
      size_t last;
    };
    std::vector<Block> alive;  // by rising begin
    for (const Value value : order_) {
      if (compilation_.tensors.contains(value)) continue;
      const Lifetime lifetime = lifetimes_.at(value);
      std::erase_if(alive, [&](const Block& block) { return block.last < lifetime.first; });
      const auto shape_bytes =
          static_cast<uint64_t>(compilation_.function().shape(value).ByteCount());
      const uint64_t bytes = RoundUp(std::max<uint64_t>(shape_bytes, 1));
      uint64_t begin = 0;
      auto at = alive.begin();
      for (; at != alive.end() && at->begin < begin + bytes; ++at) begin = std::max(begin, at->end);
      alive.insert(std::upper_bound(alive.begin(), alive.end(), begin,
                                    [](uint64_t b, const Block& block) { return b < block.begin; }),
                   {begin, begin + bytes, lifetime.last});
      Add(value, isa::Home::kScratch, 0, begin);
      if (begin + bytes > executable_.scratch_bytes) {
        executable_.scratch_bytes = begin + bytes;
        peak_ = lifetime.first;
      }
    }
  }

  // Everything that a run needs at once: what does not move, and scratch memory at its peak.
  Status CheckFits() const {
    uint64_t needed = RoundUp(executable_.constants.size()) + executable_.scratch_bytes;
    std::vector<ResidentTensor> resident;
    for (const auto& [value, number] : compilation_.tensors) {
      const isa::Tensor& tensor = executable_.tensors[number];
      const bool is_scratch = tensor.home == isa::Home::kScratch;
      if (!is_scratch && tensor.home != isa::Home::kConstants) needed += RoundUp(tensor.bytes);
      const auto found = lifetimes_.find(value);
      if (is_scratch && (found->second.first > peak_ || found->second.last < peak_)) continue;
      ResidentTensor row{tensor.bytes, compilation_.function().shape(value).ToString(), "", ""};
      if (tensor.home == isa::Home::kArgument) {
        row.made_by = fmt::format("argument {}", tensor.index);
      } else if (tensor.home == isa::Home::kConstants) {
        row.made_by = "a constant";
      } else {
        row.made_by = found == lifetimes_.end() ? "nowhere" : moments_[found->second.first - 1];
        row.needed_until = is_scratch ? moments_[found->second.last - 1]
                                      : fmt::format("the end, as result {}", tensor.index);
      }
      resident.push_back(std::move(row));
    }
    if (needed <= static_cast<uint64_t>(compilation_.chip.memory_bytes)) return OkStatus();
    return OutOfMemory(compilation_.chip, needed,
                       peak_ == 0 ? "any time" : moments_[peak_ - 1], std::move(resident));
  }

  Compilation& compilation_;
  isa::Executable& executable_;
  std::map<Value, const graph::Literal*> constants_;
  std::map<Value, Lifetime> lifetimes_;
  std::vector<Value> order_;  // by first use
  size_t now_ = 0;                    // moments are numbered from 1
  std::vector<std::string> moments_;  // what happens
  size_t peak_ = 0;                   // when most scratch memory is in use
  struct LoopUses {
    size_t begin = 0;
    std::vector<Value> used;
  };
  std::vector<LoopUses> loops_;  // around this moment, the innermost last
};

}  // namespace

Status PlaceTensors(Compilation& compilation) { return Placer(compilation).Run(); }

}  // namespace systolith::compiler
