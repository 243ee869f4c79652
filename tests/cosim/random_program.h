#ifndef SYSTOLITH_TESTS_COSIM_RANDOM_PROGRAM_H_
#define SYSTOLITH_TESTS_COSIM_RANDOM_PROGRAM_H_

#include <bitset>
#include <cstdint>
#include <vector>

#include "host/arch/chip_config.h"
#include "tb/common/random.h"
#include "tests/cosim/ordered_program.h"

namespace systolith::cosim {

// Bytes behind golden::kDataAddress that a random program works on. Segment 0 is all of them,
// read and write; segment 1 the input, read only.
inline constexpr int64_t kInputBytes = 1 << 16;
inline constexpr int64_t kOutputBytes = 1 << 16;  // stores of the program, and loads of them
inline constexpr int64_t kDumpBytes = 1 << 20;    // buffer and accumulators at the end
inline constexpr int64_t kDataBytes = kInputBytes + kOutputBytes + kDumpBytes;

// What the input starts with: words that programs rely on.
inline constexpr uint32_t kTripCount = 3;
inline constexpr int64_t kGatherRows = 64;
std::vector<uint8_t> RandomInput(tb::Rng& rng);

golden::JobOptions RandomProgramOptions();

// Generates programs that keep all rules: odd alignments, fill, gather, clipped windows, all types,
// levels, transposes, random kernels and streams, loops with patches, chases by level. All state
// that the program can reach is written before it is read, and stored at the end.
class RandomProgram {
 public:
  // The chip has at most two MXUs and a buffer of 32 KiB to 512 KiB.
  RandomProgram(tb::Rng& rng, const arch::ChipConfig& config) : rng_(rng), config_(config) {}

  // About `length` random instructions between the fixed beginning and end; so many of them are
  // kernels for certain.
  std::vector<uint32_t> Generate(int length, double kernels = 0);

 private:
  using Counts = std::array<uint32_t, arch::kLoops>;
  using Strides = std::array<int32_t, arch::kLoops>;

  // A random linear form over the nest: sum(index * stride) spans [lowest, highest].
  struct Walk {
    Strides strides{};
    int64_t lowest = 0, highest = 0;
  };

  void Prologue();
  void Epilogue();
  void AppendLoad();
  void AppendGather();
  void AppendStore();
  void AppendMatmul();
  void AppendVector();
  void AppendTranspose();
  void AppendSync();
  void AppendLoop();
  void AppendChase();
  void ChaseLoadByStore();
  void ChaseMatmulByVector();
  void ChaseVectorByStore();
  void ChaseByStore(uint32_t producer, int64_t buffer, uint32_t rows, int64_t run);
  void ChaseTransposeByStore();
  // The producer signals each iteration of its loop 0, the consumer waits before each of its own.
  template <typename T>
  void SignalRows(T& producer);
  // That may be several of the producer's, which has `rows` in all.
  template <typename T>
  void FollowRows(T& consumer, uint32_t producer, uint32_t rows, uint32_t rows_each = 1);

  Counts RandomCounts(uint32_t limit);
  Walk RandomWalk(const Counts& counts, int64_t unit, int64_t span, bool may_fall = true);
  // A start that keeps the walk and `bytes` more inside [0, limit), a multiple of `unit`.
  int64_t PlaceWalk(const Walk& walk, int64_t bytes, int64_t unit, int64_t limit);
  static Extent BytesOf(Extent::Space space, int64_t base, const Walk& walk, int64_t bytes,
                        bool write);

  void ChooseTypes(arch::Matmul& matmul);
  void ChooseLimits(arch::Matmul& matmul);
  void PlaceActivations(arch::Matmul& matmul, std::vector<Extent>& extents);
  void PlaceImage(arch::Matmul& matmul, std::vector<Extent>& extents);
  void PlaceWeights(arch::Matmul& matmul, std::vector<Extent>& extents);
  arch::Matmul FreshRows(uint32_t unit, int64_t first, int64_t rows,
                         std::vector<Extent>& extents);
  bool AppendKernel();
  void LoadIndices(int64_t buffer);  // kGatherRows of them
  static arch::Dma Rows(arch::Engine engine, int64_t hbm, int64_t buffer, uint32_t rows,
                        int64_t run);
  arch::Dma RandomTransfer(bool load, std::vector<Extent>& extents);

  tb::Rng& rng_;
  const arch::ChipConfig& config_;
  OrderedProgram program_;
  std::array<uint32_t, 13> chased_{};  // raises of each engine's flag for chases
  std::bitset<arch::kSharedRegisters> shared_;  // w registers that hold something
};

}  // namespace systolith::cosim

#endif  // SYSTOLITH_TESTS_COSIM_RANDOM_PROGRAM_H_
