#ifndef SYSTOLITH_SIM_GOLDEN_VPU_VPU_H_
#define SYSTOLITH_SIM_GOLDEN_VPU_VPU_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/golden/prim/engine.h"
#include "sim/golden/vpu/bundle_check.h"
#include "sim/golden/vpu/kernel_loops.h"
#include "sim/golden/vpu/stream_access.h"

namespace systolith::golden {

// Executes `load_kernel`, `stream` and `vector`. Instances of a kernel run one after the other:
// they are independent of each other, which the hazard checker checks.
class Vpu : public Engine {
 public:
  explicit Vpu(ChipState& state);

  void Clear() override;

 protected:
  MaybeFault Start(const Instruction& instruction) override;
  uint32_t Loops() const override;
  MaybeFault Iterate() override;

 private:
  using Group = std::vector<uint32_t>;  // a 32-bit lane per element
  static constexpr int kStreams = arch::kInputStreams + arch::kOutputStreams;

  // What a running instance has beside its registers.
  struct Instance {
    bool prologue = false;
    KernelLoops loops;
    uint64_t bundles = 0;  // executed
    std::array<uint64_t, kStreams> groups{};  // taken or given
    std::bitset<arch::kVectorRegisters> written{};
    uint64_t latency = 0;
  };

  MaybeFault StartLoadKernel();
  MaybeFault StartStream(const arch::Stream& stream) const;
  MaybeFault StartVector(const Instruction& instruction) const;
  void LoadKernel();
  MaybeFault RunInstance(bool prologue);
  // Executes the bundle that the loops are at.
  MaybeFault RunBundle(Instance& instance, const Slots& slots);
  // Which streams the slots name, at which steps, and whether they may.
  arch::Fault NameStreams(Instance& instance, const Slots& slots,
                          std::array<int, kStreams>& steps) const;
  const uint32_t* Operand(Instance& instance, uint32_t code, Group& splat);
  uint32_t Amount(uint32_t code);
  uint32_t Constant(uint32_t number);
  void Evaluate(Instance& instance, const Slot& slot, bool lane_slot, Group& result);
  void Lookup(const uint32_t* entries, uint32_t table, Group& result);
  Group& Destination(Instance& instance, uint32_t code);
  // The program uses what it did not write; it has no defined value on the chip.
  void ReportUnwritten(std::string_view what, uint32_t number);

  const uint32_t lanes_, sublanes_;
  StreamAccess access_;
  arch::Opcode opcode_ = arch::Opcode::kSync;
  arch::Vector vector_;
  arch::LoadKernel load_kernel_;
  arch::Stream stream_;
  uint64_t instances_ = 0;  // of the instruction, that have run

  std::array<arch::Bundle, arch::kKernelBundles> bundles_{};
  std::array<uint32_t, arch::kKernelConstants> constants_{};
  std::array<arch::Stream, kStreams> streams_{};
  // What this job has written.
  std::bitset<arch::kKernelBundles> bundles_written_;
  std::bitset<arch::kKernelConstants> constants_written_;
  std::bitset<arch::kSharedRegisters> shared_written_;
  std::bitset<kStreams> described_;

  std::array<Group, arch::kVectorRegisters> registers_;
  std::array<Group, arch::kSharedRegisters> shared_;
  std::array<Group, arch::kInputStreams> inputs_;
  std::array<Group, arch::kOutputStreams> outputs_;
  std::array<Group, 3> results_;  // of the slots
  std::array<Group, 3> splats_;   // scalar operands in all lanes
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_VPU_VPU_H_
