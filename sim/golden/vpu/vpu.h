#ifndef SYSTOLITH_SIM_GOLDEN_VPU_VPU_H_
#define SYSTOLITH_SIM_GOLDEN_VPU_VPU_H_

#include <cstdint>
#include <vector>

#include "sim/golden/prim/engine.h"

namespace systolith::golden {

// Executes `vector`: a short list of steps over rows of 32-bit lanes.
class Vpu : public Engine {
 public:
  explicit Vpu(ChipState& state);

 protected:
  MaybeFault Start(const Instruction& instruction) override;
  MaybeFault Iterate() override;

 private:
  using Lanes = std::vector<uint32_t>;
  using Strides = std::array<int32_t, arch::kLoops>;

  bool LegalStep(uint32_t step) const;
  // Lanes of this iteration's row; 0: the iteration does nothing.
  int64_t Length() const;
  MaybeFault ReadRow(Port port, uint32_t base, const Strides& strides, uint32_t type, bool splat,
                     int64_t length, Lanes& lanes);
  MaybeFault ReadX(int64_t length);
  void Apply(uint32_t step, int64_t length);
  MaybeFault WriteRow(int64_t length);

  arch::Vector vector_;
  Lanes x_, y_, z_;
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_VPU_VPU_H_
