#ifndef SYSTOLITH_SIM_GOLDEN_MXU_MXU_H_
#define SYSTOLITH_SIM_GOLDEN_MXU_MXU_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/golden/mxu/mxu_array.h"
#include "sim/golden/prim/engine.h"

namespace systolith::golden {

// Executes `matmul`: windows of activations meet weight tiles, rows go to accumulators.
class Mxu : public Engine {
 public:
  // `unit` is the MXU's number, from 0.
  Mxu(ChipState& state, uint32_t unit);

 protected:
  MaybeFault Start(const Instruction& instruction) override;
  MaybeFault LoadWeights() override;
  MaybeFault Iterate() override;
  bool HasWeightStream() const override { return true; }

 private:
  bool LegalTypes() const;
  bool IsInt8() const;
  int64_t LoopOffset(uint32_t level, int64_t size) const;
  Operand Decode(uint32_t type, uint32_t slice, const std::byte* element) const;
  // The activation row of this iteration, fill included.
  MaybeFault ReadWindow(std::byte* row);

  const uint32_t unit_;
  MxuArray array_;
  arch::Matmul matmul_;
  int64_t a_bytes_ = 0, w_bytes_ = 0;  // per element
  bool leading_ = false;               // byte 0 of both operands meets: Inf and NaN count
  std::vector<std::byte> row_;
  std::vector<Operand> activations_;
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_MXU_MXU_H_
