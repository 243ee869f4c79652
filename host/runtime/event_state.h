#ifndef SYSTOLITH_HOST_RUNTIME_EVENT_STATE_H_
#define SYSTOLITH_HOST_RUNTIME_EVENT_STATE_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "host/base/status.h"
#include "host/runtime/counters.h"
#include "host/runtime/fault.h"

namespace systolith::runtime {

// What stands behind an Event: written once by the device's worker. Internal to the runtime.
class EventState {
 public:
  void End(Status status, Counters counters = {}, std::optional<FaultRecord> fault = {}) {
    {
      const std::lock_guard lock(mutex_);
      if (done_) return;
      done_ = true;
      status_ = std::move(status);
      counters_ = std::move(counters);
      fault_ = fault;
    }
    ended_.notify_all();
  }

  bool Done() const {
    const std::lock_guard lock(mutex_);
    return done_;
  }
  Status Wait() const {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return done_; });
    return status_;
  }
  Status WaitFor(std::chrono::milliseconds limit) const {
    std::unique_lock lock(mutex_);
    if (!ended_.wait_for(lock, limit, [this] { return done_; })) {
      return Timeout("the work has not ended yet");
    }
    return status_;
  }
  Counters counters() const {
    const std::lock_guard lock(mutex_);
    return counters_;
  }
  std::optional<FaultRecord> fault() const {
    const std::lock_guard lock(mutex_);
    return fault_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  bool done_ = false;
  Status status_;
  Counters counters_;
  std::optional<FaultRecord> fault_;
};

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_EVENT_STATE_H_
