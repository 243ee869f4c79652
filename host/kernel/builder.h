#ifndef SYSTOLITH_HOST_KERNEL_BUILDER_H_
#define SYSTOLITH_HOST_KERNEL_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "host/base/status.h"
#include "host/kernel/ir.h"
#include "host/kernel/kernel.h"

namespace systolith::kernel {

// Writes one kernel operation by operation and turns it into bundles.
//
//   Builder builder("gelu");
//   const Value x = builder.Load(0);                          // in0 at step 0
//   const Value y = builder.Op(arch::AluOp::kMultiplyF32, {x, Value::F32(0.5f)});
//   builder.Store(0, 0, y);                                   // out0
//   ASSIGN_OR_RETURN(const Kernel kernel, builder.Finish());
//
// Any operand may be any value: where the hardware wants a register (lane operations, streams of
// unequal steps in one operation), Finish() inserts a copy; a copy that is not needed goes, and so
// do operations whose results nobody uses. Errors wait until Finish(), which returns the first.
class Builder {
 public:
  // `location` is the kernel's, for messages about the whole of it.
  explicit Builder(std::string name, Location location = {})
      : name_(std::move(name)), kernel_location_(std::move(location)) {}

  // What the following operations stand for, in messages and Kernel::sources.
  void SetLocation(Location location) { location_ = std::move(location); }

  // Operations between these two are the prologue; it comes before the body, and no variable of
  // one is known in the other: they share w registers only.
  void BeginPrologue();
  void EndPrologue();

  // A w register, written in the prologue only.
  Value Shared(std::string name = "");
  // A variable (lane vector) that is assigned later.
  Value Variable(std::string name = "");
  // A lookup table of 1..32 entries, for the operand y of kLookup.
  Value Table(std::span<const uint32_t> entries);

  // A new value. Operands in the order x, y, z of operations.toml; a lane operation's amount comes last.
  Value Op(arch::AluOp op, std::initializer_list<Value> operands);
  Value Op(arch::LaneOp op, std::initializer_list<Value> operands);
  // A group of in<stream> at a step, read once, kept in a variable.
  Value Load(int stream, int step = 0);
  // One iteration writes an output's step once.
  void Store(int stream, int step, Value value);

  // The same into a variable, a w register or Value::Output.
  void Assign(Value target, arch::AluOp op, std::span<const Value> operands);
  void Assign(Value target, arch::LaneOp op, std::span<const Value> operands);
  void Assign(Value target, Value value);

  // Everything in between runs counts[loop] times (at least once). Inner loops have higher
  // numbers. A variable that is assigned inside keeps its value from one iteration to the next.
  void BeginLoop(int loop);
  void EndLoop();

  // The first error so far.
  const Status& status() const { return status_; }

  // Schedules, allocates, encodes. Ends the builder's life.
  Result<Kernel> Finish();

 private:
  Region& region() { return in_prologue_ ? prologue_ : body_; }
  void Append(Instruction instruction);
  void NoteStore(const Value& target);
  void Fail(const std::string& message);

  std::string name_;
  Location kernel_location_, location_;
  bool in_prologue_ = false;
  bool has_prologue_ = false;
  Region prologue_, body_;
  std::vector<int> open_loops_;
  // Where each step of an output was written: prologue or body, innermost loop (-1: none), stream,
  // step.
  std::map<std::tuple<bool, int, uint32_t, uint32_t>, Location> stores_;
  Symbols symbols_;
  Status status_;
};

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_BUILDER_H_
