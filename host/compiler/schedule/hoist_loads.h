#ifndef SYSTOLITH_HOST_COMPILER_SCHEDULE_HOIST_LOADS_H_
#define SYSTOLITH_HOST_COMPILER_SCHEDULE_HOIST_LOADS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systolith::compiler {

// What the order of instructions depends on.
struct Dependence {
  bool is_load = false;   // of the engine that loads; all others keep their order
  int64_t after = -1;     // last instruction in front of it, by position, that it waits for
  int64_t after_load = -1;  // loads: last load, by position, that it must stay behind
};

// The engine that loads works in order, so a load that waits for what is being computed holds up
// all loads behind it. Lets loads that can go pass those that must wait: weights of the next
// operation come in while this one runs. Returns positions in their new order. Every instruction
// stays behind what it waits for; all but loads keep their order, and a load passes nothing but
// loads, and what stands between.
std::vector<size_t> HoistLoads(const std::vector<Dependence>& instructions);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_SCHEDULE_HOIST_LOADS_H_
