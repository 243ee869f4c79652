#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/kernels/functions_interpreter.h"
#include "tests/kernels/functions_table.h"

// Writes docs/functions.md, or compares the file that is named with what it would write.
namespace systolith::testing {
namespace {

constexpr const char* kHead = R"(# Functions of the kernel language

<!-- Written by `functions_document`; a test compares. -->

Elementwise functions that kernels call (`y = call exp x`), made of the operations of the
[instruction set](isa.md) in `host/kernel/library/functions_*.kernel`. Arguments are x, y, z in the
order of the call. Functions with an error in ulp, and remainder_f32, follow one rule: subnormal
arguments count as zero of their sign, results below 2^-126 are zero of their sign, every NaN is
0x7fc00000; infinities, NaN and signed zeros are those of IEEE 754 but for what the table says. The
other functions flush nothing.

*Largest error* is what tests hold the functions to; sampled, not proven for every f32. One ulp is
the distance of neighbouring f32 at the exact result, at least 2^-149. Where a mixed bound stands
(gelu's tail, zeros of log_add_exp, of lgamma and digamma below 0), the exact result comes nearer to
zero than what it is computed from, and a result within the bound may have the wrong sign.

- `kernels_functions_test`, functions with an error in ulp and remainder_f32, against MPFR: every
  bf16, remarkable and 200,000 random f32; of two arguments, pairs of special values and 200,000
  random pairs.
- `kernels_functions_test`, the other exact functions, bit for bit against integer or host
  arithmetic: 200,000 random and special values; of one argument, also every bf16 and the remarkable
  f32.
- `kernels_functions_random`, nightly: 10^8 random inputs of every function, compared in the same
  way; MPFR is asked where double precision does not show that an error is below the worst so far.

*Bundles* are those of the function alone; two independent calls in one kernel share them. *Cycles*
are per row group, with four of them in the pipeline; a bundle with a division or square root takes
two. *Constants* counts words of constant memory, *registers* v registers at the peak.

| function | value | largest error | special | bundles | cycles | constants | registers |
|---|---|---|---|---|---|---|---|
)";

constexpr const char* kOperations = R"(
## Operations that round

Operations of the vector unit itself (`y = divide_f32 x, y`), tested as the exact functions are, but
against the bits that MPFR rounds to; conversions to integers against host arithmetic. 0.5 ulp: the
f32 nearest to the exact value, ties to even. Flushing is as above; floor and ceiling flush nothing.

| operation | value | largest error | special |
|---|---|---|---|
)";

std::string Escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

// What both tables say of a function.
std::string Promise(const Function& function) {
  const char* const names[] = {"x", "x, y", "x, y, z"};
  return fmt::format("| {}({}) | {} | {} | {} |", function.name, names[function.arguments - 1],
                     Escaped(function.meaning), Escaped(BoundText(function)), function.special);
}

Result<std::string> Cost(const Function& function) {
  ASSIGN_OR_RETURN(const FunctionKernel one,
                   FunctionKernel::Make(Invocation(function), function.arguments));
  const kernel::Kernel& kernel = one.kernel();
  const std::array<uint32_t, arch::kLoops> counts = {1, 1, 1, 1, 1, 1};
  return fmt::format(" {} | {} | {} | {} |", kernel.bundles.size(),
                     kernel.BodyCycles(counts) / static_cast<uint64_t>(arch::kVectorThreads),
                     kernel.constants.size(), kernel.vector_registers);
}

int Main(int argc, char** argv) {
  std::string text = kHead, operations = kOperations;
  for (const Function& function : Functions()) {
    if (function.is_operation) {
      operations += Promise(function) + '\n';
      continue;
    }
    const Result<std::string> cost = Cost(function);
    if (!cost.ok()) {
      std::cerr << cost.status().message() << '\n';
      return 1;
    }
    text += Promise(function) + cost.value() + '\n';
  }
  text += operations;
  if (argc < 2) {
    std::cout << text;
    return 0;
  }
  std::ifstream file(argv[1]);
  const std::string found{std::istreambuf_iterator<char>(file), {}};
  if (found == text) return 0;
  std::cerr << argv[1] << " is out of date: write it anew with functions_document\n";
  return 1;
}

}  // namespace
}  // namespace systolith::testing

int main(int argc, char** argv) { return systolith::testing::Main(argc, argv); }
