#include <fmt/format.h>

#include <chrono>

#include "host/runtime/executable.h"
#include "host/runtime/host_step.h"
#include "host/runtime/run_state.h"

namespace systolith::runtime {

Status RunHostStep(hal::Transport& transport, Run::State& run, size_t index,
                   const graph::Module& module, const evaluator::EvalOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const isa::Executable& executable = *run.executable;
  const auto& step = std::get<isa::HostStep>(executable.steps[index]);
  std::vector<graph::Literal> inputs;
  for (const uint32_t number : step.inputs) {
    const isa::Tensor& tensor = executable.tensors[number];
    ASSIGN_OR_RETURN(graph::Shape shape, ShapeOf(tensor));
    graph::Literal literal(std::move(shape));
    RETURN_IF_ERROR(transport.ReadMemory(run.AddressOf(tensor), literal.bytes()));
    inputs.push_back(std::move(literal));
  }
  evaluator::EvalReport report;
  ASSIGN_OR_RETURN(const std::vector<graph::Literal> outputs,
                   evaluator::Evaluate(module, inputs, options, &report));
  if (outputs.size() != step.outputs.size()) {
    return Internal(fmt::format("program '{}', step {}: {} results instead of {}", executable.name,
                                index, outputs.size(), step.outputs.size()));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const isa::Tensor& tensor = executable.tensors[step.outputs[i]];
    if (outputs[i].bytes().size() != tensor.bytes) {
      return Internal(fmt::format("program '{}', step {}: result {} has {} bytes instead of {}",
                                  executable.name, index, i, outputs[i].bytes().size(),
                                  tensor.bytes));
    }
    RETURN_IF_ERROR(transport.WriteMemory(run.AddressOf(tensor), outputs[i].bytes()));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const std::lock_guard lock(run.mutex);
  run.checks.insert(run.checks.end(), report.checks.begin(), report.checks.end());
  run.host_step_seconds += took.count();
  return OkStatus();
}

// Steps end in order, and those behind a failed one say only that: the first failure counts.
Status Run::Wait() const {
  Status first;
  for (const Event& event : state_->events) {
    Status status = event.Wait();
    if (first.ok()) first = std::move(status);
  }
  return first;
}

Status Run::WaitFor(std::chrono::milliseconds limit) const {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (const Event& event : state_->events) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    const Status status = event.WaitFor(std::max(left, std::chrono::milliseconds(0)));
    if (!event.Done()) return Timeout("the run has not ended yet");
    if (!status.ok()) return Wait();  // what follows ends without being started
  }
  return Wait();
}

bool Run::Done() const {
  return std::all_of(state_->events.begin(), state_->events.end(),
                     [](const Event& event) { return event.Done(); });
}

Status Run::ReadResult(size_t index, std::span<std::byte> destination) const {
  const isa::Executable& executable = *state_->executable;
  if (index >= executable.results.size()) {
    return InvalidArgument(fmt::format("program '{}' has {} results; there is no number {}",
                                       executable.name, executable.results.size(), index));
  }
  const isa::Tensor& tensor = executable.tensors[executable.results[index]];
  if (destination.size() != tensor.bytes) {
    return InvalidArgument(fmt::format("result {} has {} bytes, the destination {}", index,
                                       tensor.bytes, destination.size()));
  }
  const std::shared_ptr<Device> device = state_->device.lock();
  if (device == nullptr) return InvalidArgument("the device of this run is closed");
  return device
      ->Enqueue([&](hal::Transport& transport) {
        return transport.ReadMemory(state_->AddressOf(tensor), destination);
      })
      .Wait();
}

Result<graph::Literal> Run::ReadResult(size_t index) const {
  const isa::Executable& executable = *state_->executable;
  if (index >= executable.results.size()) return ReadResult(index, {});
  ASSIGN_OR_RETURN(graph::Shape shape, ShapeOf(executable.tensors[executable.results[index]]));
  graph::Literal literal(std::move(shape));
  RETURN_IF_ERROR(ReadResult(index, literal.bytes()));
  return literal;
}

Counters Run::counters() const {
  Counters sum;
  for (const Event& event : state_->events) sum += event.counters();
  return sum;
}

std::vector<evaluator::CheckResult> Run::checks() const {
  const std::lock_guard lock(state_->mutex);
  return state_->checks;
}

double Run::host_step_seconds() const {
  const std::lock_guard lock(state_->mutex);
  return state_->host_step_seconds;
}

}  // namespace systolith::runtime
