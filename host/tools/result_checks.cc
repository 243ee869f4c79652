#include "host/tools/result_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "host/runtime/device.h"
#include "host/runtime/executable.h"

namespace systolith::tools {
namespace {

// "[1, 2]" for element `i` of a tensor.
std::string IndexText(const graph::Dims& dims, int64_t i) {
  graph::Dims index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = i % dims[d];
    i /= dims[d];
  }
  return graph::DimsToString(index);
}

std::string NotesText(const std::vector<std::string>& notes) {
  return notes.empty() ? "" : fmt::format(" ({})", notes.front());
}

// Where no bound is known, floats may still not be anything: this share of the largest one is far
// more than rounding makes, and far less than a wrong operation does.
constexpr double kLooseShare = 0x1p-4;

double LargestMagnitude(const graph::Literal& values) {
  double largest = 0;
  for (int64_t i = 0; graph::IsFloat(values.type()) && i < values.size(); ++i) {
    const double magnitude = std::fabs(values.GetDouble(i));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest;
}

double LargestFinite(graph::ElementType type) {
  switch (type) {
    case graph::ElementType::kF16: return 65504;
    case graph::ElementType::kBF16: return 0x1.fep127;
    default: return 0x1.fffffep127;
  }
}

}  // namespace

Check CompareBits(const std::string& name, const graph::Literal& chip,
                  const graph::Literal& golden) {
  Check check{.name = name};
  const size_t width = static_cast<size_t>(graph::ByteWidth(chip.type()));
  int64_t first = -1, count = 0;
  for (int64_t i = 0; i < chip.size(); ++i) {
    const size_t at = static_cast<size_t>(i) * width;
    if (std::memcmp(&chip.bytes()[at], &golden.bytes()[at], width) == 0) continue;
    if (first < 0) first = i;
    ++count;
  }
  check.passed = count == 0;
  if (check.passed) {
    check.message = fmt::format("{} elements, equal bits", chip.size());
    return check;
  }
  std::string bits[2];
  const graph::Literal* sides[2] = {&chip, &golden};
  for (int side = 0; side < 2; ++side) {
    for (size_t b = width; b-- > 0;) {
      bits[side] += fmt::format(
          "{:02x}", static_cast<unsigned>(
                        sides[side]->bytes()[static_cast<size_t>(first) * width + b]));
    }
  }
  check.message = fmt::format(
      "{} of {} elements differ; the first, {}: chip {} (0x{}), golden {} (0x{})", count,
      chip.size(), IndexText(chip.dims(), first), chip.ElementToString(first), bits[0],
      golden.ElementToString(first), bits[1]);
  return check;
}

Check CompareWithin(const std::string& name, const graph::Literal& chip,
                    const BoundedValue& reference) {
  Check check{.name = name};
  if (chip.shape() != reference.value.shape()) {
    check.message = fmt::format("shape {}, reference {}", chip.shape().ToString(),
                                reference.value.shape().ToString());
    return check;
  }
  if (graph::IsComplex(chip.type())) {  // never on the chip, hence equal or wrong
    check = CompareBits(name, chip, reference.value);
    return check;
  }
  const bool is_float = graph::IsFloat(chip.type());
  int64_t first = -1, count = 0;
  const double loose = kLooseShare * LargestMagnitude(reference.value);
  const auto bound_at = [&](int64_t i) {
    const double bound = reference.BoundAt(i);
    return std::isinf(bound) && is_float ? loose : bound;
  };
  for (int64_t i = 0; i < chip.size(); ++i) {
    const double bound = bound_at(i);
    if (std::isinf(reference.BoundAt(i))) ++check.unchecked;
    if (std::isinf(bound)) continue;
    if (!is_float && bound == 0) {
      if (chip.GetInt(i) == reference.value.GetInt(i)) continue;
    }
    const double c = chip.GetDouble(i), r = reference.value.GetDouble(i);
    bool fits = false;
    if (std::isnan(r) || std::isnan(c)) {
      fits = std::isnan(r) && std::isnan(c);
    } else if (std::isinf(r) || std::isinf(c)) {
      // Just below and just above the largest number are neighbours.
      const double other = std::isinf(c) ? r : c;
      fits = r == c || (std::signbit(r) == std::signbit(c) &&
                        std::fabs(other) + bound >= LargestFinite(chip.type()));
    } else {
      const double error = std::fabs(c - r);
      fits = error <= bound;
      check.max_error = std::max(check.max_error, error);
      if (bound > 0) check.max_error_of_bound = std::max(check.max_error_of_bound, error / bound);
    }
    if (fits) continue;
    if (first < 0) first = i;
    ++count;
  }
  check.passed = count == 0;
  if (!check.passed) {
    check.message = fmt::format(
        "{} of {} elements are out of bounds; the first, {}: chip {}, reference {}, allowed error "
        "{:.3g}",
        count, chip.size(), IndexText(chip.dims(), first), chip.ElementToString(first),
        reference.value.ElementToString(first), bound_at(first));
    return check;
  }
  check.message = fmt::format("{} elements, largest error {:.3g}, {:.3g} of its bound",
                              chip.size() - check.unchecked, check.max_error,
                              check.max_error_of_bound);
  if (check.unchecked > 0) {
    check.message += fmt::format("; no bound is known for {} elements", check.unchecked);
    if (is_float) check.message += ", which are within a 16th of the largest";
  }
  return check;
}

Result<std::vector<Check>> CheckAgainstGolden(const isa::Executable& executable,
                                              const arch::ChipConfig& config,
                                              std::span<const graph::Literal> arguments,
                                              const evaluator::EvalOptions& evaluation,
                                              std::span<const graph::Literal> results) {
  ASSIGN_OR_RETURN(const std::shared_ptr<runtime::Device> device,
                   runtime::Device::Open("golden", config));
  ASSIGN_OR_RETURN(const auto loaded, runtime::LoadedExecutable::Load(device, executable));
  ASSIGN_OR_RETURN(const std::vector<graph::Literal> golden,
                   loaded->Call(arguments, {.evaluation = evaluation}));
  std::vector<Check> checks;
  for (size_t i = 0; i < golden.size(); ++i) {
    checks.push_back(CompareBits(fmt::format("golden, result {}", i), results[i], golden[i]));
  }
  return checks;
}

Result<std::vector<Check>> CheckAgainstEvaluator(const graph::Module& module,
                                                 graph::Precision precision,
                                                 std::span<const graph::Literal> arguments,
                                                 std::span<const graph::Literal> results) {
  std::vector<std::string> notes;
  ASSIGN_OR_RETURN(const std::vector<BoundedValue> references,
                   EvaluateWithBounds(module, arguments, precision, &notes));
  std::vector<Check> checks;
  for (size_t i = 0; i < references.size(); ++i) {
    checks.push_back(
        CompareWithin(fmt::format("evaluator, result {}", i), results[i], references[i]));
    if (checks.back().unchecked > 0) checks.back().message += NotesText(notes);
  }
  return checks;
}

}  // namespace systolith::tools
