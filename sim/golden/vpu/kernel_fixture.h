#ifndef SYSTOLITH_SIM_GOLDEN_VPU_KERNEL_FIXTURE_H_
#define SYSTOLITH_SIM_GOLDEN_VPU_KERNEL_FIXTURE_H_

#include <bit>
#include <vector>

#include "sim/golden/testing/chip_fixture.h"

namespace systolith::golden {

// Runs kernels on a chip of 2 sublanes of 8 lanes; `Base` as of ChipFixture.
template <typename Base>
class KernelFixture : public ChipFixture<Base> {
 protected:
  using Chip = ChipFixture<Base>;

  static constexpr uint32_t kX = 0, kY = 0x1000, kOut = 0x4000, kOut1 = 0x6000;
  static constexpr uint32_t kGroup = 16;  // elements
  static constexpr uint32_t kOutStream = arch::kInputStreams;

  struct Kernel {
    std::vector<arch::Bundle> bundles;
    std::vector<uint32_t> constants;
    std::vector<arch::Stream> streams;
    arch::Vector vector = VectorOf(1);
  };

  static uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }

  // in0 at kX, in1 at kY, out0 at kOut, out1 at kOut1: flat groups of 32 bits.
  Kernel KernelOf(std::vector<arch::Bundle> bundles, uint32_t instances = 1) const {
    Kernel kernel;
    kernel.bundles = std::move(bundles);
    kernel.bundles.back().exit = 1;
    for (uint32_t q : {0u, 1u, kOutStream, kOutStream + 1}) {
      kernel.streams.push_back(FlatStream(this->config_, q, arch::LaneType::kF32));
    }
    kernel.vector = VectorOf(instances);
    kernel.vector.bases = {kX, kY, 0, 0, kOut, kOut1};
    return kernel;
  }
  static arch::Bundle CopyBundle() { return BundleOf(arch::AluOp::kCopy, Out(0), In(0)); }

  static void Append(ProgramWriter& program, const Kernel& kernel) {
    AppendBundles(program, kernel.bundles, kernel.vector.kernel_base);
    AppendConstants(program, kernel.constants, kernel.vector.constant_base);
    for (const arch::Stream& stream : kernel.streams) {
      program.Append(arch::Opcode::kStream, stream);
    }
  }
  // What is in the buffer from kOut on after the kernel has run; before it, HBM offset a is at
  // buffer address a.
  template <typename T>
  std::vector<T> RunKernel(const Kernel& kernel, size_t count) {
    ProgramWriter program;
    Append(program, kernel);
    program.Append(arch::Opcode::kLoad, Chip::Signalling(Chip::LoadOf(0, 0, 0x8000), 0));
    program.Append(arch::Opcode::kVector,
                   Chip::Signalling(Chip::Waiting(kernel.vector, 0, 1), 1));
    program.Append(arch::Opcode::kStore,
                   Chip::Waiting(Chip::StoreOf(0x10000, kOut, 0x4000), 1, 1));
    program.Halt();
    this->MustRun(program);
    return this->template ReadHbm<T>(0x10000, count);
  }
  JobResult ResultOf(const Kernel& kernel) {
    ProgramWriter program;
    Append(program, kernel);
    program.Append(arch::Opcode::kVector, kernel.vector);
    program.Halt();
    return this->Run(program);
  }
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_VPU_KERNEL_FIXTURE_H_
