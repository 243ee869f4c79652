#include "sim/rtl_sim/assertions.h"

#include <fmt/format.h>

#include <utility>

#include "verilated.h"

namespace systolith::rtl_sim {
namespace {

thread_local bool failed = false;
thread_local std::string first;

void Note(const char* file, int line, const char* what) {
  if (!failed) first = fmt::format("{}:{}: {}", file, line, what);
  failed = true;
}

}  // namespace

bool AssertionFailed() { return failed; }

std::string TakeFailedAssertion() {
  failed = false;
  return std::exchange(first, std::string());
}

}  // namespace systolith::rtl_sim

// What Verilator's runtime calls (it is compiled with VL_USER_STOP and VL_USER_FATAL).
void vl_stop(const char* file, int line, const char* hierarchy) {
  systolith::rtl_sim::Note(file, line, hierarchy);
}

void vl_fatal(const char* file, int line, const char* /*hierarchy*/, const char* message) {
  systolith::rtl_sim::Note(file, line, message);
}
