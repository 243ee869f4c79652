// A kernel whose result is only copied to another place writes there itself, where its strides
// allow it. So concatenate, pad and transposes of results cost no pass through memory.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "host/compiler/passes/passes.h"
#include "host/compiler/passes/planner.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

using graph::Value;

class Forwarder {
 public:
  explicit Forwarder(Compilation& compilation)
      : compilation_(compilation), definitions_(graph::Definitions(compilation.function())) {}

  void Run() {
    std::vector<Kernel>& kernels = compilation_.kernels;
    for (size_t i = 0; i < kernels.size(); ++i) {
      writers_[kernels[i].out.base].push_back(i);
      for (const Value value : kernels[i].Operands()) ++readers_[value];
    }
    for (const Value value : compilation_.function().results()) Pin(value);
    for (const HostOperation& host : compilation_.host_operations) {
      for (const Value operand : host.op.operands) Pin(operand);
      for (const Value value : graph::Captures(host.op)) Pin(value);
    }
    // From the last on, so that a result goes to the end of a row of copies at once.
    std::set<size_t> erased;
    for (size_t i = kernels.size(); i > 0; --i) {
      if (Forward(kernels[i - 1])) erased.insert(i - 1);
    }
    size_t kept = 0;
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (erased.contains(i)) continue;
      if (kept != i) kernels[kept] = std::move(kernels[i]);
      ++kept;
    }
    kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(kept), kernels.end());
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const Kernel& a, const Kernel& b) { return a.position < b.position; });
  }

 private:
  // The value stays stored, or what it is a view of does.
  void Pin(Value value) {
    if (!pinned_.insert(value).second || writers_.contains(value)) return;
    const graph::Op* definition = definitions_[static_cast<size_t>(value.id)];
    if (definition == nullptr) return;
    for (const Value operand : definition->operands) Pin(operand);
  }

  // Whether nobody needs the copy any more.
  bool Forward(const Kernel& copy) {
    if (!std::holds_alternative<Copy>(copy.body)) return false;
    const View& from = std::get<Copy>(copy.body).x;
    const auto writers = writers_.find(from.base);
    if (writers == writers_.end() || readers_[from.base] != 1 || pinned_.contains(from.base)) {
      return false;
    }
    if (writers->second.size() != 1) return Rename(copy, writers->second);
    Kernel& producer = compilation_.kernels[writers->second[0]];
    const graph::Shape& stored = compilation_.function().shape(from.base);
    if (producer.out != View::Dense(from.base, stored)) return false;
    if (from.type != stored.type) return false;  // the producer would convert its result
    const std::optional<View> out = Redirect(stored.dims, from, copy.out);
    if (!out || !Accept(producer, *out)) return false;
    producer.out = *out;
    producer.position = copy.position;  // it keeps the copy's place among the writers
    std::vector<size_t>& others = writers_[out->base];
    std::replace(others.begin(), others.end(), IndexOf(copy), writers->second[0]);
    return true;
  }

  // What several kernels make is copied as a whole.
  bool Rename(const Kernel& copy, const std::vector<size_t>& writers) {
    const View& from = std::get<Copy>(copy.body).x;
    const graph::Function& function = compilation_.function();
    if (from != View::Dense(from.base, function.shape(from.base)) ||
        copy.out != View::Dense(copy.out.base, function.shape(copy.out.base))) {
      return false;
    }
    std::vector<size_t>& others = writers_[copy.out.base];
    others.erase(std::find(others.begin(), others.end(), IndexOf(copy)));
    for (const size_t writer : writers) {
      compilation_.kernels[writer].out.base = copy.out.base;
      others.push_back(writer);
    }
    return true;
  }

  size_t IndexOf(const Kernel& kernel) const {
    return static_cast<size_t>(&kernel - compilation_.kernels.data());
  }

  static bool Accept(Kernel& producer, const View& out) {
    if (auto* contraction = std::get_if<Contraction>(&producer.body)) {
      Contraction changed = *contraction;
      if (!SetResultStrides(changed, out)) return false;
      *contraction = std::move(changed);
    }
    if (std::holds_alternative<Scatter>(producer.body)) return false;
    return !std::holds_alternative<Reduction>(producer.body) || MergeDimensions(out).has_value();
  }

  Compilation& compilation_;
  const std::vector<const graph::Op*> definitions_;
  std::map<Value, std::vector<size_t>> writers_;  // of a stored value -> kernels
  std::map<Value, int> readers_;
  std::set<Value> pinned_;
};

}  // namespace

Status ForwardResults(Compilation& compilation) {
  Forwarder(compilation).Run();
  return OkStatus();
}

}  // namespace systolith::compiler
