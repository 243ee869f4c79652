#ifndef SYSTOLITH_TESTS_KERNELS_FUNCTIONS_INTERPRETER_H_
#define SYSTOLITH_TESTS_KERNELS_FUNCTIONS_INTERPRETER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/kernel/kernel.h"

namespace systolith::testing {

// A library function, or an operation, assembled as a kernel of its own (in0, in1, ... -> out0),
// executed bundle by bundle with the golden model's arithmetic. Control flow is decoded once: a
// function has none.
class FunctionKernel {
 public:
  static constexpr size_t kBlock = 256;  // elements that are computed together

  // `invocation` is what stands before the operands ("call exp"); `arguments` values in, one out.
  static Result<FunctionKernel> Make(const std::string& invocation, int arguments);

  // Any number of elements; each input has as many as the output.
  void Run(std::span<const std::span<const uint32_t>> inputs, std::span<uint32_t> output);

  const kernel::Kernel& kernel() const { return kernel_; }

 private:
  struct Place {  // of an operand or result
    enum class Kind : uint8_t { kNone, kValue, kInput, kOutput } kind = Kind::kNone;
    uint32_t index = 0;
  };
  struct Step {
    arch::AluOp op = arch::AluOp::kNone;
    Place operands[3], result;
    uint32_t table = 0;  // first constant of a lookup's table
  };

  Status Decode();
  Status DecodeSlot(arch::AluOp op, uint32_t destination, const uint32_t* codes,
                    const std::vector<uint32_t>& registers, std::vector<uint32_t>& next);
  uint32_t NewValue();
  void RunBlock(const uint32_t* const* inputs, uint32_t* output, size_t count);

  kernel::Kernel kernel_;
  std::vector<Step> steps_;
  // One block per result and per constant, so that no operation overwrites what it reads.
  std::vector<std::vector<uint32_t>> values_;
  std::vector<uint32_t> constant_values_;  // constant -> value
};

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_KERNELS_FUNCTIONS_INTERPRETER_H_
