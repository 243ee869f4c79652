#ifndef SYSTOLITH_TESTS_COSIM_RANDOM_KERNEL_H_
#define SYSTOLITH_TESTS_COSIM_RANDOM_KERNEL_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "host/arch/isa.h"
#include "tb/common/random.h"

namespace systolith::cosim {

inline constexpr int kStreams = arch::kInputStreams + arch::kOutputStreams;

// A legal kernel: no register is read before it is written, and no two bundles write one output at
// the same step, so that a layout with a place for each step makes all writes distinct.
struct Kernel {
  std::vector<arch::Bundle> bundles;  // the prologue, if there is one, then the body
  uint32_t body = 0;
  std::vector<uint32_t> constants;
  // Per stream: highest step at which a bundle names it, plus 1; 0: no bundle does.
  std::array<uint32_t, kStreams> steps{};

  // What one instance does at the counts of a `vector`: bundles, and groups per stream, the larger
  // of prologue and body. Nothing if the loops of the kernel do not fit one another.
  struct Work {
    bool legal = false;
    uint64_t bundles = 0;
    std::array<uint64_t, kStreams> groups{};
  };
  Work WorkOf(const std::array<uint32_t, arch::kLoops>& counts, uint32_t kernel_level) const;
};

class RandomKernel {
 public:
  // `shared` says which w registers hold something; a prologue adds to them. With `in_place`, in3
  // is only named where the same slot writes out0, so that the two may be one place.
  RandomKernel(tb::Rng& rng, std::bitset<arch::kSharedRegisters>& shared, bool in_place)
      : rng_(rng), shared_(shared), in_place_(in_place) {}

  Kernel Generate(bool prologue, uint32_t kernel_level);

 private:
  // Codes of one slot of the bundle in the making.
  struct Slot {
    uint32_t op = 0, destination = 0, step = 0;
    std::array<uint32_t, 3> operands{};
  };

  void Append(int bundles, bool prologue);
  arch::Bundle Bundle(bool prologue, bool must_write);
  Slot AluSlot(bool a, bool prologue, bool must_write);
  Slot LaneSlot(bool prologue);
  uint32_t Operand(const Slot& slot);
  uint32_t Register();  // one that has a value
  uint32_t ScalarOrConstant();
  uint32_t Destination(bool prologue);
  void AddLoops(uint32_t kernel_level);
  // Remembers the steps of the streams that the slot names.
  void Name(const Slot& slot, uint32_t sources);
  bool NamesStreamOf(const Slot& slot, const Slot& other) const;

  tb::Rng& rng_;
  std::bitset<arch::kSharedRegisters>& shared_;
  const bool in_place_;
  Kernel kernel_;
  std::bitset<arch::kVectorRegisters> written_;
};

}  // namespace systolith::cosim

#endif  // SYSTOLITH_TESTS_COSIM_RANDOM_KERNEL_H_
