#include "sim/golden/adapter/golden_transport.h"

// hal::kOpenSymbol.
extern "C" systolith::hal::Transport* systolith_open(
    const systolith::arch::ChipConfig& config, const systolith::hal::TransportOptions& options,
    std::string* error) {
  error->clear();
  return new systolith::golden::GoldenTransport(config, options);
}
