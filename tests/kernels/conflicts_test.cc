// Accesses to the unified buffer that a bank conflict holds back are counted for the engine that
// waits, on a chip with banks; the golden model has none.
#include "host/arch/csr.h"
#include "tests/kernels/kernel_test.h"

namespace systolith::kernels {
namespace {

class ConflictsTest : public KernelTest {
 protected:
  // Conflicts of the vector unit in a job that loads data and, if told, copies it onto itself, where
  // reads and writes meet in the same banks.
  static uint32_t Conflicts(const arch::ChipConfig& chip, bool copies) {
    const int64_t elements = 64 * GroupLanes(chip);
    KernelProgram program(chip);
    const int64_t data = program.Input(std::vector<float>(static_cast<size_t>(elements), 1.0f));
    const kernel::Kernel kernel = FromLibrary("scale_rows", {}, chip);
    if (copies) {
      arch::Vector vector;
      vector.kernel_level = 1;
      vector.counts[0] = 64;
      vector.bases[kIn0] = vector.bases[kOut0] = static_cast<int32_t>(data);
      program.Run(kernel, {Describe(FlatStream{kIn0, LaneType::kF32, elements}, chip),
                           Describe(FlatStream{kOut0, LaneType::kF32, elements}, chip)},
                  vector);
    }
    auto transport = hal::OpenTransport(Target(), chip);
    EXPECT_TRUE(transport.ok());
    const golden::JobResult result = program.Execute(**transport);
    EXPECT_TRUE(result.completed) << result;
    const auto engine = static_cast<uint32_t>(arch::Engine::kVpu);
    return (*transport)->ReadCsr(At(arch::Csr::kConflict, engine)).value();
  }
};

TEST_F(ConflictsTest, CountedForTheEngineThatWaits) {
  const arch::ChipConfig chip = Chips()[0];
  EXPECT_EQ(Conflicts(chip, false), 0u);
  if (Target() == "golden") {
    EXPECT_EQ(Conflicts(chip, true), 0u);
  } else {
    EXPECT_GT(Conflicts(chip, true), 0u);
  }
}

}  // namespace
}  // namespace systolith::kernels
