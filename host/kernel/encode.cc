#include "host/kernel/encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace systolith::kernel {
namespace {

using Kind = Value::Kind;

// The constants of a kernel: numbers first, each once; behind them tables of lookup_entries each.
class Constants {
 public:
  Constants(const std::vector<Region>& regions, const Symbols& symbols) {
    std::map<uint32_t, uint32_t> tables;
    for (const Region& region : regions) {
      for (const Instruction& instruction : region.instructions) {
        for (const Value& operand : instruction.operands) {
          if (operand.kind == Kind::kConstant && !numbers_.contains(operand.index)) {
            numbers_[operand.index] = static_cast<uint32_t>(words_.size());
            words_.push_back(operand.index);
          }
          if (operand.kind == Kind::kTable) tables[operand.index] = 0;
        }
      }
    }
    for (auto& [table, first] : tables) {
      first = static_cast<uint32_t>(words_.size());
      last_named_ = first;
      words_.insert(words_.end(), symbols.tables[table].begin(), symbols.tables[table].end());
      words_.resize(first + arch::kLookupEntries);
    }
    if (tables.empty() && !words_.empty()) last_named_ = static_cast<uint32_t>(words_.size() - 1);
    tables_ = std::move(tables);
  }

  Status Check(const std::string& where) const {
    if (last_named_ < arch::kConstantWindow) return OkStatus();
    return Unsupported(fmt::format(
        "{}: the kernel has {} different numbers and {} tables of {} words; an operation can name "
        "{} words only: pass numbers as scalar words, keep them in shared registers, or split the "
        "kernel",
        where, numbers_.size(), tables_.size(), arch::kLookupEntries, arch::kConstantWindow));
  }
  uint32_t Place(const Value& value) const {
    return value.kind == Kind::kTable ? tables_.at(value.index) : numbers_.at(value.index);
  }
  const std::vector<uint32_t>& words() const { return words_; }

 private:
  std::vector<uint32_t> words_;
  std::map<uint32_t, uint32_t> numbers_, tables_;
  uint32_t last_named_ = 0;
};

// Encodes values and notes in the kernel what they use.
struct Encoder {
  const Constants& constants;
  const Schedule* schedule = nullptr;
  Kernel kernel = {};

  uint32_t Code(const Value& value) {
    switch (value.kind) {
      case Kind::kVariable: return schedule->registers[value.index];
      case Kind::kShared:
        kernel.shared_registers = std::max(kernel.shared_registers, value.index + 1);
        return arch::kOperandShared + value.index;
      case Kind::kInput:
        kernel.input_streams |= 1u << value.index;
        return arch::kOperandInput + value.index;
      case Kind::kOutput:
        kernel.output_streams |= 1u << value.index;
        return arch::kOperandOutput + value.index;
      case Kind::kScalar:
        kernel.scalars |= 1u << value.index;
        return arch::kOperandScalar + value.index;
      case Kind::kConstant:
      case Kind::kTable: return arch::kOperandConstant + constants.Place(value);
      case Kind::kNone: return 0;
    }
    return 0;
  }

  static uint32_t Step(const Instruction& instruction) {
    if (instruction.target.is_stream()) return instruction.target.step;
    for (const Value& operand : instruction.operands) {
      if (operand.is_stream()) return operand.step;
    }
    return 0;
  }

  void EncodeSlots(const Region& region, const BundlePlan& plan, arch::Bundle& bundle) {
    if (plan.a != BundlePlan::kEmpty) {
      const Instruction& i = region.instructions[plan.a];
      bundle.a_op = i.code;
      bundle.a_dst = Code(i.target);
      bundle.a_x = Code(i.operands[0]);
      bundle.a_y = Code(i.operands[1]);
      bundle.a_z = Code(i.operands[2]);
      bundle.a_step = Step(i);
    }
    if (plan.b != BundlePlan::kEmpty) {
      const Instruction& i = region.instructions[plan.b];
      bundle.b_op = i.code;
      bundle.b_dst = Code(i.target);
      bundle.b_x = Code(i.operands[0]);
      bundle.b_y = Code(i.operands[1]);
      bundle.b_z = Code(i.operands[2]);
      bundle.b_step = Step(i);
    }
    if (plan.lane != BundlePlan::kEmpty) {
      const Instruction& i = region.instructions[plan.lane];
      bundle.lane_op = i.code;
      bundle.lane_dst = Code(i.target);
      bundle.lane_x = Code(i.operands[0]);
      bundle.lane_y = Code(i.operands[1]);
      bundle.lane_z = Code(i.operands[2]);
    }
  }

  void EncodeRegion(const Region& region) {
    kernel.vector_registers = std::max(kernel.vector_registers, schedule->register_count);
    std::vector<BundlePlan> plans = schedule->bundles;
    if (plans.empty()) plans.emplace_back();  // a bundle that only exits
    for (size_t i = 0; i < plans.size(); ++i) {
      arch::Bundle bundle;
      EncodeSlots(region, plans[i], bundle);
      bundle.loop_start = plans[i].loop_start;
      bundle.loop_end = plans[i].loop_end;
      bundle.exit = i + 1 == plans.size() ? 1 : 0;
      std::array<uint32_t, arch::kBundleWords> words{};
      Encode(bundle, words);
      kernel.bundles.push_back(words);
      std::vector<Location> locations;
      for (const size_t n : {plans[i].a, plans[i].b, plans[i].lane}) {
        if (n != BundlePlan::kEmpty) locations.push_back(region.instructions[n].location);
      }
      kernel.sources.push_back(std::move(locations));
    }
    for (const Region::Loop& loop : region.loops) {
      kernel.first_loop = std::min(kernel.first_loop, loop.number);
    }
  }
};

}  // namespace

Result<Kernel> EncodeKernel(const std::string& name, const Location& location,
                            const std::vector<Region>& regions,
                            const std::vector<Schedule>& schedules, const Symbols& symbols) {
  const Constants constants(regions, symbols);
  RETURN_IF_ERROR(constants.Check(Where(name, location)));
  Encoder encoder = {constants};
  encoder.kernel.name = name;
  encoder.kernel.constants = constants.words();
  encoder.kernel.has_prologue = regions.size() > 1;
  for (size_t i = 0; i < regions.size(); ++i) {
    encoder.schedule = &schedules[i];
    encoder.kernel.body = static_cast<uint32_t>(encoder.kernel.bundles.size());
    encoder.EncodeRegion(regions[i]);
  }
  if (encoder.kernel.bundles.size() > arch::kKernelBundles) {
    return Unsupported(fmt::format(
        "{}: the kernel has {} bundles; kernel memory holds {}: unroll less, or split the kernel",
        Where(name, location), encoder.kernel.bundles.size(), arch::kKernelBundles));
  }
  return std::move(encoder.kernel);
}

}  // namespace systolith::kernel
