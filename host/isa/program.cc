#include "host/isa/program.h"

#include <algorithm>

namespace systolith::isa {

const LineEntry* Program::LineOf(uint32_t pc) const {
  auto after = std::upper_bound(lines.begin(), lines.end(), pc,
                                [](uint32_t at, const LineEntry& entry) { return at < entry.pc; });
  return after == lines.begin() ? nullptr : &*(after - 1);
}

}  // namespace systolith::isa
