#include "host/tools/conformance/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <regex>

#include "host/compiler/compile.h"
#include "host/import/import.h"
#include "host/runtime/executable.h"

namespace systolith::tools {
namespace {

// Positions differ between programs that fail for one reason.
std::string WithoutPositions(const std::string& message) {
  static const std::regex position("^[^ ]*\\.mlir(:[0-9]+)*: |( at)? line [0-9]+|%[A-Za-z0-9_#]+");
  std::string text = std::regex_replace(message, position, "");
  constexpr size_t kMaxLength = 160;
  if (text.size() > kMaxLength) text = text.substr(0, kMaxLength) + "...";
  return text;
}

void AddReason(Outcome& outcome, std::string reason) {
  std::vector<std::string>& all = outcome.reasons;
  if (std::find(all.begin(), all.end(), reason) == all.end()) all.push_back(std::move(reason));
}

Outcome Refused(const std::string& phase, const Status& status) {
  Outcome outcome;
  outcome.standing =
      status.code() == StatusCode::kUnsupported ? Standing::kUnsupported : Standing::kWrong;
  AddReason(outcome, phase + WithoutPositions(status.message()));
  return outcome;
}

// The function becomes the one that runs.
void MakeEntry(graph::Module& module, const std::string& name) {
  for (graph::Function& function : module.functions) {
    if (function.name == name) {
      function.name = "main";
    } else if (function.name == "main") {
      function.name = "main.other";
    }
  }
}

Outcome Run(const Program& program, const std::shared_ptr<runtime::Device>& device, bool no_fold) {
  Result<graph::Module> module =
      import::ImportText(program.text, program.file, program.first_line);
  if (!module.ok()) {
    Outcome outcome = Refused("import: ", module.status());
    outcome.standing = Standing::kUnsupported;
    return outcome;
  }
  MakeEntry(*module, program.function);
  compiler::CompileOptions options;
  options.no_fold = no_fold;
  Result<isa::Executable> executable =
      compiler::Compile(std::move(*module), device->config(), options);
  if (!executable.ok()) return Refused("compile: ", executable.status());

  Outcome outcome;
  outcome.standing = Standing::kOnChip;
  for (const isa::OperationReport& operation : executable->operations) {
    if (operation.on_chip) continue;
    outcome.standing = Standing::kFallback;
    AddReason(outcome, operation.operation + ": " + WithoutPositions(operation.reason));
  }
  Result<std::shared_ptr<runtime::LoadedExecutable>> loaded =
      runtime::LoadedExecutable::Load(device, std::move(*executable));
  if (!loaded.ok()) return Refused("load: ", loaded.status());
  evaluator::EvalOptions evaluation;
  evaluation.default_precision = graph::Precision::kHighest;
  Result<runtime::Run> run = (*loaded)->Start({}, {.evaluation = evaluation});
  if (!run.ok()) return Refused("run: ", run.status());
  if (Status status = run->Wait(); !status.ok()) return Refused("run: ", status);
  Outcome wrong;
  if (run->checks().empty()) AddReason(wrong, "none of its checks ran");
  for (const evaluator::CheckResult& check : run->checks()) {
    if (!check.passed) AddReason(wrong, check.message);
  }
  return wrong.reasons.empty() ? outcome : wrong;
}

}  // namespace

const char* Name(Standing standing) {
  switch (standing) {
    case Standing::kOnChip: return "on_chip";
    case Standing::kFallback: return "fallback";
    case Standing::kUnsupported: return "unsupported";
    case Standing::kWrong: return "wrong";
  }
  return "";
}

Outcome RunProgram(const Program& program, const std::shared_ptr<runtime::Device>& device,
                   bool no_fold) {
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome = Run(program, device, no_fold);
  outcome.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace systolith::tools
