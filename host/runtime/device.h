#ifndef SYSTOLITH_HOST_RUNTIME_DEVICE_H_
#define SYSTOLITH_HOST_RUNTIME_DEVICE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/hal/transport.h"
#include "host/runtime/buffer.h"
#include "host/runtime/event.h"
#include "host/runtime/launch.h"

namespace systolith::runtime {

class ChipPort;
class EventState;
class MemoryAllocator;

// Work that belongs together: once one item of a group has failed, those behind it end as
// Cancelled without being started.
using WorkGroup = std::shared_ptr<std::atomic<bool>>;  // true: an item failed
WorkGroup NewWorkGroup();

// One open chip. Work is done in the order in which it was queued, by a thread of the device's own;
// every method may be called from any thread, and several devices may be open in one process.
// After a fault the chip is reset (its memory keeps its contents) and goes on with the next work.
class Device : public std::enable_shared_from_this<Device> {
 public:
  // Opens a chip of that configuration: `target` as for hal::OpenTransport ("golden", "rtl", or a
  // backend's shared object). Opening a size that was not verilated yet takes minutes.
  static Result<std::shared_ptr<Device>> Open(const std::string& target,
                                              const arch::ChipConfig& config,
                                              const hal::TransportOptions& options = {});
  // The same over a transport of the caller's; `target` is a name for messages.
  static Result<std::shared_ptr<Device>> Open(std::unique_ptr<hal::Transport> transport,
                                              const std::string& target,
                                              const arch::ChipConfig& config);

  // Closes.
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Ends queued work as Cancelled, stops what runs, finishes the waveform. Whatever is asked of the
  // device afterwards is InvalidArgument. Idempotent; not from within work of the device.
  Status Close();

  const arch::ChipConfig& config() const { return config_; }
  const std::string& target() const { return target_; }

  struct MemoryInfo {
    uint64_t total_bytes, free_bytes, largest_free_block_bytes, buffers;
  };
  MemoryInfo memory() const;

  // A buffer of device memory with undefined contents, aligned to kAllocationAlignment.
  // InvalidArgument with the sizes involved when memory is exhausted.
  Result<Buffer> Allocate(uint64_t bytes);

  // Queues one run of a program on the chip. More than 64 segments, a misaligned program or one for
  // another configuration end the event as InvalidArgument; all else is for the chip to judge.
  Event Enqueue(Launch launch, WorkGroup group = nullptr);

  // Queues a function that has the chip for itself: copies, register reads. It must not call the
  // device. What it captures must live until the event's end.
  using HostWork = std::function<Status(hal::Transport&)>;
  Event Enqueue(HostWork work, WorkGroup group = nullptr);

  // Raises a host flag (56..63), at once even while a job runs.
  Status RaiseHostFlag(uint32_t flag, uint16_t increment = 1);

  // Stops the running job and ends all work queued so far as Cancelled; with nothing queued, the
  // next work. Returns at once; callable from a signal handler.
  void RequestStop();

  // Clock cycles that the chip has been simulated for, kept up to date a few times a second while a
  // job runs; 0 for a chip without a clock.
  uint64_t Cycle() const { return cycle_.load(std::memory_order_relaxed); }

  // For work that uses memory beyond the lifetime of its buffers.
  const std::shared_ptr<MemoryAllocator>& allocator() const { return allocator_; }

 private:
  struct Work;

  Device(std::unique_ptr<ChipPort> port, const std::string& target,
         const arch::ChipConfig& config);

  Event EnqueueWork(std::unique_ptr<Work> work);
  Status CheckLaunch(const Launch& launch) const;

  // The worker thread.
  void RunWorker();
  bool FillChip();
  bool MayJoinChip(const Work& work) const;
  void StartOnChip(std::unique_ptr<Work> work);
  void RunOnHost(Work& work);
  void RunUrgentWork();
  void RunChipForASlice();
  void TakeCompletions();
  void HandleFault();
  void StopChip(const Status& first, const Status& others);
  void CancelEverything(const std::string& reason);
  static void End(Work& work, Status status, Counters counters = {},
                  std::optional<FaultRecord> fault = {});
  std::string Name(const Work& work) const;

  const arch::ChipConfig config_;
  const std::string target_;
  const std::shared_ptr<MemoryAllocator> allocator_;
  std::unique_ptr<ChipPort> port_;  // of the worker, but for RequestStop
  std::atomic<bool> stop_requested_{false};
  std::atomic<uint64_t> cycle_{0};

  mutable std::mutex mutex_;
  std::condition_variable work_arrived_;
  std::deque<std::unique_ptr<Work>> queue_;
  std::deque<std::unique_ptr<Work>> urgent_;  // register writes that don't wait for the chip
  bool closing_ = false;
  Status close_status_;

  // Of the worker.
  std::deque<std::unique_ptr<Work>> on_chip_;  // doorbell rung, oldest first
  uint64_t slice_cycles_;
  int idle_slices_ = 0;

  std::mutex close_mutex_;
  std::thread worker_;
};

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_DEVICE_H_
