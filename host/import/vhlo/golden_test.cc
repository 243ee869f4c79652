// Reads the artifacts that StableHLO keeps of its versions, each next to the same program as text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "host/base/file.h"
#include "host/graph/print.h"
#include "host/import/parser.h"
#include "host/import/vhlo/artifact.h"

namespace systolith::import::vhlo {
namespace {

// The functions of the text, each as a text of its own. One ends at the next that begins, so that
// an error in one does not hide the others.
std::vector<std::string> SplitFunctions(const std::string& text) {
  std::vector<std::string> functions;
  for (size_t begin = text.find("\nfunc.func "); begin != std::string::npos;) {
    const size_t end = text.find("\nfunc.func ", begin + 1);
    functions.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return functions;
}

std::string PrintOne(graph::Function function) {
  graph::Module module;
  module.functions.push_back(std::move(function));
  return graph::Print(module);
}

// What this project does not have: dynamic shapes, some types, unknown custom calls, work of
// several chips, and a few operations that StableHLO has given up or nobody lowers to.
constexpr const char* kReasons[] = {
    "a dynamic dimension '?' is not supported", "is no constant, so the shape is not known",
    "element type complex<", "element type !quant.uniform", "element type index",
    "element type f4E", "element type f6E", "element type f8E", "type memref",
    "type !stablehlo.future", "has no body", "custom call @", "it needs several chips",
    "it works on complex numbers", "it works on quantized types",
    "it talks to the host while the program runs", "the specification leaves its values open",
    "stablehlo.async_start ", "stablehlo.einsum ", "stablehlo.torch_index_select ",
    "stablehlo.unary_einsum "};

struct Counts {
  int equal = 0, refused = 0;
};

// Every function must give the graph that its text gives, or be refused as its text is.
void Compare(const std::filesystem::path& text_path, Counts& counts) {
  const std::string text = ReadTextFile(text_path).value();
  const std::vector<std::byte> bytes = ReadFile(text_path.string() + ".bc").value();
  const auto artifact = Artifact::Open(bytes, "golden.bc");
  ASSERT_TRUE(artifact.ok()) << artifact.status().message();
  const Status all = (*artifact)->DecodeAll();
  EXPECT_TRUE(all.ok()) << all.message();
  const std::vector<std::string> functions = SplitFunctions(text);
  ASSERT_EQ(functions.size(), (*artifact)->function_count());
  for (size_t i = 0; i < functions.size(); ++i) {
    auto expected = Parser(functions[i], "golden.mlir", 1).ParseModule();
    auto actual = (*artifact)->ReadFunction(i);
    ASSERT_EQ(expected.status().code(), actual.status().code())
        << functions[i] << "\ntext: " << expected.status().message()
        << "\nbytecode: " << actual.status().message();
    if (actual.ok()) {
      EXPECT_EQ(PrintOne(std::move(*actual)), PrintOne(std::move(expected->functions[0])));
      ++counts.equal;
      continue;
    }
    const std::string& message = actual.status().message();
    EXPECT_EQ(actual.status().code(), StatusCode::kUnsupported) << message;
    EXPECT_TRUE(std::any_of(std::begin(kReasons), std::end(kReasons), [&](const char* reason) {
      return message.find(reason) != std::string::npos;
    })) << message;
    ++counts.refused;
  }
}

struct Golden {
  const char* version;
  int functions;
  int equal;  // at least: new operations add to it
};

class GoldenTest : public testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, EveryFunctionIsThatOfItsTextOrIsRefused) {
  const char* cases = std::getenv("SYSTOLITH_CASES");
  if (cases == nullptr) GTEST_SKIP() << "SYSTOLITH_CASES is not set; no artifacts to read";
  const Golden& golden = GetParam();
  Counts counts;
  Compare(std::filesystem::path(cases) / "stablehlo/vhlo" /
              (std::string("stablehlo_legalize_to_vhlo.") + golden.version + ".mlir"),
          counts);
  EXPECT_EQ(counts.equal + counts.refused, golden.functions);
  EXPECT_GE(counts.equal, golden.equal);
}

INSTANTIATE_TEST_SUITE_P(Versions, GoldenTest,
                         testing::Values(Golden{"1_10_0", 230, 149}, Golden{"1_12_0", 231, 150},
                                         Golden{"1_14_0", 235, 152}, Golden{"1_16_0", 248, 152}),
                         [](const auto& info) { return std::string(info.param.version); });

}  // namespace
}  // namespace systolith::import::vhlo
