#ifndef SYSTOLITH_HOST_ISA_PROGRAM_H_
#define SYSTOLITH_HOST_ISA_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

namespace systolith::isa {

// From one instruction on (until the next entry), which operation of the source it works for.
struct LineEntry {
  uint32_t pc = 0;        // byte offset in the program
  std::string operation;  // "dot_general"
  int line = 0;           // line in the source text, from 1; 0: unknown

  bool operator==(const LineEntry&) const = default;
};

// Which kernel the `vector` at an offset runs.
struct KernelEntry {
  uint32_t pc = 0;
  std::string name;  // "softmax"

  bool operator==(const KernelEntry&) const = default;
};

// An encoded program and what its instructions stand for. A plain value.
struct Program {
  std::vector<uint32_t> words;   // a multiple of 4
  std::vector<LineEntry> lines;  // rising pc
  std::vector<KernelEntry> kernels = {};  // rising pc

  uint32_t bytes() const { return static_cast<uint32_t>(words.size() * 4); }

  // The entry that covers `pc`; null if there is none.
  const LineEntry* LineOf(uint32_t pc) const;

  // The kernel of the `vector` at `pc`; empty: unknown.
  std::string KernelAt(uint32_t pc) const;

  bool operator==(const Program&) const = default;
};

}  // namespace systolith::isa

#endif  // SYSTOLITH_HOST_ISA_PROGRAM_H_
