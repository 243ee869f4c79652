#include "host/base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

namespace systolith {
namespace {

constexpr size_t kLooksAt = 64;  // characters: what is longer is no name that a person wrote

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string NearestName(std::string_view name, std::span<const std::string> candidates) {
  const std::string* nearest = nullptr;
  size_t least = 0;
  for (const std::string& candidate : candidates) {
    const size_t distance =
        EditDistance(name.substr(0, kLooksAt), std::string_view(candidate).substr(0, kLooksAt));
    if (nearest != nullptr && distance >= least) continue;
    nearest = &candidate;
    least = distance;
  }
  return nearest == nullptr ? std::string() : *nearest;
}

}  // namespace systolith
