#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <regex>
#include <set>

#include "host/graph/print.h"
#include "host/graph/rewrite.h"
#include "host/graph/verify.h"
#include "host/import/import.h"
#include "tests/random_graphs/trial.h"

namespace systolith::testing {
namespace {

using graph::Function;
using graph::Module;
using graph::Op;
using graph::Opcode;
using graph::Value;

// Operations and arguments that nobody needs are dropped.
void DropUnused(Function& function) {
  for (;;) {
    const size_t before = function.body.ops.size();
    graph::EraseDeadOps(function);
    if (function.body.ops.size() == before) break;
  }
  std::set<Value> used;
  graph::ForEachOp(function.body, [&](const Op& op) {
    used.insert(op.operands.begin(), op.operands.end());
  });
  std::erase_if(function.body.arguments, [&](Value value) { return !used.contains(value); });
}

class Minimiser {
 public:
  Minimiser(Module module, const Trial& trial, const std::string& failure)
      : best_(std::move(module)), trial_(trial), kind_(KindOf(failure)) {}

  Module Run() {
    for (bool smaller = true; smaller;) {
      smaller = false;
      smaller |= KeepOneResult();
      smaller |= CutOperations();
      smaller |= ShrinkDimensions();
    }
    return best_;
  }

 private:
  bool Try(const Module& candidate) {
    if (!graph::Verify(candidate).ok()) return false;
    if (KindOf(CompareInChild(candidate, trial_)) != kind_) return false;
    best_ = candidate;
    return true;
  }

  bool KeepOneResult() {
    const size_t count = best_.Entry()->results().size();
    for (size_t i = 0; count > 1 && i < count; ++i) {
      Module candidate = best_;
      Function& function = *candidate.Entry();
      function.body.ops.back().operands = {function.results()[i]};
      DropUnused(function);
      if (Try(candidate)) return true;
    }
    return false;
  }

  // An operation's results become arguments, or one of its operands; a result of the program moves
  // up to its operands.
  bool CutOperations() {
    bool any = false;
    for (size_t i = best_.Entry()->body.ops.size(); i-- > 0;) {
      if (i + 1 >= best_.Entry()->body.ops.size()) continue;
      any |= CutOperation(i);
    }
    return any;
  }

  bool CutOperation(size_t i) {
    const Op op = best_.Entry()->body.ops[i];
    const auto with = [&](const std::function<void(Function&)>& change) {
      Module candidate = best_;
      change(*candidate.Entry());
      DropUnused(*candidate.Entry());
      return candidate.Entry()->body.ops.size() < best_.Entry()->body.ops.size() && Try(candidate);
    };
    if (with([&](Function& function) {
          for (const Value result : op.results) function.body.arguments.push_back(result);
          function.body.ops.erase(function.body.ops.begin() + static_cast<std::ptrdiff_t>(i));
        })) {
      return true;
    }
    for (const Value operand : op.operands) {
      for (const Value result : op.results) {
        if (best_.Entry()->shape(operand) != best_.Entry()->shape(result)) continue;
        if (with([&](Function& function) {
              graph::ReplaceAllUses(function.body, result, operand);
            })) {
          return true;
        }
      }
    }
    const auto& results = best_.Entry()->results();
    const bool is_result = std::any_of(op.results.begin(), op.results.end(), [&](Value value) {
      return std::find(results.begin(), results.end(), value) != results.end();
    });
    if (!is_result || op.operands.empty()) return false;
    return with([&](Function& function) {
      std::vector<Value>& returned = function.body.ops.back().operands;
      std::erase_if(returned, [&](Value value) {
        return std::find(op.results.begin(), op.results.end(), value) != op.results.end();
      });
      returned.insert(returned.end(), op.operands.begin(), op.operands.end());
    });
  }

  // A dimension's size is replaced wherever it stands in the text; what is no program any more is
  // none.
  bool ShrinkDimensions() {
    const std::string text = graph::Print(best_);
    std::set<int64_t, std::greater<>> sizes;
    static const std::regex dimension("([0-9]+)x");
    for (std::sregex_iterator match(text.begin(), text.end(), dimension), end; match != end;
         ++match) {
      sizes.insert(std::stoll((*match)[1].str()));
    }
    for (const int64_t size : sizes) {
      for (const int64_t smaller : {int64_t{1}, int64_t{2}, size / 2, size - 1}) {
        if (smaller >= size || smaller < 1) continue;
        for (const bool everywhere : {false, true}) {
          const std::regex from(everywhere ? fmt::format("\\b{}(?=x|\\b)", size)
                                           : fmt::format("\\b{}(?=x)", size));
          const std::string changed = std::regex_replace(text, from, std::to_string(smaller));
          const Result<Module> candidate = import::ImportText(changed, "random.mlir");
          if (candidate.ok() && Try(*candidate)) return true;
        }
      }
    }
    return false;
  }

  Module best_;
  const Trial trial_;
  const std::string kind_;
};

}  // namespace

Module Minimise(const Module& module, const Trial& trial, const std::string& failure) {
  return Minimiser(module, trial, failure).Run();
}

}  // namespace systolith::testing
