// while, if and case. Regions are planned like the function's body, but a kernel stays in the
// region in which it began, and what a region makes of values from outside (a dense copy, say) is
// not seen outside: it may never have run.
#include <algorithm>
#include <deque>
#include <utility>

#include "host/compiler/passes/planner.h"

namespace systolith::compiler {
namespace {

using graph::Op;
using graph::Opcode;
using graph::Value;

}  // namespace

Sequence Planner::TakeItems(const Scope& scope) {
  struct Placed {
    int64_t position;
    Item item;
  };
  std::vector<Placed> placed;
  is_kernel_taken_.resize(compilation_.kernels.size(), false);
  is_control_taken_.resize(compilation_.controls.size(), false);
  for (size_t i = scope.first_kernel; i < compilation_.kernels.size(); ++i) {
    if (is_kernel_taken_[i]) continue;
    is_kernel_taken_[i] = true;
    placed.push_back({compilation_.kernels[i].position, {Item::Kind::kKernel, i}});
  }
  for (size_t i = scope.first_control; i < compilation_.controls.size(); ++i) {
    if (is_control_taken_[i]) continue;
    is_control_taken_[i] = true;
    placed.push_back({compilation_.controls[i].position, {Item::Kind::kControl, i}});
  }
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return a.position < b.position;
  });
  Sequence items;
  for (const Placed& p : placed) items.push_back(p.item);
  return items;
}

Planner::Scope Planner::BeginScope() {
  Scope scope;
  scope.first_kernel = compilation_.kernels.size();
  scope.first_control = compilation_.controls.size();
  scope.first_change = view_changes_.size();
  return scope;
}

Sequence Planner::EndScope(Scope scope) {
  Sequence items = TakeItems(scope);
  for (; view_changes_.size() > scope.first_change; view_changes_.pop_back()) {
    auto& [value, before] = view_changes_.back();
    if (before) {
      views_.insert_or_assign(value, std::move(*before));
    } else {
      views_.erase(value);
    }
  }
  return items;
}

Status Planner::VisitRegion(const graph::Region& region) {
  const std::vector<Placement> placements(region.ops.size(), {Unit::kChip, ""});
  return VisitBlock(region.ops, placements);
}

void Planner::CopyTo(Value place, const View& view) {
  AddCopy(view, View::Dense(place, function_.shape(place)), location_);
}

// All at once: a copy waits until no other one needs what it overwrites; in a circle, the old value
// of one place is saved first.
void Planner::CopyToPlaces(const std::vector<Value>& places, std::vector<View> views) {
  std::map<Value, size_t> number;
  for (size_t i = 0; i < places.size(); ++i) number[places[i]] = i;
  const auto is_done = [&](size_t i) {
    return views[i].base == places[i] &&
           views[i].CoversBase(function_.shape(places[i]).ElementCount());
  };
  std::vector<bool> pending(places.size());
  std::vector<std::vector<size_t>> readers(places.size());  // pending copies out of each place
  std::vector<size_t> reader_count(places.size(), 0);
  for (size_t i = 0; i < places.size(); ++i) {
    pending[i] = !is_done(i);
    const auto source = number.find(views[i].base);
    if (!pending[i] || source == number.end()) continue;
    readers[source->second].push_back(i);
    ++reader_count[source->second];
  }
  std::deque<size_t> ready;
  for (size_t i = 0; i < places.size(); ++i) {
    if (pending[i] && reader_count[i] == 0) ready.push_back(i);
  }
  for (size_t next = 0; next < places.size();) {
    if (ready.empty()) {
      if (!pending[next]) {
        ++next;
        continue;
      }
      // `next` is read by others that are pending: they get its old value from elsewhere.
      const View saved = MakeDense(View::Dense(places[next], function_.shape(places[next])));
      for (const size_t reader : readers[next]) {
        if (pending[reader]) views[reader].base = saved.base;
      }
      reader_count[next] = 0;
      ready.push_back(next);
    }
    const size_t i = ready.front();
    ready.pop_front();
    pending[i] = false;
    CopyTo(places[i], views[i]);
    const auto source = number.find(views[i].base);
    if (source != number.end() && --reader_count[source->second] == 0 &&
        pending[source->second]) {
      ready.push_back(source->second);
    }
  }
}

std::vector<View> Planner::ViewsOf(const std::vector<Value>& values) const {
  std::vector<View> views;
  for (const Value value : values) views.push_back(ViewOf(value));
  return views;
}

// A scalar that the sequencer loads.
View Planner::ScalarOf(Value value) {
  const View& view = ViewOf(value);
  return view.shift.valid() ? MakeDense(view) : view;
}

Status Planner::VisitWhile(const Op& op) {
  Loop loop;
  Scope entry = BeginScope();
  for (size_t i = 0; i < op.results.size(); ++i) CopyTo(op.results[i], ViewOf(op.operands[i]));
  loop.entry = EndScope(std::move(entry));

  const auto bind = [&](const graph::Region& region) {
    for (size_t i = 0; i < op.results.size(); ++i) {
      SetView(region.arguments[i], View::Dense(op.results[i], function_.shape(op.results[i])));
    }
  };
  Scope condition = BeginScope();
  bind(op.regions[0]);
  RETURN_IF_ERROR(VisitRegion(op.regions[0]));
  loop.predicate = ScalarOf(op.regions[0].ops.back().operands[0]);
  loop.condition = EndScope(std::move(condition));

  Scope body = BeginScope();
  bind(op.regions[1]);
  RETURN_IF_ERROR(VisitRegion(op.regions[1]));
  location_ = op.location;
  CopyToPlaces(op.results, ViewsOf(op.regions[1].ops.back().operands));
  loop.body = EndScope(std::move(body));
  AddControl(op, std::move(loop));
  return OkStatus();
}

Status Planner::VisitChoice(const Op& op) {
  Choice choice;
  choice.index = ScalarOf(op.operands[0]);
  for (const graph::Region& region : op.regions) {
    Scope branch = BeginScope();
    RETURN_IF_ERROR(VisitRegion(region));
    location_ = op.location;
    for (size_t i = 0; i < op.results.size(); ++i) {
      CopyTo(op.results[i], ViewOf(region.ops.back().operands[i]));
    }
    choice.branches.push_back(EndScope(std::move(branch)));
  }
  AddControl(op, std::move(choice));
  return OkStatus();
}

void Planner::AddControl(const Op& op, std::variant<Loop, Choice> body) {
  Control control;
  control.body = std::move(body);
  control.results = op.results;
  control.location = op.location;
  control.operation = std::string(graph::OpcodeName(op.opcode));
  control.position = NextPosition();
  compilation_.controls.push_back(std::move(control));
  for (const Value result : op.results) {
    SetView(result, View::Dense(result, function_.shape(result)));
  }
}

}  // namespace systolith::compiler
