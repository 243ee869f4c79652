#include "sim/rtl_sim/open_traces.h"

#include <cstdlib>
#include <mutex>
#include <set>

namespace systolith::rtl_sim {
namespace {

struct Registry {
  std::mutex mutex;
  std::set<VerilatedFstC*> traces;
};

// Never destroyed: exit handlers may run after static destructors.
Registry& TheRegistry() {
  static Registry* const registry = new Registry;
  return *registry;
}

void CloseAll() {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  for (VerilatedFstC* trace : registry.traces) trace->close();
  registry.traces.clear();
}

}  // namespace

void OpenTraces::Add(VerilatedFstC* trace) {
  static const bool registered = std::atexit(CloseAll) == 0;
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  if (registered) registry.traces.insert(trace);
}

void OpenTraces::Close(VerilatedFstC* trace) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  if (registry.traces.erase(trace) != 0) trace->close();
}

}  // namespace systolith::rtl_sim
