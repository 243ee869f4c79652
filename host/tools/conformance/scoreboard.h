#ifndef SYSTOLITH_HOST_TOOLS_CONFORMANCE_SCOREBOARD_H_
#define SYSTOLITH_HOST_TOOLS_CONFORMANCE_SCOREBOARD_H_

#include <map>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/tools/conformance/outcome.h"
#include "host/tools/conformance/program.h"

namespace systolith::tools {

struct Score {
  const Program* program = nullptr;
  Outcome outcome;
};

// A line per operation (a program counts under each that it holds), totals per collection and of
// what has to run, and everything that the chip did not do alone, by reason.
std::string ScoreboardText(const std::vector<Score>& scores);

// All of it, a record per program.
std::string ScoreboardJson(const std::vector<Score>& scores);

// What each program has reached before. The file names what is not on the chip, by standing; a
// program that it does not name was on the chip, if its collection is the one that was counted.
class Baseline {
 public:
  static Result<Baseline> Read(const std::string& path);
  // `sizes`: programs per collection, those included that were not run.
  static std::string Text(const std::vector<Score>& scores,
                          const std::map<std::string, int>& sizes);

  // A line for each program that stands worse than it did.
  std::vector<std::string> Regressions(const std::vector<Score>& scores,
                                       const std::map<std::string, int>& sizes) const;
  bool IsKnownWrong(const std::string& program) const;

 private:
  std::map<std::string, int> sizes_;
  std::map<std::string, Standing> standings_;  // by program
};

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_CONFORMANCE_SCOREBOARD_H_
