#include "host/isa/program.h"

#include <algorithm>

namespace systolith::isa {

const LineEntry* Program::LineOf(uint32_t pc) const {
  auto after = std::upper_bound(lines.begin(), lines.end(), pc,
                                [](uint32_t at, const LineEntry& entry) { return at < entry.pc; });
  return after == lines.begin() ? nullptr : &*(after - 1);
}

std::string Program::KernelAt(uint32_t pc) const {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const KernelEntry& entry) { return entry.pc == pc; });
  return found == kernels.end() ? "" : found->name;
}

}  // namespace systolith::isa
