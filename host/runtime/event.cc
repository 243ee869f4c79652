#include "host/runtime/event.h"

#include "host/runtime/event_state.h"

namespace systolith::runtime {

Event Event::Ended(Status status) {
  auto state = std::make_shared<EventState>();
  state->End(std::move(status));
  return Event(std::move(state));
}

bool Event::Done() const { return state_->Done(); }
Status Event::Wait() const { return state_->Wait(); }
Status Event::WaitFor(std::chrono::milliseconds limit) const { return state_->WaitFor(limit); }
Counters Event::counters() const { return state_->counters(); }
std::optional<FaultRecord> Event::fault() const { return state_->fault(); }

}  // namespace systolith::runtime
