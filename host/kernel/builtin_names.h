#ifndef SYSTOLITH_HOST_KERNEL_BUILTIN_NAMES_H_
#define SYSTOLITH_HOST_KERNEL_BUILTIN_NAMES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "host/kernel/ir.h"

// The names that the kernel language gives itself: nothing else may be called so.
namespace systolith::kernel {

// Streams and scalar words: a prefix and a number.
struct NumberedName {
  std::string_view prefix;
  Value::Kind kind;
  uint32_t count;  // the numbers that exist; a name with a larger one is an error
  bool has_step;
  uint32_t number;
};

// `in3`, `out0`, `s12`; nothing if the name is none of these.
std::optional<NumberedName> FindNumberedName(std::string_view name);

// Numbers of the chip that expressions may use.
inline constexpr std::string_view kLanesName = "LANES";
inline constexpr std::string_view kSublanesName = "SUBLANES";
inline constexpr std::string_view kSegmentName = "SEGMENT";

// One of all these.
bool IsBuiltinName(std::string_view name);

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_BUILTIN_NAMES_H_
