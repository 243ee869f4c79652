#ifndef SYSTOLITH_TB_COMMON_STREAM_H_
#define SYSTOLITH_TB_COMMON_STREAM_H_

#include <deque>
#include <utility>
#include <vector>

#include "tb/common/random.h"

namespace systolith::tb {

// Decides cycle by cycle whether a partner is willing. Besides independent stalls there are runs
// of full speed and long silences, which find other faults than a coin does.
class Stalls {
 public:
  // `probability` of a stall in the mixed phases; 0 never stalls.
  Stalls(Rng& rng, double probability) : rng_(&rng), probability_(probability) {}

  bool Go() {
    if (probability_ <= 0) return true;
    if (left_ == 0) {
      left_ = static_cast<int>(rng_->Range(1, 60));
      const uint64_t kind = rng_->Below(8);
      rate_ = kind == 0 ? 1.0 : kind <= 2 ? 0.0 : probability_;
      if (kind == 0) left_ = left_ / 2 + 1;
    }
    left_--;
    return !rng_->Chance(rate_);
  }

 private:
  Rng* rng_;
  double probability_;
  double rate_ = 0;
  int left_ = 0;
};

// Drives a valid/ready stream into a block. Each cycle: `Offer` before the edge, then `Edge` with
// the ready that was seen. An offer that was not taken holds still.
template <typename Item>
class StreamSource {
 public:
  StreamSource(Rng& rng, double stall_probability) : stalls_(rng, stall_probability) {}

  void Push(Item item) { items_.push_back(std::move(item)); }
  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size(); }

  // The item on offer in this cycle, or null.
  const Item* Offer() {
    if (!offered_) offered_ = !items_.empty() && stalls_.Go();
    return offered_ ? &items_.front() : nullptr;
  }
  void Edge(bool ready) {
    if (offered_ && ready) {
      items_.pop_front();
      offered_ = false;
    }
  }

 private:
  Stalls stalls_;
  std::deque<Item> items_;
  bool offered_ = false;
};

// Takes from a valid/ready stream out of a block. Each cycle: `Ready` before the edge, then `Edge`
// with the valid and the payload that were seen.
template <typename Item>
class StreamSink {
 public:
  StreamSink(Rng& rng, double stall_probability) : stalls_(rng, stall_probability) {}

  bool Ready() { return ready_ = stalls_.Go(); }
  void Edge(bool valid, const Item& item) {
    if (valid && ready_) items_.push_back(item);
  }
  const std::vector<Item>& items() const { return items_; }

 private:
  Stalls stalls_;
  std::vector<Item> items_;
  bool ready_ = false;
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_COMMON_STREAM_H_
