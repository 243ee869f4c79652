#ifndef SYSTOLITH_HOST_BASE_NEAREST_NAME_H_
#define SYSTOLITH_HOST_BASE_NEAREST_NAME_H_

#include <span>
#include <string>
#include <string_view>

namespace systolith {

// The candidate with the smallest Levenshtein distance to `name` (the first of equals); empty if
// there is none. For "did you mean" in error messages.
std::string NearestName(std::string_view name, std::span<const std::string> candidates);

}  // namespace systolith

#endif  // SYSTOLITH_HOST_BASE_NEAREST_NAME_H_
