#include "host/base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace systolith {
namespace {

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
  const auto nearest = std::min_element(
      candidates.begin(), candidates.end(), [&](const std::string& a, const std::string& b) {
        return EditDistance(name, a) < EditDistance(name, b);
      });
  return nearest == candidates.end() ? std::string() : *nearest;
}

}  // namespace systolith
