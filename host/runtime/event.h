#ifndef SYSTOLITH_HOST_RUNTIME_EVENT_H_
#define SYSTOLITH_HOST_RUNTIME_EVENT_H_

#include <chrono>
#include <memory>
#include <optional>

#include "host/base/status.h"
#include "host/runtime/counters.h"
#include "host/runtime/fault.h"

namespace systolith::runtime {

class EventState;

// The end of a piece of work that a device does asynchronously. A handle: copies mean the same
// work, which goes on when the last handle is gone. Any thread.
class Event {
 public:
  explicit Event(std::shared_ptr<EventState> state) : state_(std::move(state)) {}
  // Work that has ended already with that outcome.
  static Event Ended(Status status);

  bool Done() const;

  // Blocks until the work has ended and returns its outcome: DeviceFault when the chip stopped it,
  // Cancelled when it was stopped or never started because of something else (the message says
  // what), Timeout when it exceeded its cycles.
  Status Wait() const;

  // The same, but Timeout if the work has not ended after `limit`; it then goes on.
  Status WaitFor(std::chrono::milliseconds limit) const;

  // The chip's counters of the work, up to where it was stopped; all zero before its end and when
  // they were not collected.
  Counters counters() const;

  // The chip's fault registers if the work ended with DeviceFault.
  std::optional<FaultRecord> fault() const;

 private:
  std::shared_ptr<EventState> state_;
};

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_EVENT_H_
