#include "tests/end_to_end/device_pool.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "host/runtime/executable.h"

namespace systolith::testing {

bool RtlIsTested() {
  const char* targets = std::getenv("SYSTOLITH_TEST_TARGETS");
  return targets != nullptr && std::string(targets).find("rtl") != std::string::npos;
}

arch::ChipConfig TestChip(const std::string& name) {
  const auto config = arch::LoadChipConfig(std::string(SYSTOLITH_SOURCE_DIR) +
                                           "/tests/end_to_end/chips/" + name + ".toml");
  EXPECT_TRUE(config.ok()) << config.status().message();
  return config.ok() ? *config : arch::ChipConfig{};
}

Result<std::vector<graph::Literal>> DevicePool::Run(const std::string& target,
                                                    const arch::ChipConfig& config,
                                                    const isa::Executable& executable,
                                                    const std::vector<graph::Literal>& arguments) {
  std::shared_ptr<runtime::Device>& device = devices_[target + "\n" + config.ToToml()];
  if (device == nullptr) {
    ASSIGN_OR_RETURN(device, runtime::Device::Open(target, config));
  }
  ASSIGN_OR_RETURN(const auto loaded, runtime::LoadedExecutable::Load(device, executable));
  return loaded->Call(arguments);
}

}  // namespace systolith::testing
