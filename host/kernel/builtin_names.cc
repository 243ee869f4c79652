#include "host/kernel/builtin_names.h"

#include <array>
#include <charconv>

namespace systolith::kernel {
namespace {

constexpr std::array<NumberedName, 3> kNumberedNames = {{
    {"in", Value::Kind::kInput, arch::kInputStreams, true, 0},
    {"out", Value::Kind::kOutput, arch::kOutputStreams, true, 0},
    {"s", Value::Kind::kScalar, arch::kVectorScalars, false, 0},
}};

// The number behind the prefix: 3 of "in3". Anything else is no built-in name.
std::optional<uint32_t> NumberBehind(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return std::nullopt;
  uint32_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [last, error] = std::from_chars(name.data() + prefix.size(), end, number);
  if (error != std::errc() || last != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<NumberedName> FindNumberedName(std::string_view name) {
  for (NumberedName known : kNumberedNames) {
    const auto number = NumberBehind(name, known.prefix);
    if (!number) continue;
    known.number = *number;
    return known;
  }
  return std::nullopt;
}

bool IsBuiltinName(std::string_view name) {
  return FindNumberedName(name).has_value() || name == kLanesName || name == kSublanesName ||
         name == kSegmentName;
}

}  // namespace systolith::kernel
