#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "host/runtime/chip_port.h"
#include "host/runtime/device_work.h"
#include "host/runtime/memory_allocator.h"

// The worker thread of a device: the only user of its chip.
namespace systolith::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// A slice should end often enough for progress, stop requests and host flags, and seldom enough to
// cost nothing.
constexpr auto kShortSlice = std::chrono::milliseconds(50);
constexpr auto kLongSlice = std::chrono::milliseconds(200);
constexpr uint64_t kLongestSliceCycles = uint64_t{1} << 32;

// Slices in which a chip neither raises its interrupt nor moves its clock before it is given up.
constexpr int kMaxIdleSlices = 1000;

}  // namespace

void Device::RunWorker() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (on_chip_.empty()) {
        work_arrived_.wait(
            lock, [this] { return closing_ || !queue_.empty() || !urgent_.empty(); });
      }
      if (closing_) break;
    }
    RunUrgentWork();
    if (stop_requested_.exchange(false)) {
      CancelEverything("stopped on request");
      continue;
    }
    if (!FillChip() && !on_chip_.empty()) RunChipForASlice();
  }
  CancelEverything("the device was closed");
}

// Does work of the host that is due, or gives the chip the jobs that fit its queue. False when
// there is nothing more to do until the chip has gone on.
bool Device::FillChip() {
  std::unique_ptr<Work> work;
  {
    const std::lock_guard lock(mutex_);
    if (queue_.empty() || (!on_chip_.empty() && !MayJoinChip(*queue_.front()))) return false;
    work = std::move(queue_.front());
    queue_.pop_front();
  }
  if (work->group && work->group->load()) {
    End(*work, Cancelled("an earlier step failed"));
  } else if (work->launch) {
    StartOnChip(std::move(work));
  } else {
    RunOnHost(*work);
  }
  return true;
}

// Counters tell of the running or last job only, hence jobs that want them run alone.
bool Device::MayJoinChip(const Work& work) const {
  return work.launch && !work.launch->collect_counters &&
         !on_chip_.back()->launch->collect_counters && on_chip_.size() < port_->queue_capacity();
}

void Device::RunOnHost(Work& work) {
  Status status = work.host(port_->transport());
  cycle_.store(port_->transport().Cycle(), std::memory_order_relaxed);
  End(work, std::move(status));
}

void Device::RunUrgentWork() {
  for (;;) {
    std::unique_ptr<Work> work;
    {
      const std::lock_guard lock(mutex_);
      if (urgent_.empty()) return;
      work = std::move(urgent_.front());
      urgent_.pop_front();
    }
    RunOnHost(*work);
  }
}

void Device::StartOnChip(std::unique_ptr<Work> work) {
  const std::vector<std::byte> image = EncodeLaunch(*work->launch);
  Result<std::shared_ptr<Allocation>> descriptor = Allocation::Create(allocator_, image.size());
  Status status = descriptor.status();
  if (status.ok()) {
    work->descriptor = *descriptor;
    status = port_->transport().WriteMemory(work->descriptor->address(), image);
  }
  if (status.ok()) status = port_->RingDoorbell(work->descriptor->address());
  if (!status.ok()) {
    End(*work, status.WithContext(Name(*work)));
    return;
  }
  on_chip_.push_back(std::move(work));
}

void Device::RunChipForASlice() {
  Work& job = *on_chip_.front();
  hal::Transport& transport = port_->transport();
  const uint64_t before = transport.Cycle();
  if (!job.start_cycle) job.start_cycle = before;
  const Clock::time_point start = Clock::now();
  const Status status = transport.WaitForInterrupt(slice_cycles_);
  const auto took = Clock::now() - start;
  const uint64_t now = transport.Cycle();
  cycle_.store(now, std::memory_order_relaxed);
  if (status.ok()) {
    idle_slices_ = 0;
    TakeCompletions();
    return;
  }
  if (status.code() == StatusCode::kCancelled) return;  // the main loop looks at the request
  if (status.code() != StatusCode::kTimeout) {
    StopChip(status.WithContext(Name(job)), Cancelled("the chip failed in an earlier job"));
    return;
  }
  idle_slices_ = now == before ? idle_slices_ + 1 : 0;
  const uint64_t limit = job.launch->timeout_cycles;
  if (limit != 0 && now - *job.start_cycle >= limit) {
    StopChip(Timeout(fmt::format("{}: not done after {} cycles", Name(job), limit)),
             Cancelled("an earlier job took too long"));
  } else if (idle_slices_ > kMaxIdleSlices) {
    StopChip(Timeout(fmt::format("{}: the chip stands still without an interrupt", Name(job))),
             Cancelled("the chip failed in an earlier job"));
  }
  if (took < kShortSlice) slice_cycles_ = std::min(slice_cycles_ * 2, kLongestSliceCycles);
  if (took > kLongSlice) slice_cycles_ = std::max(slice_cycles_ / 2, kFirstSliceCycles);
}

void Device::TakeCompletions() {
  const Result<ChipPort::Progress> progress = port_->AcknowledgeInterrupt();
  if (!progress.ok()) {
    StopChip(progress.status(), progress.status());
    return;
  }
  for (uint32_t i = 0; i < progress->completed && !on_chip_.empty(); ++i) {
    Work& job = *on_chip_.front();
    Counters counters;
    Status status;
    if (job.launch->collect_counters) {
      Result<Counters> read = port_->ReadCounters();
      status = read.status();
      if (read.ok()) counters = std::move(*read);
    }
    End(job, std::move(status), std::move(counters));
    on_chip_.pop_front();
  }
  if (progress->fault) HandleFault();
}

void Device::HandleFault() {
  const Result<FaultRecord> fault = port_->ReadFault();
  if (on_chip_.empty() || !fault.ok()) {
    StopChip(fault.ok() ? OkStatus() : fault.status(), Cancelled("the chip failed"));
    return;
  }
  Work& job = *on_chip_.front();
  Counters counters;
  if (Result<Counters> read = port_->ReadCounters(); read.ok()) counters = std::move(*read);
  const std::string name = Name(job);
  const std::string message =
      FaultMessage(*fault, job.launch->describe, job.launch->describe_bundle);
  End(job, DeviceFault(fmt::format("{}: {}", name, message)), std::move(counters), *fault);
  on_chip_.pop_front();
  StopChip(OkStatus(),
           Cancelled(fmt::format("never started: the chip stopped at the job before ({})", name)));
}

// Ends all jobs on the chip, the oldest with a status of its own, and makes the chip idle again.
void Device::StopChip(const Status& first, const Status& others) {
  Counters counters;  // of the job that runs
  if (!on_chip_.empty() && on_chip_.front()->launch->collect_counters) {
    if (Result<Counters> read = port_->ReadCounters(); read.ok()) counters = std::move(*read);
  }
  Status recovered = port_->StopAndRecover();
  idle_slices_ = 0;
  cycle_.store(port_->transport().Cycle(), std::memory_order_relaxed);
  bool is_first = !first.ok();
  for (const std::unique_ptr<Work>& job : on_chip_) {
    Status status = is_first ? first : others;
    if (!recovered.ok()) {
      status = Status(status.code(), fmt::format("{} (and the chip could not be reset: {})",
                                                 status.message(), recovered.message()));
    }
    End(*job, std::move(status), is_first ? counters : Counters());
    is_first = false;
  }
  on_chip_.clear();
}

void Device::CancelEverything(const std::string& reason) {
  const Status cancelled = Cancelled(reason);
  if (!on_chip_.empty()) StopChip(cancelled, cancelled);
  std::deque<std::unique_ptr<Work>> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(queue_);
    std::move(urgent_.begin(), urgent_.end(), std::back_inserter(waiting));
    urgent_.clear();
  }
  for (const std::unique_ptr<Work>& work : waiting) End(*work, cancelled);
}

void Device::End(Work& work, Status status, Counters counters, std::optional<FaultRecord> fault) {
  if (!status.ok() && work.group) work.group->store(true);
  work.host = nullptr;  // what it captures may die once the event has ended
  work.event->End(std::move(status), std::move(counters), fault);
}

std::string Device::Name(const Work& work) const {
  return fmt::format("chip '{}' ({}), {}", config_.name, target_,
                     work.launch->label.empty() ? "job" : work.launch->label);
}

}  // namespace systolith::runtime
