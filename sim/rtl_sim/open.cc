#include <memory>

#include "sim/rtl_sim/rtl_transport.h"

// hal::kOpenSymbol.
extern "C" __attribute__((visibility("default"))) systolith::hal::Transport* systolith_open(
    const systolith::arch::ChipConfig& config, const systolith::hal::TransportOptions& options,
    std::string* error) {
  auto transport = std::make_unique<systolith::rtl_sim::RtlTransport>(config, options);
  const systolith::Status status = transport->SetUp();
  *error = status.message();
  return status.ok() ? transport.release() : nullptr;
}
