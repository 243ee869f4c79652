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
order of the call. f32 functions follow one rule: subnormal arguments count as zero of their sign,
results below 2^-126 are zero of their sign, every NaN is 0x7fc00000; infinities, NaN and signed
zeros are those of IEEE 754 but for what the table says.

*Largest error* holds over the whole range: one ulp is the distance of neighbouring f32 at the exact
result. Where a mixed bound stands, the exact result comes arbitrarily near to zero by cancellation
(gelu's tail, zeros of lgamma and digamma below 0). `kernels_functions_test` (every bf16, remarkable
and random f32) and nightly `kernels_functions_random` (10^8 random f32 each) hold the functions to
these bounds against MPFR.

*Bundles* are those of the function alone; two independent calls in one kernel share them. *Cycles*
are per row group, with four of them in the pipeline (a division or square root takes longer).
*Constants* counts words of constant memory, *registers* v registers at the peak.

| function | value | largest error | special | bundles | cycles | constants | registers |
|---|---|---|---|---|---|---|---|
)";

std::string Escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

Result<std::string> Row(const Function& function) {
  ASSIGN_OR_RETURN(const FunctionKernel one,
                   FunctionKernel::Make(function.name, function.arguments));
  const kernel::Kernel& kernel = one.kernel();
  const std::array<uint32_t, arch::kLoops> counts = {1, 1, 1, 1, 1, 1};
  const char* const names[] = {"x", "x, y", "x, y, z"};
  return fmt::format("| {}({}) | {} | {} | {} | {} | {} | {} | {} |\n", function.name,
                     names[function.arguments - 1], Escaped(function.meaning),
                     Escaped(BoundText(function)), function.special, kernel.bundles.size(),
                     kernel.BodyCycles(counts) /
                         static_cast<uint64_t>(arch::kVectorThreads),
                     kernel.constants.size(),
                     kernel.vector_registers);
}

int Main(int argc, char** argv) {
  std::string text = kHead;
  for (const Function& function : Functions()) {
    const Result<std::string> row = Row(function);
    if (!row.ok()) {
      std::cerr << row.status().message() << '\n';
      return 1;
    }
    text += row.value();
  }
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
