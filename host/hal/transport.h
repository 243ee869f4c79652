#ifndef SYSTOLITH_HOST_HAL_TRANSPORT_H_
#define SYSTOLITH_HOST_HAL_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/arch/csr.h"
#include "host/base/status.h"

namespace systolith::hal {

// Byte address in a chip's HBM.
using DeviceAddress = uint64_t;

// Carries register accesses and memory copies between the host and one chip.
//
// This is the only seam between software and hardware: the golden model, the verilated RTL and any
// other chip each implement these calls, and everything above runs on all of them. One thread at a
// time may use a transport, but for RequestStop(); different transports are independent.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual Result<uint32_t> ReadCsr(arch::Csr csr) = 0;
  virtual Status WriteCsr(arch::Csr csr, uint32_t value) = 0;

  // Any alignment and any length inside the fitted memory is legal; outside it: InvalidArgument.
  virtual Status ReadMemory(DeviceAddress source, std::span<std::byte> destination) = 0;
  virtual Status WriteMemory(DeviceAddress destination, std::span<const std::byte> source) = 0;

  // Lets the chip run until its interrupt pin is high (at once if it is); Timeout after
  // `max_cycles`, Cancelled after RequestStop(). The chip keeps its state in every case.
  virtual Status WaitForInterrupt(uint64_t max_cycles) = 0;

  // Lets the chip run for `cycles`, interrupt or not. A model without a clock returns at once.
  virtual Status RunCycles(uint64_t cycles) = 0;

  // Pulses the reset pin: everything but memory contents returns to its state at power-up.
  virtual Status Reset() = 0;

  // Clock cycles simulated since the transport was opened; 0 for a model without a clock.
  virtual uint64_t Cycle() const = 0;

  // Makes a running or the next WaitForInterrupt() return Cancelled. Callable from any thread and
  // from a signal handler.
  virtual void RequestStop() = 0;

  // Finishes the waveform file, so that it can be opened; a no-op without one. Also done by the
  // destructor.
  virtual Status CloseTrace() = 0;
};

struct TransportOptions {
  std::string trace_path;      // an FST waveform of the whole run; empty: none. RTL only.
  bool load_by_bus = false;    // host memory copies use the AXI pins rather than the device model
  uint64_t trace_start_cycle = 0;
  uint64_t trace_end_cycle = UINT64_MAX;  // exclusive
  bool check_hazards = true;   // golden: report accesses that no flag orders
};

// A backend is a shared object that exports this function with C linkage under the name
// kOpenSymbol. It returns null and fills `error` when the chip can't be opened; the caller owns the
// transport and keeps the shared object loaded as long as it lives.
using OpenFunction = Transport* (*)(const arch::ChipConfig& config,
                                    const TransportOptions& options, std::string* error);
inline constexpr char kOpenSymbol[] = "systolith_open";

// Opens a chip of that configuration. `target` is
//   "golden"       the bit-exact model,
//   "rtl"          the verilated chip, which is built on first use (progress on stderr),
//   a path to .so  any other backend.
// An unknown target is an error that names the nearest one. The transport keeps its shared object
// loaded.
Result<std::unique_ptr<Transport>> OpenTransport(const std::string& target,
                                                 const arch::ChipConfig& config,
                                                 const TransportOptions& options = {});

}  // namespace systolith::hal

#endif  // SYSTOLITH_HOST_HAL_TRANSPORT_H_
