#ifndef SYSTOLITH_TB_VPU_STREAM_RANDOM_H_
#define SYSTOLITH_TB_VPU_STREAM_RANDOM_H_

#include "tb/common/random.h"
#include "tb/vpu/stream_model.h"

namespace systolith::tb {

// A group of any kind, of which most are without a fault where `addr` is in the buffer.
inline StreamGroup RandomGroup(Rng& rng, const StreamSizes& sizes) {
  StreamGroup group;
  const auto lanes = static_cast<int64_t>(sizes.lanes);
  const auto u32 = [](int64_t value) { return static_cast<uint32_t>(value); };
  group.type = static_cast<arch::LaneType>(rng.Below(9));
  const int64_t bytes = ElementBytes(group.type);
  group.flat = rng.Chance(0.25);
  if (!group.flat && rng.Chance(0.4)) group.spread = static_cast<arch::Spread>(rng.Below(4));
  const bool single = group.spread == arch::Spread::kLanes || group.spread == arch::Spread::kBoth;
  const int64_t unit = single ? bytes : 8 * bytes;
  group.fill = rng.U32();

  group.addr = u32(rng.Range(-4 * lanes / unit, sizes.buffer_bytes / unit) * unit);
  if (rng.Chance(0.05)) group.addr += u32(rng.Range(1, unit));
  switch (rng.Below(6)) {
    case 0:
      group.addr_step = u32(lanes * bytes);
      break;
    case 1:
      group.addr_step = u32(unit);
      break;
    case 2:
      group.addr_step = 0;
      break;
    case 3:
      group.addr_step = u32(rng.Range(-40, 40) * unit);
      break;
    default:
      group.addr_step = u32(rng.Range(-4, 4) * lanes * bytes);
      break;
  }

  switch (rng.Below(6)) {
    case 0:  // clipped at either end
      group.x = u32(rng.Range(-2 * lanes, 2 * lanes));
      group.x_limit = u32(rng.Range(0, 3 * lanes));
      break;
    case 1:  // near the ends of what x can be
      group.x =
          u32((rng.Chance(0.5) ? INT64_C(0x7fffffff) : INT64_C(-1)) - rng.Range(0, 2 * lanes));
      group.x_limit = rng.Chance(0.5) ? 0xffffffffu : u32(0x80000000ll + rng.Range(-9, 9));
      break;
    default:
      group.x_limit = u32(2 * sizes.Elements());
      break;
  }
  if (rng.Chance(0.3)) group.x_step = u32(rng.Range(-lanes, lanes));

  group.y_limit = u32(2 * sizes.sublanes);
  if (rng.Chance(0.4)) {
    group.y = u32(rng.Range(-sizes.sublanes, 2 * sizes.sublanes));
    group.y_step = u32(rng.Range(-2, 2));
    if (rng.Chance(0.1)) group.y_step = rng.U32();
  } else if (rng.Chance(0.5)) {
    group.y_step = 1;
  }
  return group;
}

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_VPU_STREAM_RANDOM_H_
