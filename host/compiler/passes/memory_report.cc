#include "host/compiler/passes/memory_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace systolith::compiler {
namespace {

constexpr size_t kMostRows = 20;

}  // namespace

Status OutOfMemory(const arch::ChipConfig& chip, uint64_t needed_bytes, const std::string& moment,
                   std::vector<ResidentTensor> tensors) {
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  std::string text = fmt::format(
      "the program needs {} bytes of memory; the chip '{}' has {} (memory.bytes). The largest of {} "
      "tensors that are there at {}:",
      needed_bytes, chip.name, chip.memory_bytes, tensors.size(), moment);
  for (size_t i = 0; i < std::min(tensors.size(), kMostRows); ++i) {
    const ResidentTensor& tensor = tensors[i];
    text += fmt::format("\n{:>14} bytes  {}  from {}", tensor.bytes, tensor.type, tensor.made_by);
    if (!tensor.needed_until.empty()) text += " to " + tensor.needed_until;
  }
  return Unsupported(text);
}

}  // namespace systolith::compiler
