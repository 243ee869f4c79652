#include "host/tools/conformance/scoreboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/file.h"

namespace systolith::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Counts {
  std::array<int, kStandings.size()> of = {};

  void Add(const Score& score) { ++of[static_cast<size_t>(score.outcome.standing)]; }
  int Total() const {
    int total = 0;
    for (const int n : of) total += n;
    return total;
  }
  std::string Row(const std::string& name) const {
    const int total = Total();
    const double share = total == 0 ? 0.0 : 100.0 * of[0] / total;
    return fmt::format("{:<32}{:>9}{:>10}{:>13}{:>7}{:>10}{:>9.1f} %\n", name, of[0], of[1], of[2],
                       of[3], total, share);
  }
};

std::string Header(const std::string& first) {
  return fmt::format("{:<32}{:>9}{:>10}{:>13}{:>7}{:>10}{:>11}\n", first, "on chip", "fallback",
                     "unsupported", "wrong", "programs", "on chip");
}

// The programs of one standing by reason, most frequent first; one with several reasons counts for
// each.
std::string Reasons(const std::vector<Score>& scores, Standing standing, bool outside) {
  std::map<std::string, std::vector<const Score*>> by_reason;
  int programs = 0;
  for (const Score& score : scores) {
    if (score.outcome.standing != standing || score.program->outside.empty() == outside) continue;
    ++programs;
    if (outside) {
      by_reason[score.program->outside].push_back(&score);
      continue;
    }
    for (const std::string& reason : score.outcome.reasons) by_reason[reason].push_back(&score);
  }
  if (programs == 0) return "";
  std::vector<std::pair<std::string, std::vector<const Score*>>> sorted(by_reason.begin(),
                                                                        by_reason.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.size() > b.second.size();
  });
  std::string text = fmt::format("\n{}{}: {} programs\n", Name(standing),
                                 outside ? " (not to be expected)" : "", programs);
  for (const auto& [reason, list] : sorted) {
    text += fmt::format("{:>6}  {}\n", list.size(), reason);
    if (outside) continue;
    constexpr size_t kShown = 4;
    const bool all = standing == Standing::kWrong;
    for (size_t i = 0; i < list.size() && (all || i < kShown); ++i) {
      text += fmt::format("          {}\n", list[i]->program->name);
    }
    if (!all && list.size() > kShown) {
      text += fmt::format("          ... {} more\n", list.size() - kShown);
    }
  }
  return text;
}

}  // namespace

std::string ScoreboardText(const std::vector<Score>& scores) {
  std::map<std::string, Counts> operations, collections;
  Counts all, expected;
  for (const Score& score : scores) {
    all.Add(score);
    collections[score.program->collection].Add(score);
    if (!score.program->outside.empty()) continue;
    expected.Add(score);
    for (const std::string& operation : score.program->operations) {
      operations[operation].Add(score);
    }
  }
  std::string text = Header("operation");
  for (const auto& [name, counts] : operations) text += counts.Row(name);
  text += fmt::format("\n{}", Header("collection"));
  for (const auto& [name, counts] : collections) text += counts.Row(name);
  text += all.Row("all");
  text += expected.Row("static shapes, types of the chip");
  for (const Standing standing : {Standing::kFallback, Standing::kUnsupported, Standing::kWrong}) {
    for (const bool outside : {true, false}) text += Reasons(scores, standing, outside);
  }
  return text;
}

std::string ScoreboardJson(const std::vector<Score>& scores) {
  Json list = Json::array();
  for (const Score& score : scores) {
    list.push_back({{"name", score.program->name},
                    {"standing", Name(score.outcome.standing)},
                    {"outside", score.program->outside},
                    {"operations", score.program->operations},
                    {"reasons", score.outcome.reasons},
                    {"seconds", score.outcome.seconds}});
  }
  return list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string Baseline::Text(const std::vector<Score>& scores,
                           const std::map<std::string, int>& sizes) {
  Json baseline;
  baseline["collections"] = sizes;
  for (const Standing standing : {Standing::kFallback, Standing::kUnsupported, Standing::kWrong}) {
    std::vector<std::string> names;
    for (const Score& score : scores) {
      if (score.outcome.standing == standing) names.push_back(score.program->name);
    }
    std::sort(names.begin(), names.end());
    baseline[Name(standing)] = names;
  }
  return baseline.dump(1) + "\n";
}

Result<Baseline> Baseline::Read(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path));
  Baseline baseline;
  try {
    const Json json = Json::parse(text);
    baseline.sizes_ = json.at("collections").get<std::map<std::string, int>>();
    for (const Standing standing :
         {Standing::kFallback, Standing::kUnsupported, Standing::kWrong}) {
      for (const Json& name : json.at(Name(standing))) {
        baseline.standings_[name.get<std::string>()] = standing;
      }
    }
  } catch (const Json::exception& error) {
    return InvalidArgument(fmt::format("{}: is no baseline: {}", path, error.what()));
  }
  return baseline;
}

std::vector<std::string> Baseline::Regressions(const std::vector<Score>& scores,
                                               const std::map<std::string, int>& sizes) const {
  std::vector<std::string> lines;
  for (const Score& score : scores) {
    const auto named = standings_.find(score.program->name);
    if (named == standings_.end()) {
      const auto size = sizes_.find(score.program->collection);
      if (size == sizes_.end() || size->second != sizes.at(score.program->collection)) continue;
    }
    const Standing before = named == standings_.end() ? Standing::kOnChip : named->second;
    if (score.outcome.standing <= before) continue;
    lines.push_back(fmt::format("{}: was {}, is {}{}{}", score.program->name, Name(before),
                                Name(score.outcome.standing),
                                score.outcome.reasons.empty() ? "" : ": ",
                                score.outcome.reasons.empty() ? "" : score.outcome.reasons[0]));
  }
  return lines;
}

bool Baseline::IsKnownWrong(const std::string& program) const {
  const auto named = standings_.find(program);
  return named != standings_.end() && named->second == Standing::kWrong;
}

}  // namespace systolith::tools
