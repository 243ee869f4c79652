#ifndef SYSTOLITH_HOST_TOOLS_CONFORMANCE_OUTCOME_H_
#define SYSTOLITH_HOST_TOOLS_CONFORMANCE_OUTCOME_H_

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "host/runtime/device.h"
#include "host/tools/conformance/program.h"

namespace systolith::tools {

// What came of a program, best first.
enum class Standing {
  kOnChip,       // its checks hold, and the chip did all of it
  kFallback,     // its checks hold; the evaluator did a part
  kUnsupported,  // refused with a reason
  kWrong,        // a check failed, or the compiler, the chip or the process did
};
inline constexpr std::array<Standing, 4> kStandings = {Standing::kOnChip, Standing::kFallback,
                                                       Standing::kUnsupported, Standing::kWrong};
// "on_chip", "fallback", "unsupported", "wrong".
const char* Name(Standing standing);

struct Outcome {
  Standing standing = Standing::kWrong;
  std::vector<std::string> reasons;  // why not on the chip; each once, the same words for one cause
  double seconds = 0;
};

// Compiles and runs a program on an open chip.
Outcome RunProgram(const Program& program, const std::shared_ptr<runtime::Device>& device,
                   bool no_fold);

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_CONFORMANCE_OUTCOME_H_
