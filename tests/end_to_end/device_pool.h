#ifndef SYSTOLITH_TESTS_END_TO_END_DEVICE_POOL_H_
#define SYSTOLITH_TESTS_END_TO_END_DEVICE_POOL_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/graph/literal.h"
#include "host/isa/executable.h"
#include "host/runtime/device.h"

namespace systolith::testing {

// Whether SYSTOLITH_TEST_TARGETS names the verilated chip.
bool RtlIsTested();

// A configuration of tests/end_to_end/chips. Fails the test if there is none.
arch::ChipConfig TestChip(const std::string& name);

// Chips opened once, when they are first used, and closed together.
class DevicePool {
 public:
  // Through driver and compiled steps as users run them.
  Result<std::vector<graph::Literal>> Run(const std::string& target,
                                          const arch::ChipConfig& config,
                                          const isa::Executable& executable,
                                          const std::vector<graph::Literal>& arguments);
  void Close() { devices_.clear(); }

 private:
  std::map<std::string, std::shared_ptr<runtime::Device>> devices_;
};

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_END_TO_END_DEVICE_POOL_H_
