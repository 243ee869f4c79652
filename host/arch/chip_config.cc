#include "host/arch/chip_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <toml++/toml.h>

#include "host/arch/isa.h"
#include "host/base/hash.h"
#include "host/base/nearest_name.h"
#include "host/base/resources.h"

namespace systolith::arch {
namespace {

std::string ValueText(const ChipConfig& config, const ConfigField& field) {
  switch (field.type) {
    case ConfigType::kInt: return std::to_string(config.*field.int_member);
    case ConfigType::kBool: return config.*field.bool_member ? "true" : "false";
    case ConfigType::kString: return config.*field.string_member;
  }
  return "";
}

std::string Place(std::string_view source, const toml::node& node) {
  return fmt::format("{}:{}", source, node.source().begin.line);
}

Status CheckChoices(const ConfigField& field, const std::string& value, const std::string& place) {
  if (field.choices.empty()) return OkStatus();
  std::vector<std::string> choices;
  std::stringstream stream{std::string(field.choices)};
  for (std::string choice; std::getline(stream, choice, '|');) choices.push_back(choice);
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return OkStatus();
  return InvalidArgument(fmt::format("{}: {} = {}: must be one of {}", place, field.key, value,
                                     fmt::join(choices, ", ")));
}

Status SetField(ChipConfig& config, const ConfigField& field, const toml::node& node,
                const std::string& place) {
  switch (field.type) {
    case ConfigType::kInt: {
      if (!node.is_integer()) {
        return InvalidArgument(fmt::format("{}: {} must be an integer", place, field.key));
      }
      const int64_t value = **node.as_integer();
      if (value < field.min || value > field.max || value % field.multiple != 0) {
        return InvalidArgument(fmt::format(
            "{}: {} = {} is out of range: {}..{}{}", place, field.key, value, field.min, field.max,
            field.multiple > 1 ? fmt::format(", a multiple of {}", field.multiple) : ""));
      }
      config.*field.int_member = value;
      return CheckChoices(field, std::to_string(value), place);
    }
    case ConfigType::kBool:
      if (!node.is_boolean()) {
        return InvalidArgument(fmt::format("{}: {} must be true or false", place, field.key));
      }
      config.*field.bool_member = **node.as_boolean();
      return OkStatus();
    case ConfigType::kString:
      if (!node.is_string()) {
        return InvalidArgument(fmt::format("{}: {} must be a string", place, field.key));
      }
      config.*field.string_member = **node.as_string();
      return CheckChoices(field, config.*field.string_member, place);
  }
  return OkStatus();
}

Status UnknownKey(const std::string& key, const std::string& place) {
  std::vector<std::string> known;
  for (const ConfigField& field : kConfigFields) known.emplace_back(field.key);
  for (const TimingField& field : kTimingFields) {
    known.push_back("memory.timing." + std::string(field.key));
  }
  return InvalidArgument(fmt::format("{}: unknown key '{}'; did you mean '{}'?", place, key,
                                     NearestName(key, known)));
}

// Values in nanoseconds or cycles by key, starting from the defaults.
struct Timings {
  std::array<double, kTimingFields.size()> values;
};

Status ReadTable(const toml::table& table, const std::string& prefix, std::string_view source,
                 ChipConfig& config, Timings& timings, std::vector<std::string>& seen) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (key == "mxu" || key == "vpu" || key == "buffer" || key == "memory" || key == "sequencer" ||
        key == "memory.timing") {
      if (!node.is_table()) {
        return InvalidArgument(fmt::format("{}: '{}' must be a table", Place(source, node), key));
      }
      RETURN_IF_ERROR(ReadTable(*node.as_table(), key + ".", source, config, timings, seen));
      continue;
    }
    const std::string place = Place(source, node);
    if (prefix == "memory.timing.") {
      const auto it = std::find_if(kTimingFields.begin(), kTimingFields.end(),
                                   [&](const TimingField& f) { return f.key == name.str(); });
      if (it == kTimingFields.end()) return UnknownKey(key, place);
      const auto value = node.value<double>();
      if (!value || !(*value >= 0) || *value > 1e6) {
        return InvalidArgument(fmt::format("{}: {} must be a number in 0..1e6", place, key));
      }
      timings.values[it - kTimingFields.begin()] = *value;
      continue;
    }
    const auto it = std::find_if(kConfigFields.begin(), kConfigFields.end(),
                                 [&](const ConfigField& f) { return f.key == key; });
    if (it == kConfigFields.end()) return UnknownKey(key, place);
    RETURN_IF_ERROR(SetField(config, *it, node, place));
    seen.push_back(key);
  }
  return OkStatus();
}

Status CheckTogether(const ChipConfig& config, std::string_view source) {
  const auto error = [&](const std::string& what) {
    return InvalidArgument(fmt::format("{}: {}", source, what));
  };
  for (const auto& [key, value] :
       {std::pair{"buffer.bytes", config.buffer_bytes}, {"buffer.banks", config.buffer_banks},
        {"sequencer.instruction_lines", config.sequencer_instruction_lines},
        {"memory.max_channels", config.memory_max_channels},
        {"memory.channels", config.memory_channels}}) {
    if (!std::has_single_bit(static_cast<uint64_t>(value))) {
      return error(fmt::format("{} = {} must be a power of two", key, value));
    }
  }
  if (!std::has_single_bit(static_cast<uint64_t>(config.WordBytes()))) {
    return error(
        fmt::format("max(mxu.rows, mxu.cols) = {} must be a power of two", config.Lanes()));
  }
  if (!config.mxu_bf16 && !config.mxu_int8) return error("mxu.bf16 and mxu.int8 are both false");
  if (config.memory_channels > config.memory_max_channels) {
    return error(fmt::format("memory.channels = {} exceeds memory.max_channels = {}",
                             config.memory_channels, config.memory_max_channels));
  }
  if (config.buffer_bytes < config.buffer_banks * config.WordBytes() * 2) {
    return error(fmt::format("buffer.bytes = {} holds less than two words of {} bytes per bank",
                             config.buffer_bytes, config.WordBytes()));
  }
  if (config.memory_bytes % 4096 != 0 || config.memory_bytes > (int64_t{1} << 40)) {
    return error("memory.bytes must be a multiple of 4096 and at most 2^40");
  }
  // Refreshes must leave time to open a row and move data between them.
  const int64_t refresh = config.Timing(HbmTiming::kTrfc) + config.Timing(HbmTiming::kTras) +
                          config.Timing(HbmTiming::kTrp);
  if (config.IsHbm2() && config.Timing(HbmTiming::kTrefi) < 2 * refresh) {
    return error(fmt::format("memory.timing.trefi is {} cycles; at least {} must be: twice "
                             "trfc + tras + trp",
                             config.Timing(HbmTiming::kTrefi), 2 * refresh));
  }
  // A pseudo-channel has 16 banks of 65,536 rows of 1 KiB.
  if (config.IsHbm2() && config.memory_bytes > config.memory_channels * (int64_t{1} << 30)) {
    return error(fmt::format("memory.bytes = {} exceeds 1 GiB per channel, {} channels",
                             config.memory_bytes, config.memory_channels));
  }
  return OkStatus();
}

uint64_t HashFields(const ChipConfig& config, bool ConfigField::*part, std::string text) {
  for (const ConfigField& field : kConfigFields) {
    if (field.*part) text += fmt::format("{}={}\n", field.key, ValueText(config, field));
  }
  return Fnv1a64(text);
}

// The columns that share an activation register must divide the columns.
int64_t TileColumns(const ChipConfig& config) {
  int64_t columns = std::min(config.mxu_tile_columns, config.mxu_cols) / 8 * 8;
  while (config.mxu_cols % columns != 0) columns -= 8;
  return columns;
}

}  // namespace

uint64_t ChipConfig::BuildHash() const { return HashFields(*this, &ConfigField::build, "build\n"); }

uint64_t ChipConfig::ProgramHash() const {
  return HashFields(*this, &ConfigField::program, fmt::format("isa={}\n", kIsaVersion));
}

std::vector<std::pair<std::string, std::string>> ChipConfig::RtlParameters() const {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const ConfigField& field : kConfigFields) {
    if (field.rtl_parameter.empty()) continue;
    std::string value = ValueText(*this, field);
    if (field.key == "mxu.tile_columns") value = std::to_string(TileColumns(*this));
    if (field.key == "memory.kind") value = IsHbm2() ? "1" : "0";
    if (field.type == ConfigType::kBool) value = this->*field.bool_member ? "1" : "0";
    parameters.emplace_back(field.rtl_parameter, value);
  }
  parameters.emplace_back("ProgramHash", fmt::format("64'h{:016x}", ProgramHash()));
  return parameters;
}

std::string ChipConfig::ToToml() const {
  std::string text;
  for (const ConfigField& field : kConfigFields) {
    const bool quoted = field.type == ConfigType::kString;
    text += fmt::format("{} = {}{}{}\n", field.key, quoted ? "\"" : "", ValueText(*this, field),
                        quoted ? "\"" : "");
  }
  for (size_t i = 0; i < kTimingFields.size(); ++i) {
    const double unit = kTimingFields[i].in_cycles ? 1.0 : 1000.0 / static_cast<double>(clock_mhz);
    text += fmt::format("memory.timing.{} = {:.6f}\n", kTimingFields[i].key,
                        timing_cycles[i] * unit);
  }
  return text;
}

Result<ChipConfig> ParseChipConfig(std::string_view text, std::string_view source_name) {
  toml::table table;
  try {
    table = toml::parse(text, source_name);
  } catch (const toml::parse_error& error) {
    return InvalidArgument(fmt::format("{}:{}: {}", source_name, error.source().begin.line,
                                       error.description()));
  }
  ChipConfig config;
  Timings timings;
  for (size_t i = 0; i < kTimingFields.size(); ++i) {
    timings.values[i] = kTimingFields[i].default_value;
  }
  std::vector<std::string> seen;
  RETURN_IF_ERROR(ReadTable(table, "", source_name, config, timings, seen));
  for (const ConfigField& field : kConfigFields) {
    if (field.required && std::find(seen.begin(), seen.end(), field.key) == seen.end()) {
      return InvalidArgument(fmt::format("{}: required key '{}' is missing", source_name,
                                         field.key));
    }
  }
  for (size_t i = 0; i < kTimingFields.size(); ++i) {
    const double scale = kTimingFields[i].in_cycles ? 1.0 : config.clock_mhz / 1000.0;
    // A nanosecond value that is a whole number of cycles up to rounding error is that number.
    config.timing_cycles[i] =
        static_cast<uint32_t>(std::ceil(timings.values[i] * scale - 1e-6));
  }
  RETURN_IF_ERROR(CheckTogether(config, source_name));
  return config;
}

std::string ConfigDirectory() { return ResourceRoot() + "/rtl/chip/configs"; }

std::vector<std::string> ChipConfigNames() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(ConfigDirectory(), ignored)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<ChipConfig> LoadChipConfig(const std::string& name_or_path) {
  std::string path = ConfigDirectory() + "/" + name_or_path + ".toml";
  if (name_or_path.find('/') != std::string::npos || !std::filesystem::exists(path)) {
    path = name_or_path;
  }
  if (!std::filesystem::is_regular_file(path)) {
    const std::vector<std::string> names = ChipConfigNames();
    return InvalidArgument(fmt::format(
        "unknown chip '{}': neither a file nor one of {}; did you mean '{}'?", name_or_path,
        fmt::join(names, ", "), NearestName(name_or_path, names)));
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return InvalidArgument(fmt::format("{}: can't be read", path));
  return ParseChipConfig(text.str(), path);
}

}  // namespace systolith::arch
