#include "tests/end_to_end/golden_run.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "host/graph/rewrite.h"
#include "host/import/import.h"
#include "sim/golden/chip/chip.h"

namespace systolith::testing {
namespace {

constexpr uint64_t kGuardBytes = 256;
constexpr std::byte kUntouched{0xff};

using AllocationKey = std::pair<isa::Home, uint32_t>;
struct Allocation {
  uint64_t base = 0, bytes = 0;
};

graph::Shape ShapeOf(const isa::Tensor& tensor) {
  return {*graph::ElementTypeFromName(tensor.element), tensor.dims};
}

class Runner {
 public:
  Runner(const isa::Executable& executable, const arch::ChipConfig& config)
      : executable_(executable), chip_(config, true) {}

  Result<GoldenRun> Run(const std::vector<graph::Literal>& arguments) {
    for (const isa::Tensor& tensor : executable_.tensors) Place(tensor.home, tensor.index);
    Place(isa::Home::kScratch, 0);
    Place(isa::Home::kConstants, 0);
    if (next_ > static_cast<uint64_t>(chip_.state().config.memory_bytes)) {
      return InvalidArgument("the chip's memory is too small");
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      Write(executable_.tensors[executable_.arguments[i]], arguments[i]);
    }
    chip_.state().hbm.Write(allocations_[{isa::Home::kConstants, 0}].base, executable_.constants);
    for (const isa::Step& step : executable_.steps) {
      const auto* on_chip = std::get_if<isa::ChipStep>(&step);
      RETURN_IF_ERROR(on_chip != nullptr ? RunChip(*on_chip)
                                         : RunHost(std::get<isa::HostStep>(step)));
    }
    RETURN_IF_ERROR(CheckGuards());
    for (const uint32_t result : executable_.results) {
      run_.results.push_back(Read(executable_.tensors[result]));
    }
    return std::move(run_);
  }

 private:
  static AllocationKey KeyOf(isa::Home home, uint32_t index) {
    const bool is_shared = home == isa::Home::kScratch || home == isa::Home::kConstants;
    return {home, is_shared ? 0 : index};
  }

  void Place(isa::Home home, uint32_t index) {
    const AllocationKey key = KeyOf(home, index);
    if (allocations_.contains(key)) return;
    const uint64_t bytes = executable_.AllocationBytes(home, index);
    next_ += kGuardBytes;
    allocations_[key] = {next_, bytes};
    const std::vector<std::byte> fill(bytes + 2 * kGuardBytes, kUntouched);
    chip_.state().hbm.Write(next_ - kGuardBytes, fill);
    next_ = (next_ + bytes + 2 * kGuardBytes) / kGuardBytes * kGuardBytes;
  }

  Status CheckGuards() const {
    for (const auto& [key, allocation] : allocations_) {
      for (const uint64_t at :
           {allocation.base - kGuardBytes, allocation.base + allocation.bytes}) {
        std::vector<std::byte> guard(kGuardBytes / 2);
        chip_.state().hbm.Read(at + (at < allocation.base ? kGuardBytes / 2 : 0), guard);
        for (const std::byte byte : guard) {
          if (byte != kUntouched) return WrongResult("bytes beside an allocation were written");
        }
      }
    }
    return OkStatus();
  }

  uint64_t AddressOf(const isa::Tensor& tensor) const {
    return allocations_.at(KeyOf(tensor.home, tensor.index)).base + tensor.offset;
  }
  void Write(const isa::Tensor& tensor, const graph::Literal& literal) {
    chip_.state().hbm.Write(AddressOf(tensor), literal.bytes());
  }
  graph::Literal Read(const isa::Tensor& tensor) const {
    graph::Literal literal(ShapeOf(tensor));
    chip_.state().hbm.Read(AddressOf(tensor), literal.bytes());
    return literal;
  }

  Status RunChip(const isa::ChipStep& step) {
    const uint64_t base = (next_ + 4095) / 4096 * 4096;
    chip_.state().hbm.Write(base, std::as_bytes(std::span(step.program.words)));
    chip_.state().segments = {};
    for (size_t i = 0; i < step.segments.size(); ++i) {
      const isa::SegmentBinding& binding = step.segments[i];
      const Allocation& allocation = allocations_.at(KeyOf(binding.home, binding.index));
      chip_.state().segments[i] = {allocation.base, allocation.bytes, binding.readable,
                                   binding.writable};
    }
    chip_.Start(base, step.program.bytes());
    golden::Chip::Outcome outcome;
    do {
      outcome = chip_.Work(8);
    } while (outcome == golden::Chip::Outcome::kWorking);
    if (!chip_.violation().empty()) return DeviceFault(chip_.violation());
    if (outcome != golden::Chip::Outcome::kCompleted) {
      const golden::FaultRecord fault = chip_.fault();
      return DeviceFault(fmt::format("fault {} at pc {:#x} address {:#x}", Name(fault.cause),
                                     fault.pc, fault.address));
    }
    return OkStatus();
  }

  Status RunHost(const isa::HostStep& step) {
    ASSIGN_OR_RETURN(const graph::Module module, import::ImportText(step.module_text, "fragment"));
    std::vector<graph::Literal> inputs;
    for (const uint32_t input : step.inputs) inputs.push_back(Read(executable_.tensors[input]));
    evaluator::EvalReport report;
    ASSIGN_OR_RETURN(const std::vector<graph::Literal> outputs,
                     evaluator::Evaluate(module, inputs, {}, &report));
    run_.checks.insert(run_.checks.end(), report.checks.begin(), report.checks.end());
    for (size_t i = 0; i < outputs.size(); ++i) {
      Write(executable_.tensors[step.outputs[i]], outputs[i]);
    }
    return OkStatus();
  }

  const isa::Executable& executable_;
  golden::Chip chip_;
  std::map<AllocationKey, Allocation> allocations_;
  uint64_t next_ = 4096;
  GoldenRun run_;
};

// log2 of the error allowed per sum of |a*b|. HIGH drops the products below 2^-16, and the third
// byte of each operand with them.
int ErrorExponent(graph::Precision precision) {
  return precision == graph::Precision::kHigh ? -13 : -20;
}

// One unit in the last place of a result of that magnitude.
double Ulp(graph::ElementType type, double value) {
  const int bits = type == graph::ElementType::kBF16 ? 8 : 24;
  if (value == 0.0) return std::ldexp(1.0, -126 - bits + 1);
  return std::ldexp(1.0, std::max(std::ilogb(value), -126) - bits + 1);
}

}  // namespace

Result<GoldenRun> RunOnGolden(const isa::Executable& executable, const arch::ChipConfig& chip,
                              const std::vector<graph::Literal>& arguments) {
  return Runner(executable, chip).Run(arguments);
}

arch::ChipConfig ArrayChip(int64_t size, int64_t mxu_count, int64_t buffer_bytes,
                           int64_t accumulator_rows) {
  arch::ChipConfig chip;
  chip.name = fmt::format("array{}", size);
  chip.mxu_rows = chip.mxu_cols = size;
  chip.mxu_count = mxu_count;
  chip.mxu_accumulator_rows = accumulator_rows;
  chip.buffer_bytes = buffer_bytes;
  chip.vpu_sublanes = size <= 8 ? 2 : size <= 16 ? 4 : size <= 64 ? 1 : 8;
  return chip;
}

graph::Literal RandomLiteral(const graph::Shape& shape, std::mt19937& rng) {
  graph::Literal literal(shape);
  std::normal_distribution<double> normal;
  for (int64_t i = 0; i < literal.size(); ++i) {
    if (graph::IsFloat(shape.type)) {
      literal.SetDouble(i, normal(rng));
    } else {
      literal.SetInt(i, static_cast<int64_t>(rng()));
    }
  }
  return literal;
}

graph::Literal SmallIntegers(const graph::Shape& shape, std::mt19937& rng) {
  graph::Literal literal(shape);
  for (int64_t i = 0; i < literal.size(); ++i) {
    literal.SetInt(i, static_cast<int64_t>(rng() % 15) - 7);
  }
  return literal;
}

std::vector<graph::Shape> ArgumentShapes(const graph::Module& module) {
  std::vector<graph::Shape> shapes;
  for (const graph::Value argument : module.Entry()->arguments()) {
    shapes.push_back(module.Entry()->shape(argument));
  }
  return shapes;
}

std::string CompareWithEvaluator(const graph::Module& module,
                                 const std::vector<graph::Literal>& arguments,
                                 const std::vector<graph::Literal>& results,
                                 graph::Precision f32_precision) {
  evaluator::EvalOptions options;
  options.default_precision = f32_precision;
  options.keep_magnitudes = true;
  evaluator::EvalReport report;
  graph::Module inlined = module;
  if (Status status = graph::InlineCalls(inlined); !status.ok()) return status.message();
  Result<std::vector<graph::Literal>> expected =
      evaluator::Evaluate(inlined, arguments, options, &report);
  if (!expected.ok()) return expected.status().message();
  for (size_t r = 0; r < expected->size(); ++r) {
    const graph::Literal& want = (*expected)[r];
    const graph::Literal& got = results[r];
    if (want.shape() != got.shape()) return "another shape";
    const auto magnitudes = report.magnitudes.find(inlined.Entry()->results()[r].id);
    for (int64_t i = 0; i < want.size(); ++i) {
      double error = 0.0, allowed = 0.0;
      if (graph::IsFloat(want.type())) {
        const double a = want.GetDouble(i);
        const double b = got.GetDouble(i);
        if (std::isnan(a) && std::isnan(b)) continue;
        if (a == b) continue;
        error = std::fabs(a - b);
        allowed = Ulp(want.type(), a);
        if (magnitudes != report.magnitudes.end()) {
          allowed += std::ldexp(magnitudes->second[static_cast<size_t>(i)],
                                ErrorExponent(f32_precision));
        }
      } else {
        error = want.GetInt(i) == got.GetInt(i) ? 0.0 : 1.0;
      }
      if (!(error <= allowed)) {
        return fmt::format("result {} element {}: {} instead of {}, allowed error {}", r, i,
                           got.ElementToString(i), want.ElementToString(i), allowed);
      }
    }
  }
  return "";
}

}  // namespace systolith::testing
