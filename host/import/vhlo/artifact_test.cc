// Artifacts of JAX beside the text of the same module (examples/export_programs.py), and files that
// are none.
#include "host/import/vhlo/artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "host/base/file.h"
#include "host/graph/print.h"
#include "host/graph/rewrite.h"
#include "host/import/import.h"
#include "host/import/vhlo/vhlo.h"

namespace systolith::import::vhlo {
namespace {

using testing::HasSubstr;

const std::filesystem::path kPrograms = std::filesystem::path(SYSTOLITH_PROGRAMS) / "vhlo";

std::vector<std::byte> Program(const std::string& name) {
  return ReadFile(kPrograms / (name + ".mlirbc")).value();
}

TEST(ArtifactTest, ProgramsOfJaxAreThoseOfTheirText) {
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kPrograms)) {
    if (entry.path().extension() != ".mlirbc") continue;
    std::filesystem::path text_path = entry.path();
    text_path.replace_extension(".mlir");
    const auto text = ImportFile(text_path);
    const auto bytecode = ImportFile(entry.path());
    ASSERT_TRUE(text.ok()) << text.status().message();
    ASSERT_TRUE(bytecode.ok()) << bytecode.status().message();
    EXPECT_EQ(graph::Print(*bytecode), graph::Print(*text)) << entry.path();
    ++programs;
  }
  EXPECT_EQ(programs, 11);
}

TEST(ArtifactTest, OperationsKnowTheLineOfPythonTheyCameFrom) {
  const auto module = Import(Program("layer_norm"), "x.mlirbc");
  ASSERT_TRUE(module.ok()) << module.status().message();
  std::string described;
  graph::ForEachOp(module->Entry()->body, [&](const graph::Op& op) {
    if (op.opcode == graph::Opcode::kRsqrt) described = graph::Describe(op);
  });
  EXPECT_THAT(described, testing::MatchesRegex("stablehlo.rsqrt at export_programs.py:[0-9]+"));
}

TEST(ArtifactTest, ACutFileIsAnErrorThatNamesTheByte) {
  const std::vector<std::byte> whole = Program("control");
  for (size_t size = kMagicBytes; size < whole.size(); ++size) {
    const auto module = Import(std::span(whole).first(size), "x.mlirbc");
    ASSERT_FALSE(module.ok()) << size;
    EXPECT_EQ(module.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(module.status().message(), testing::MatchesRegex("x.mlirbc: byte [0-9]+.*"));
  }
}

TEST(ArtifactTest, BytesBehindTheLastSectionAreAnError) {
  std::vector<std::byte> bytes = Program("control");
  bytes.push_back(std::byte{1});
  EXPECT_FALSE(Import(bytes, "x.mlirbc").ok());
}

TEST(ArtifactTest, AnotherVersionOfBytecodeIsRefused) {
  std::vector<std::byte> bytes = Program("control");
  bytes[kMagicBytes] = std::byte{7 << 1 | 1};
  const auto module = Import(bytes, "x.mlirbc");
  ASSERT_EQ(module.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(module.status().message(), HasSubstr("x.mlirbc: byte 4: MLIR bytecode of version 7"));
}

TEST(ArtifactTest, AnUnknownVersionOfAnOperationIsRefusedByName) {
  std::vector<std::byte> bytes = Program("control");
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t at = text.find("cosine_v2");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 8] = std::byte{'9'};
  const auto module = Import(bytes, "x.mlirbc");
  ASSERT_EQ(module.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(module.status().message(), HasSubstr("x.mlirbc: byte "));
  EXPECT_THAT(module.status().message(), HasSubstr("export_programs.py:"));
  EXPECT_THAT(module.status().message(), HasSubstr("operation vhlo.cosine_v9 of StableHLO_v"));
}

}  // namespace
}  // namespace systolith::import::vhlo
