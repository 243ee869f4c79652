#ifndef SYSTOLITH_SIM_GOLDEN_CHECKER_INSTANCE_ACCESSES_H_
#define SYSTOLITH_SIM_GOLDEN_CHECKER_INSTANCE_ACCESSES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systolith::golden {

// Finds instances of one `vector` instruction that touch the same bytes of the unified buffer. The
// model runs instances one after the other, the chip several at once, so there must be no read of
// what an instance writes, but that an instance may read what it overwrites later, and no two
// writes of one byte.
class InstanceAccesses {
 public:
  explicit InstanceAccesses(size_t bytes) : writer_(bytes), reader_(bytes) {}

  void StartInstruction() { first_ = instance_ + 1; }
  void StartInstance() { ++instance_; }

  // False if the bytes [begin, end) conflict with what the instruction did before.
  bool Read(size_t begin, size_t end);
  bool Write(size_t begin, size_t end);

 private:
  static constexpr uint64_t kSeveral = uint64_t{1} << 63;  // other instances read it, too

  uint64_t first_ = 1, instance_ = 0;  // of the instruction; the running one
  std::vector<uint64_t> writer_, reader_;  // of each byte, the last instance
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_CHECKER_INSTANCE_ACCESSES_H_
