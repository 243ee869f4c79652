#ifndef SYSTOLITH_HOST_RUNTIME_LAUNCH_H_
#define SYSTOLITH_HOST_RUNTIME_LAUNCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/hal/transport.h"
#include "host/runtime/fault.h"

namespace systolith::runtime {

class Allocation;

// One window into HBM that a program sees as "segment i + offset".
struct SegmentBinding {
  hal::DeviceAddress base = 0;
  uint64_t bytes = 0;  // 0 with neither right: the segment is not bound
  bool readable = false;
  bool writable = false;
  uint32_t owner = 0;  // must be the launch's owner for an access to be legal
};

// One run of one program on the chip. The program's bytes must be in HBM already.
struct Launch {
  std::string label;  // names the job in messages
  hal::DeviceAddress program_address = 0;  // 64-byte aligned
  uint32_t program_bytes = 0;
  uint64_t program_hash = 0;               // of the configuration that it was compiled for
  std::vector<SegmentBinding> segments;    // at most 64
  uint32_t owner = 0;

  // Whether Event::counters() is filled in. A job without may share the chip's command queue with
  // its neighbours, so that it starts the moment its predecessor ends.
  bool collect_counters = true;
  // Cycles after which the job is stopped with Timeout; 0: none (the chip's watchdog still stops a
  // job that makes no progress).
  uint64_t timeout_cycles = 0;

  DescribeInstruction describe;                         // for fault messages; may be empty
  DescribeBundle describe_bundle;                       // likewise
  std::vector<std::shared_ptr<Allocation>> keep_alive;  // not freed before the job has ended
};

// The image of a launch descriptor as rtl/arch/README.md lays it out.
std::vector<std::byte> EncodeLaunch(const Launch& launch);

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_LAUNCH_H_
