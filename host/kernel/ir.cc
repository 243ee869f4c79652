#include "host/kernel/ir.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace systolith::kernel {

std::string Where(const std::string& kernel, const Location& location) {
  if (location.line == 0) return fmt::format("kernel {}", kernel);
  return fmt::format("{}:{}:{}", location.file, location.line, location.column);
}

std::vector<size_t> BlockBoundaries(const Region& region) {
  std::set<size_t> boundaries = {0, region.instructions.size()};
  for (const Region::Loop& loop : region.loops) {
    boundaries.insert(loop.begin);
    boundaries.insert(loop.end);
  }
  return {boundaries.begin(), boundaries.end()};
}

std::vector<size_t> BlockOfInstructions(const Region& region) {
  const std::vector<size_t> boundaries = BlockBoundaries(region);
  std::vector<size_t> blocks(region.instructions.size());
  for (size_t block = 0; block + 1 < boundaries.size(); ++block) {
    std::fill(blocks.begin() + static_cast<ptrdiff_t>(boundaries[block]),
              blocks.begin() + static_cast<ptrdiff_t>(boundaries[block + 1]), block);
  }
  return blocks;
}

}  // namespace systolith::kernel
