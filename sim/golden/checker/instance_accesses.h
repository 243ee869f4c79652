#ifndef SYSTOLITH_SIM_GOLDEN_CHECKER_INSTANCE_ACCESSES_H_
#define SYSTOLITH_SIM_GOLDEN_CHECKER_INSTANCE_ACCESSES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace systolith::golden {

// Finds instances of one `vector` instruction that touch the same bytes of the unified buffer. The
// model runs instances one after the other, the chip several at once, so there must be no read of
// what an instance writes, but that an instance may read what it overwrites later, and no two
// writes of one byte.
class InstanceAccesses {
 public:
  explicit InstanceAccesses(size_t bytes) : pages_((bytes + kPageBytes - 1) / kPageBytes) {}

  void StartInstruction();
  void StartInstance() { ++instance_; }

  // False if the bytes [begin, end) conflict with what the instruction did before.
  bool Read(size_t begin, size_t end);
  bool Write(size_t begin, size_t end);

 private:
  static constexpr size_t kPageBytes = 4096;
  static constexpr uint32_t kSeveral = uint32_t{1} << 31;  // other instances read it, too

  // Of each byte, the last instance that wrote or read it; numbers go on from one instruction to
  // the next, so that nothing has to be cleared between them.
  struct Page {
    std::array<uint32_t, kPageBytes> writer{}, reader{};
  };
  // Calls `visit` for the parts of the range, page by page.
  template <typename Visit>
  bool ForPages(size_t begin, size_t end, Visit visit);

  uint32_t first_ = 1, instance_ = 0;  // of the instruction; the running one
  std::vector<std::unique_ptr<Page>> pages_;  // of those that were touched
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_CHECKER_INSTANCE_ACCESSES_H_
