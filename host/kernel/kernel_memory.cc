#include "host/kernel/kernel_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace systolith::kernel {
namespace {

struct Extent {
  uint32_t begin, end;
};

// The lowest place of `size` words between the extents; nothing if there is none.
std::optional<uint32_t> Gap(std::vector<Extent> taken, uint32_t size, uint32_t capacity) {
  std::sort(taken.begin(), taken.end(), [](Extent a, Extent b) { return a.begin < b.begin; });
  uint32_t begin = 0;
  for (const Extent& extent : taken) {
    if (extent.begin >= begin + size) break;
    begin = std::max(begin, extent.end);
  }
  return begin + size <= capacity ? std::optional(begin) : std::nullopt;
}

}  // namespace

Result<KernelMemory::Place> KernelMemory::Use(const Kernel& kernel) {
  const auto bundle_count = static_cast<uint32_t>(kernel.bundles.size());
  const auto constant_count = static_cast<uint32_t>(kernel.constants.size());
  if (bundle_count > arch::kKernelBundles || constant_count > arch::kKernelConstants) {
    return Unsupported(fmt::format("kernel {}: {} bundles and {} constants; {} and {} fit",
                                   kernel.name, bundle_count, constant_count,
                                   arch::kKernelBundles, arch::kKernelConstants));
  }
  const auto found = std::find_if(residents_.begin(), residents_.end(), [&](const Resident& r) {
    return r.bundles == kernel.bundles && r.constants == kernel.constants;
  });
  if (found != residents_.end()) {
    residents_.splice(residents_.begin(), residents_, found);
    return residents_.front().place;
  }
  while (true) {
    std::vector<Extent> bundles, constants;
    for (const Resident& resident : residents_) {
      const uint32_t b = resident.place.kernel_base;
      const uint32_t c = resident.place.constant_base;
      bundles.push_back({b, b + static_cast<uint32_t>(resident.bundles.size())});
      constants.push_back({c, c + static_cast<uint32_t>(resident.constants.size())});
    }
    const auto kernel_base = Gap(bundles, bundle_count, arch::kKernelBundles);
    const auto constant_base = Gap(constants, constant_count, arch::kKernelConstants);
    if (kernel_base && constant_base) {
      const Place place = {*kernel_base, *constant_base, false};
      residents_.push_front({kernel.bundles, kernel.constants, place});
      return Place{place.kernel_base, place.constant_base, true};
    }
    residents_.pop_back();
  }
}

}  // namespace systolith::kernel
