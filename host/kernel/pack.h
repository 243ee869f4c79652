#ifndef SYSTOLITH_HOST_KERNEL_PACK_H_
#define SYSTOLITH_HOST_KERNEL_PACK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/kernel/ir.h"

namespace systolith::kernel {

// Which instructions of a region run in one bundle, by their numbers.
struct BundlePlan {
  static constexpr size_t kEmpty = SIZE_MAX;
  size_t a = kEmpty, b = kEmpty, lane = kEmpty;
  uint32_t loop_start = 0, loop_end = 0;
};

struct Packing {
  size_t window = 512;        // instructions that compete for a bundle
  // Bundles from one store (load) to the next, at least, if others fill them.
  size_t store_distance = 0;
  size_t load_distance = 0;
};

struct PackedBundles {
  std::vector<BundlePlan> bundles;
  // Every packing from `least` to `most`, in each of the three, gives the same.
  Packing least, most;
};

// Packs the instructions of each basic block into bundles. Only the next `window` instructions in
// program order compete for a bundle, those on the longest path to the block's end first: a small
// window keeps fewer values alive. The region is in the form that Normalise leaves, and outlives
// the packer.
class Packer {
 public:
  explicit Packer(const Region& region);

  PackedBundles Pack(const Packing& packing) const;

  // What a region's bundles take at least, in cycles, each run once.
  uint64_t LeastCycles() const;

 private:
  static constexpr size_t kStreams = arch::kInputStreams + arch::kOutputStreams;

  // A later instruction that must wait: `distance` bundles at least (0: the same bundle will do).
  struct Edge {
    uint32_t to;
    uint32_t distance;
  };
  struct Node {
    std::vector<Edge> successors;
    uint32_t predecessors = 0;
    uint32_t rank = 0;           // the first come first
    bool is_lane = false, is_store = false, is_load = false, slot_a = false, slot_b = false;
    std::array<int8_t, kStreams> steps;  // of each stream that it uses, else kUnused
  };
  struct Block {
    std::vector<Node> nodes;
    std::vector<uint32_t> by_rank;
    uint64_t least_cycles = 0;
  };
  class OpenBundle;

  static void PackBlock(const Block& block, size_t begin, const Packing& packing,
                        PackedBundles& packed);
  void FindDependences(Block& block, size_t begin) const;
  void Rank(Block& block, size_t begin) const;

  const Region& region_;
  std::vector<size_t> boundaries_;
  std::vector<Block> blocks_;
};

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_PACK_H_
