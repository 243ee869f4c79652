#include "tests/random_graphs/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/compiler/compile.h"
#include "host/graph/print.h"
#include "host/graph/verify.h"
#include "host/import/import.h"
#include "host/runtime/executable.h"
#include "host/tools/conformance/worker_pool.h"
#include "host/tools/random_input.h"
#include "host/tools/result_checks.h"

namespace systolith::testing {
namespace {

constexpr double kSeconds = 60;  // that one comparison may take

std::string Failure(const std::string& kind, const std::string& message) {
  std::string text = kind + ": " + message;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Result<std::shared_ptr<runtime::Device>> OpenDevice(const std::string& target,
                                                    const std::string& chip) {
  static std::map<std::string, std::shared_ptr<runtime::Device>> devices;
  std::shared_ptr<runtime::Device>& device = devices[target + " " + chip];
  if (device == nullptr) {
    ASSIGN_OR_RETURN(const arch::ChipConfig config, arch::LoadChipConfig(chip));
    ASSIGN_OR_RETURN(device, runtime::Device::Open(target, config));
  }
  return device;
}

Result<std::vector<graph::Literal>> Run(const isa::Executable& executable,
                                        const std::string& target, const Trial& trial,
                                        const std::vector<graph::Literal>& arguments) {
  ASSIGN_OR_RETURN(const auto device, OpenDevice(target, trial.chip));
  ASSIGN_OR_RETURN(const auto loaded, runtime::LoadedExecutable::Load(device, executable));
  evaluator::EvalOptions evaluation;
  evaluation.default_precision = trial.precision;
  return loaded->Call(arguments, {.evaluation = evaluation});
}

}  // namespace

std::string Compare(const graph::Module& original, const Trial& trial) {
  const std::string text = graph::Print(original);
  const Result<graph::Module> module = import::ImportText(text, "random.mlir");
  if (!module.ok()) return Failure("text", module.status().message());
  if (graph::Print(*module) != text) return Failure("text", "reads as another program");

  std::vector<graph::Literal> arguments;
  const graph::Function& entry = *module->Entry();
  for (size_t i = 0; i < entry.arguments().size(); ++i) {
    arguments.push_back(
        tools::RandomLiteral(entry.shape(entry.arguments()[i]), trial.input_seed, i));
  }
  const Result<arch::ChipConfig> chip = arch::LoadChipConfig(trial.chip);
  if (!chip.ok()) return Failure("chip", chip.status().message());
  compiler::CompileOptions options;
  options.f32_precision = trial.precision;
  options.no_fold = trial.no_fold;
  const Result<isa::Executable> executable = compiler::Compile(*module, *chip, options);
  if (!executable.ok()) return Failure("compile", executable.status().message());
  const auto results = Run(*executable, "golden", trial, arguments);
  if (!results.ok()) return Failure("run", results.status().message());
  const auto checks =
      tools::CheckAgainstEvaluator(*module, trial.precision, arguments, *results);
  if (!checks.ok()) return Failure("evaluator", checks.status().message());
  for (const tools::Check& check : *checks) {
    if (!check.passed) return Failure("result", check.name + ": " + check.message);
  }
  if (trial.target == "golden") return "";
  const auto verilated = Run(*executable, trial.target, trial, arguments);
  if (!verilated.ok()) return Failure(trial.target, verilated.status().message());
  for (size_t i = 0; i < results->size(); ++i) {
    const tools::Check check =
        tools::CompareBits(fmt::format("result {}", i), (*verilated)[i], (*results)[i]);
    if (!check.passed) return Failure(trial.target, check.message);
  }
  return "";
}

std::string CompareInChild(const graph::Module& module, const Trial& trial) {
  std::string failure;
  const auto start = [&]() -> Result<tools::Work> {
    return tools::Work([&](size_t) { return Compare(module, trial); });
  };
  const Status status =
      tools::DoInChildren(1, {.jobs = 1, .seconds = kSeconds}, start,
                          [&](size_t, const tools::Answer& answer) {
                            failure = answer.ok ? answer.text : Failure("crash", answer.text);
                          });
  return status.ok() ? failure : Failure("process", status.message());
}

std::string KindOf(const std::string& failure) { return failure.substr(0, failure.find(':')); }

std::string CommandFor(const Trial& trial, const std::string& file) {
  const char* precision = trial.precision == graph::Precision::kDefault ? "default"
                          : trial.precision == graph::Precision::kHigh  ? "high"
                                                                        : "highest";
  return fmt::format("systolith run {} --target {} --chip {} --seed {} --precision {}{} --check",
                     file, trial.target, trial.chip, trial.input_seed, precision,
                     trial.no_fold ? " --no-fold" : "");
}

}  // namespace systolith::testing
