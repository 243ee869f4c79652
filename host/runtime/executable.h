#ifndef SYSTOLITH_HOST_RUNTIME_EXECUTABLE_H_
#define SYSTOLITH_HOST_RUNTIME_EXECUTABLE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/evaluator/evaluator.h"
#include "host/graph/literal.h"
#include "host/isa/executable.h"
#include "host/runtime/buffer.h"
#include "host/runtime/counters.h"
#include "host/runtime/device.h"
#include "host/runtime/event.h"

namespace systolith::runtime {

struct RunOptions {
  bool collect_counters = true;  // as Launch::collect_counters
  uint64_t timeout_cycles = 0;   // of each chip step; 0: none
  evaluator::EvalOptions evaluation = {};  // of the steps that run on the host
};

// One run of an executable, under way or ended. A handle: copies mean the same run, which goes on
// when the last handle is gone. Any thread.
class Run {
 public:
  // Blocks until the run has ended. The first failure of a step; a failed check of the program is
  // no failure but stands in checks().
  Status Wait() const;
  // The same, but Timeout if the run has not ended after `limit`; it then goes on.
  Status WaitFor(std::chrono::milliseconds limit) const;
  bool Done() const;

  // After the end of a run that did not fail:
  // The bytes of result `index`, dense and row-major; `destination` must have exactly as many.
  Status ReadResult(size_t index, std::span<std::byte> destination) const;
  Result<graph::Literal> ReadResult(size_t index) const;

  // After the end: chip counters summed over the steps, outcomes of the program's own checks in
  // order, wall time of the steps that ran on the host.
  Counters counters() const;
  std::vector<evaluator::CheckResult> checks() const;
  double host_step_seconds() const;

  struct State;  // internal
  explicit Run(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

// An executable whose programs and constants lie in a device's memory, ready to run any number of
// times. Keeps the device open. Any thread; runs of one executable follow one another, even when
// several are queued.
class LoadedExecutable {
 public:
  // InvalidArgument that names both configurations if the executable was compiled for another one
  // than the device's, or with the sizes involved if it does not fit into memory.
  static Result<std::shared_ptr<LoadedExecutable>> Load(std::shared_ptr<Device> device,
                                                        isa::Executable executable);
  // The same from a .sysx file.
  static Result<std::shared_ptr<LoadedExecutable>> LoadFile(std::shared_ptr<Device> device,
                                                            const std::string& path);

  const isa::Executable& executable() const { return *executable_; }
  const std::shared_ptr<Device>& device() const { return device_; }

  // The type of argument or result `index`.
  const isa::Tensor& argument(size_t index) const;
  const isa::Tensor& result(size_t index) const;

  // A buffer of the size that argument or result `index` needs.
  Result<Buffer> AllocateArgument(size_t index) const;
  Result<Buffer> AllocateResult(size_t index) const;

  // Queues one run. Each argument's buffer must be of this device and hold at least the argument's
  // bytes. It is only read, unless the executable aliases it to a result, which then takes its
  // place. Buffers of results are allocated. Buffers live until the run has ended.
  Result<Run> Start(std::span<const Buffer> arguments, const RunOptions& options = {}) const;

  // Copies the arguments to new buffers, runs, waits, and copies the results back.
  Result<std::vector<graph::Literal>> Call(std::span<const graph::Literal> arguments,
                                           const RunOptions& options = {}) const;

 private:
  struct HostModules;
  LoadedExecutable(std::shared_ptr<Device> device, isa::Executable executable);
  Status Upload();
  Result<Buffer> AllocateFor(const isa::Tensor& tensor) const;
  Launch LaunchOf(size_t step_index, const Run::State& run, const RunOptions& options) const;

  const std::shared_ptr<Device> device_;
  const std::shared_ptr<const isa::Executable> executable_;
  std::shared_ptr<const HostModules> host_modules_;
  std::vector<std::shared_ptr<Allocation>> programs_;  // by step; null for host steps
  std::shared_ptr<Allocation> constants_;
  std::shared_ptr<Allocation> scratch_;
};

// The graph's shape of a tensor of an executable; InvalidArgument for an unknown element type.
Result<graph::Shape> ShapeOf(const isa::Tensor& tensor);

// "dot_general at line 7", and the disassembled instruction: what a program's line map knows about
// a byte offset.
std::string DescribeProgramOffset(const isa::Program& program, uint32_t offset);

// "kernel softmax, bundle 12: v0 = copy in0": a bundle of the kernel that the `vector` at a byte
// offset runs, as far as the program tells; empty if there is no `vector`.
std::string DescribeKernelBundle(const isa::Program& program, uint32_t offset, uint64_t bundle);

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_EXECUTABLE_H_
