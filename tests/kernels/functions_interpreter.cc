#include "tests/kernels/functions_interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/arch/chip_config.h"
#include "host/kernel/assemble.h"
#include "sim/golden/float/lane_operations.h"

namespace systolith::testing {
namespace {

constexpr uint32_t kNoValue = ~uint32_t{0};

}  // namespace

Result<FunctionKernel> FunctionKernel::Make(const std::string& invocation, int arguments) {
  std::string source = "kernel one_function()\n  body\n    y = " + invocation;
  for (int i = 0; i < arguments; ++i) source += fmt::format("{} in{}", i == 0 ? "" : ",", i);
  source += "\n    out0 = copy y\n  end\nend\n";
  FunctionKernel result;
  ASSIGN_OR_RETURN(result.kernel_, kernel::Assemble(source, "one_function", {}, {}, invocation));
  RETURN_IF_ERROR(result.Decode());
  return result;
}

uint32_t FunctionKernel::NewValue() {
  values_.emplace_back(kBlock);
  return static_cast<uint32_t>(values_.size() - 1);
}

Status FunctionKernel::Decode() {
  for (const uint32_t constant : kernel_.constants) {
    constant_values_.push_back(NewValue());
    std::fill(values_.back().begin(), values_.back().end(), constant);
  }
  std::vector<uint32_t> registers(arch::kVectorRegisters, kNoValue);
  for (size_t i = kernel_.body; i < kernel_.bundles.size(); ++i) {
    const arch::Bundle bundle = arch::DecodeBundle(kernel_.bundles[i]);
    if (bundle.lane_op != 0 || bundle.loop_start != 0 || bundle.loop_end != 0) {
      return Unsupported("a function with lane operations or loops");
    }
    std::vector<uint32_t> next = registers;
    const uint32_t a[3] = {bundle.a_x, bundle.a_y, bundle.a_z};
    const uint32_t b[3] = {bundle.b_x, bundle.b_y, bundle.b_z};
    RETURN_IF_ERROR(DecodeSlot(static_cast<arch::AluOp>(bundle.a_op), bundle.a_dst, a, registers,
                               next));
    RETURN_IF_ERROR(DecodeSlot(static_cast<arch::AluOp>(bundle.b_op), bundle.b_dst, b, registers,
                               next));
    registers = std::move(next);
    if (bundle.exit != 0) return OkStatus();
  }
  return Internal("a kernel without an exit");
}

Status FunctionKernel::DecodeSlot(arch::AluOp op, uint32_t destination, const uint32_t* codes,
                                  const std::vector<uint32_t>& registers,
                                  std::vector<uint32_t>& next) {
  if (op == arch::AluOp::kNone) return OkStatus();
  Step step;
  step.op = op;
  for (uint32_t i = 0; i < kernel::Info(op).sources; ++i) {
    const uint32_t code = codes[i];
    Place& place = step.operands[i];
    if (code < arch::kOperandShared) {
      place = {Place::Kind::kValue, registers[code]};
      if (place.index == kNoValue) return Internal(fmt::format("v{} is read undefined", code));
    } else if (code >= arch::kOperandConstant) {
      const uint32_t constant = code - arch::kOperandConstant;
      if (op == arch::AluOp::kLookup && i == 1) {
        step.table = constant;
      } else {
        place = {Place::Kind::kValue, constant_values_.at(constant)};
      }
    } else if (code >= arch::kOperandInput && code < arch::kOperandOutput) {
      place = {Place::Kind::kInput, code - arch::kOperandInput};
    } else {
      return Unsupported(fmt::format("operand code {} in a function", code));
    }
  }
  if (destination < arch::kOperandShared) {
    next[destination] = NewValue();
    step.result = {Place::Kind::kValue, next[destination]};
  } else if (destination == arch::kOperandOutput) {
    step.result = {Place::Kind::kOutput, 0};
  } else {
    return Unsupported(fmt::format("destination code {} in a function", destination));
  }
  steps_.push_back(step);
  return OkStatus();
}

void FunctionKernel::RunBlock(const uint32_t* const* inputs, uint32_t* output, size_t count) {
  for (const Step& step : steps_) {
    const uint32_t* operands[3] = {};
    for (int i = 0; i < 3; ++i) {
      const Place& place = step.operands[i];
      if (place.kind == Place::Kind::kValue) operands[i] = values_[place.index].data();
      if (place.kind == Place::Kind::kInput) operands[i] = inputs[place.index];
    }
    uint32_t* const result =
        step.result.kind == Place::Kind::kOutput ? output : values_[step.result.index].data();
    if (step.op == arch::AluOp::kLookup) {
      const uint32_t* const table = kernel_.constants.data() + step.table;
      for (size_t i = 0; i < count; ++i) {
        result[i] = table[operands[0][i] % arch::kLookupEntries];
      }
    } else {
      golden::EvaluateAluOnLanes(step.op, operands[0], operands[1], operands[2], result, count);
    }
  }
}

void FunctionKernel::Run(std::span<const std::span<const uint32_t>> inputs,
                         std::span<uint32_t> output) {
  for (size_t first = 0; first < output.size(); first += kBlock) {
    const uint32_t* block[arch::kInputStreams] = {};
    for (size_t i = 0; i < inputs.size(); ++i) block[i] = inputs[i].data() + first;
    RunBlock(block, output.data() + first, std::min(kBlock, output.size() - first));
  }
}

}  // namespace systolith::testing
