#include "host/tools/tensor_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "host/base/nearest_name.h"
#include "host/tools/random_input.h"

namespace systolith::tools {
namespace {

using graph::ElementType;

// The dtype of .npy files that holds a type; bf16 has "u2" as well.
std::string DtypeOf(ElementType type) {
  switch (type) {
    case ElementType::kI1: return "b1";
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8: return "i1";
    case ElementType::kS16: return "i2";
    case ElementType::kS32: return "i4";
    case ElementType::kS64: return "i8";
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8: return "u1";
    case ElementType::kU16: return "u2";
    case ElementType::kU32: return "u4";
    case ElementType::kU64: return "u8";
    case ElementType::kBF16: return "V2";
    case ElementType::kF16: return "f2";
    case ElementType::kF32: return "f4";
    default: return "";
  }
}

std::optional<size_t> NumberAfter(const std::string& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  size_t number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

Status NoSuchArgument(const std::string& where, const std::string& name, size_t count) {
  std::vector<std::string> known;
  for (size_t i = 0; i < count; ++i) known.push_back(fmt::format("arg{}", i));
  if (known.empty()) {
    return InvalidArgument(fmt::format("{}: '{}': the program takes no arguments", where, name));
  }
  return InvalidArgument(fmt::format(
      "{}: no argument '{}'; did you mean '{}'? The program takes {}", where, name,
      NearestName(name, known), count == 1 ? "arg0" : fmt::format("arg0 to arg{}", count - 1)));
}

// One slot per argument, in order; empty where no file has it.
using Slots = std::vector<std::optional<graph::Literal>>;

Status FillFromNpz(const std::string& path, const std::vector<graph::Shape>& shapes,
                   Slots& slots) {
  ASSIGN_OR_RETURN(const NamedArrays arrays, ReadNpz(path));
  const bool named = std::any_of(arrays.begin(), arrays.end(), [](const auto& member) {
    return NumberAfter(member.first, "arg").has_value();
  });
  for (size_t i = 0; i < arrays.size(); ++i) {
    const auto& [name, array] = arrays[i];
    const size_t index = named ? NumberAfter(name, "arg").value_or(shapes.size()) : i;
    if (index >= shapes.size()) return NoSuchArgument(path, name, shapes.size());
    ASSIGN_OR_RETURN(slots[index], LiteralFromNpy(array, shapes[index],
                                                  fmt::format("{}, array {}", path, name)));
  }
  return OkStatus();
}

Status FillFromNpy(const std::string& text, const std::vector<graph::Shape>& shapes,
                   Slots& slots) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return InvalidArgument(fmt::format("--input {}: must be argN=FILE.npy", text));
  }
  const std::string name = text.substr(0, equals);
  const size_t index = NumberAfter(name, "arg").value_or(shapes.size());
  if (index >= shapes.size()) return NoSuchArgument("--input", name, shapes.size());
  const std::string path = text.substr(equals + 1);
  ASSIGN_OR_RETURN(const NpyArray array, ReadNpy(path));
  ASSIGN_OR_RETURN(slots[index], LiteralFromNpy(array, shapes[index],
                                                fmt::format("{} (for {})", path, name)));
  return OkStatus();
}

}  // namespace

Result<graph::Literal> LiteralFromNpy(const NpyArray& array, const graph::Shape& shape,
                                      const std::string& name) {
  const std::string expected = DtypeOf(shape.type);
  const bool type_fits =
      array.dtype == expected || (shape.type == ElementType::kBF16 && array.dtype == "u2");
  if (!type_fits) {
    return InvalidArgument(fmt::format(
        "{}: dtype {} does not fit {}, which needs {}", name, array.dtype,
        graph::ElementTypeName(shape.type),
        shape.type == ElementType::kBF16 ? "V2 (ml_dtypes.bfloat16) or u2 (its bits)" : expected));
  }
  if (array.dims != shape.dims) {
    return InvalidArgument(fmt::format("{}: shape {} does not fit {}", name,
                                       graph::DimsToString(array.dims), shape.ToString()));
  }
  graph::Literal literal(shape, array.data);
  const int bits = graph::BitWidth(shape.type);
  if (bits > 1 && bits < 8) {  // one byte each, but few values
    for (int64_t i = 0; i < literal.size(); ++i) {
      const int64_t value = literal.GetInt(i);
      const int64_t low = graph::IsSigned(shape.type) ? -(int64_t{1} << (bits - 1)) : 0;
      if (value >= low && value < low + (int64_t{1} << bits)) continue;
      return InvalidArgument(fmt::format("{}: element {} is {}, which is no {}", name, i, value,
                                         graph::ElementTypeName(shape.type)));
    }
  }
  return literal;
}

NpyArray NpyFromLiteral(const graph::Literal& literal) {
  return {.dtype = DtypeOf(literal.type()),
          .dims = literal.dims(),
          .data = {literal.bytes().begin(), literal.bytes().end()}};
}

Result<Arguments> ReadArguments(const std::vector<graph::Shape>& shapes, const Options& options) {
  Slots slots(shapes.size());
  if (!options.inputs_path.empty()) {
    RETURN_IF_ERROR(FillFromNpz(options.inputs_path, shapes, slots));
  }
  for (const std::string& input : options.inputs) {
    RETURN_IF_ERROR(FillFromNpy(input, shapes, slots));
  }
  const bool any_file = !options.inputs_path.empty() || !options.inputs.empty();
  Arguments arguments;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!slots[i]) {
      if (any_file && !options.seed) {
        return InvalidArgument(fmt::format(
            "argument arg{} ({}) is missing; give a file, or --seed for random contents", i,
            shapes[i].ToString()));
      }
      arguments.seed = options.seed.value_or(0);
      slots[i] = RandomLiteral(shapes[i], *arguments.seed, i);
    }
    arguments.values.push_back(std::move(*slots[i]));
  }
  return arguments;
}

Status WriteResults(const std::string& path, const std::vector<graph::Literal>& results) {
  NamedArrays arrays;
  for (size_t i = 0; i < results.size(); ++i) {
    if (DtypeOf(results[i].type()).empty()) {
      return InvalidArgument(fmt::format("{}: result {} is {}, which .npy files can't hold", path,
                                         i, graph::ElementTypeName(results[i].type())));
    }
    arrays.emplace_back(fmt::format("result{}", i), NpyFromLiteral(results[i]));
  }
  return WriteNpz(path, arrays);
}

Result<Accuracy> CompareWithLabels(const graph::Literal& scores, const std::string& labels_path) {
  ASSIGN_OR_RETURN(const NpyArray array, ReadNpy(labels_path));
  if (scores.dims().empty() || graph::IsComplex(scores.type())) {
    return InvalidArgument(
        fmt::format("--labels: result 0 is {}; it needs one row of scores per label",
                    scores.shape().ToString()));
  }
  const int64_t classes = scores.dims().back();
  const int64_t rows = classes == 0 ? 0 : scores.size() / classes;
  const int64_t label_bytes = NpyItemSize(array.dtype);
  if (array.dtype.front() != 'i' && array.dtype.front() != 'u') {
    return InvalidArgument(fmt::format("{}: dtype {}: labels must be integers", labels_path,
                                       array.dtype));
  }
  if (static_cast<int64_t>(array.data.size()) != rows * label_bytes) {
    return InvalidArgument(fmt::format("{}: {} labels for {} rows of result 0 ({})", labels_path,
                                       static_cast<int64_t>(array.data.size()) / label_bytes, rows,
                                       scores.shape().ToString()));
  }
  Accuracy accuracy{.total = rows};
  for (int64_t row = 0; row < rows; ++row) {
    int64_t best = 0;
    for (int64_t i = 1; i < classes; ++i) {
      if (scores.GetDouble(row * classes + i) > scores.GetDouble(row * classes + best)) best = i;
    }
    uint64_t label = 0;
    std::memcpy(&label, array.data.data() + row * label_bytes, static_cast<size_t>(label_bytes));
    if (label == static_cast<uint64_t>(best)) ++accuracy.correct;
  }
  return accuracy;
}

}  // namespace systolith::tools
