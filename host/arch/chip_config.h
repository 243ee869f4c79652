#ifndef SYSTOLITH_HOST_ARCH_CHIP_CONFIG_H_
#define SYSTOLITH_HOST_ARCH_CHIP_CONFIG_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/arch/chip_config_fields.h"
#include "host/base/status.h"

namespace systolith::arch {

// One chip: the values of a configuration file and what follows from them. Golden model, compiler,
// runtime and RTL read the same file through this type. A plain value; copies are independent.
struct ChipConfig : ChipConfigFields {
  // hbm2 timing in core clock cycles, indexed by HbmTiming (nanoseconds are rounded up).
  std::array<uint32_t, kTimingFields.size()> timing_cycles{};

  uint32_t Timing(HbmTiming which) const { return timing_cycles[static_cast<uint32_t>(which)]; }

  // Elements of a vector row: max(rows, cols).
  int64_t Lanes() const { return mxu_rows > mxu_cols ? mxu_rows : mxu_cols; }
  // Bytes of a bank word of the unified buffer: 2 * Lanes, or Lanes on a chip without bf16.
  int64_t WordBytes() const { return Lanes() * (mxu_bf16 ? 2 : 1); }
  // Bytes of the widest row: 32 bits per lane.
  int64_t RowBytes() const { return 4 * Lanes(); }
  bool IsHbm2() const { return memory_kind == "hbm2"; }

  // 64-bit FNV-1a over the canonical text of the fields that make another verilated chip. The
  // builder of verilated chips adds RTL sources, tool versions and flags.
  uint64_t BuildHash() const;
  // The same over the fields that compiled programs depend on, and the instruction set's version.
  uint64_t ProgramHash() const;
  // Parameters of rtl/chip/chip_top.sv with their values, in the order of config.toml; includes
  // ProgramHash (as a 64-bit Verilog literal).
  std::vector<std::pair<std::string, std::string>> RtlParameters() const;
  // The configuration as a TOML file that loads to an equal one.
  std::string ToToml() const;
};

// Parses the text of a configuration file. Errors name `source_name`, line, key, reason and, for
// an unknown key, the nearest valid one.
Result<ChipConfig> ParseChipConfig(std::string_view text, std::string_view source_name);

// Loads a configuration by name (tiny, gemm16, edge, v1, v2: files of `ConfigDirectory()`) or
// from a file of that path. An unknown name gives the nearest valid one.
Result<ChipConfig> LoadChipConfig(const std::string& name_or_path);

// Names that LoadChipConfig knows, sorted.
std::vector<std::string> ChipConfigNames();

// Where the named configurations live: rtl/chip/configs under ResourceRoot().
std::string ConfigDirectory();

}  // namespace systolith::arch

#endif  // SYSTOLITH_HOST_ARCH_CHIP_CONFIG_H_
