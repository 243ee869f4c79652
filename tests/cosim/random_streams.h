#ifndef SYSTOLITH_TESTS_COSIM_RANDOM_STREAMS_H_
#define SYSTOLITH_TESTS_COSIM_RANDOM_STREAMS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/arch/isa.h"
#include "tb/common/random.h"
#include "tests/cosim/ordered_program.h"
#include "tests/cosim/random_kernel.h"

namespace systolith::cosim {

// Bytes per element of a lane_type.
int64_t LaneBytes(uint32_t type);

// Descriptions and places for the streams of one `vector`: windows of every kind for the inputs,
// layouts without overlap for the outputs.
class RandomStreams {
 public:
  using Counts = std::array<uint32_t, arch::kLoops>;

  // Inputs from the buffer lie in [in.begin, in.end), outputs in `out`. A gather finds
  // `index_count` indices below that number at `indices`.
  struct Region {
    int64_t begin = 0, end = 0;
    int64_t bytes() const { return end - begin; }
  };
  RandomStreams(tb::Rng& rng, const arch::ChipConfig& config, Region in, Region out,
                int64_t indices, int64_t index_count)
      : rng_(rng), config_(config), in_(in), out_(out), indices_(indices),
        index_count_(index_count) {}

  // False: an output does not fit.
  bool Place(const Kernel& kernel, const Counts& counts, bool in_place);

  const std::vector<arch::Stream>& streams() const { return streams_; }
  const std::array<int32_t, kStreams>& bases() const { return bases_; }
  const std::vector<Extent>& extents() const { return extents_; }

 private:
  // Iterations of the six loops, steps, sublanes.
  using Dimensions = std::array<int64_t, 8>;
  using Steps = std::array<int32_t, 8>;

  Dimensions DimensionsOf(const arch::Stream& stream, const Counts& counts, uint32_t steps) const;
  int64_t RowElements(const arch::Stream& stream) const;
  int64_t Unit(const arch::Stream& stream) const;  // bytes; that row addresses are multiples of
  arch::Stream Shape(uint32_t index);
  void Clip(arch::Stream& stream);

  void PlaceInput(arch::Stream& stream, const Dimensions& dimensions);
  void PlaceImage(arch::Stream& stream, const Dimensions& dimensions);
  void PlaceGather(arch::Stream& stream, const Dimensions& dimensions);
  void PlaceAccumulator(arch::Stream& stream, const Dimensions& dimensions);
  void PlaceIota(arch::Stream& stream);
  bool PlaceOutput(arch::Stream& stream, const Dimensions& dimensions, Region region);

  // Random strides, multiples of `unit`, that reach no further than `span`, and a base that keeps
  // them and `bytes` more in the region.
  Extent Walk(const Dimensions& dimensions, int64_t unit, int64_t span, int64_t bytes,
              Region region, Steps& strides, int32_t& base);
  Steps SmallSteps(int64_t most);

  tb::Rng& rng_;
  const arch::ChipConfig& config_;
  const Region in_, out_;
  const int64_t indices_, index_count_;
  std::vector<arch::Stream> streams_;
  std::array<int32_t, kStreams> bases_{};
  std::vector<Extent> extents_;
};

}  // namespace systolith::cosim

#endif  // SYSTOLITH_TESTS_COSIM_RANDOM_STREAMS_H_
