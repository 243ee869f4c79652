#include "host/isa/executable.h"

#include <gmock/gmock.h>

#include "host/isa/assembler.h"

namespace systolith::isa {
namespace {

using ::testing::HasSubstr;

Executable Sample() {
  Executable executable;
  executable.name = "jit_f";
  executable.chip_name = "tiny";
  executable.program_hash = 0xfedcba9876543210;
  executable.tensors = {{"bf16", {3, 5}, Home::kArgument, 0, 0, 30},
                        {"f32", {}, Home::kConstants, 0, 4, 4},
                        {"i8", {0, 2}, Home::kResult, 0, 0, 0}};
  executable.arguments = {0};
  executable.results = {2};
  executable.aliases = {{0, 0}};
  executable.constants.resize(8, std::byte{0x5a});
  ChipStep chip;
  chip.program = *Assembler().Finish();
  chip.program.kernels = {{0, "softmax"}};
  chip.segments = {{Home::kArgument, 0, true, false}, {Home::kResult, 0, true, true}};
  executable.steps = {chip, HostStep{"module {}", {0, 1}, {2}, false, {5, 6}}};
  executable.notes = {"f32 rounded to bf16"};
  executable.operations = {{"dot_general", 3, true, "", 12, 24, 48},
                           {"sine", 4, false, "no", 0, 1, 2}};
  return executable;
}

TEST(ExecutableTest, SurvivesItsFile) {
  const Executable executable = Sample();
  Result<Executable> read = Deserialize(Serialize(executable), "f.sysx");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, executable);
  EXPECT_EQ(read->Macs(), 12u);
  EXPECT_EQ(read->FallbackShare(), 0.5);
}

TEST(ExecutableTest, EveryTruncationIsAnErrorThatNamesTheFile) {
  const std::vector<std::byte> bytes = Serialize(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    Result<Executable> read = Deserialize(std::span(bytes).first(size), "f.sysx");
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_THAT(read.status().message(), HasSubstr("f.sysx"));
  }
}

TEST(ExecutableTest, EveryFlippedBitIsAnError) {
  const std::vector<std::byte> bytes = Serialize(Sample());
  for (size_t byte = 0; byte < bytes.size(); ++byte) {
    std::vector<std::byte> damaged = bytes;
    damaged[byte] ^= std::byte{0x10};
    EXPECT_FALSE(Deserialize(damaged, "f.sysx").ok()) << byte;
  }
}

TEST(ExecutableTest, ATensorOutsideOfItsAllocationIsAnError) {
  Executable executable = Sample();
  executable.tensors[1].offset = 6;
  EXPECT_THAT(Deserialize(Serialize(executable), "f.sysx").status().message(),
              HasSubstr("outside of its allocation"));
}

}  // namespace
}  // namespace systolith::isa
