#include "host/import/import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>

#include "host/base/file.h"
#include "host/graph/print.h"

namespace systolith::import {
namespace {

using graph::Opcode;

std::string Function(const std::string& body, const std::string& type = "tensor<4xf32>") {
  return "func.func public @main(%arg0: " + type + ") -> " + type + " {\n" + body + "}\n";
}

std::string ErrorOf(const std::string& text, StatusCode code) {
  const auto module = ImportText(text, "x.mlir");
  EXPECT_FALSE(module.ok());
  EXPECT_EQ(module.status().code(), code) << module.status().message();
  return module.status().message();
}

std::vector<std::filesystem::path> Programs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SYSTOLITH_PROGRAMS)) {
    if (entry.path().extension() == ".mlir") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(ImportTest, ProgramsSurvivePrintingAndReadingBack) {
  int programs = 0;
  for (const auto& path : Programs()) {
    const auto module = ImportFile(path);
    ASSERT_TRUE(module.ok()) << module.status().message();
    const std::string printed = graph::Print(*module);
    const auto again = ImportText(printed, "printed");
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(graph::Print(*again), printed) << path;
    ++programs;
  }
  EXPECT_GE(programs, 10);
}

TEST(ImportTest, ConvolutionAttributesAreComplete) {
  const auto module = ImportFile(std::string(SYSTOLITH_PROGRAMS) + "/conv_bias_relu_bf16.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const graph::Op& op = module->Entry()->body.ops[0];
  const auto& conv = op.As<graph::ConvolutionAttributes>();
  EXPECT_EQ(op.location.line, 3);
  EXPECT_EQ(conv.window_strides, (graph::Dims{2, 2}));
  EXPECT_EQ(conv.padding_low, (graph::Dims{1, 1}));
  EXPECT_EQ(conv.input_spatial, (graph::Dims{1, 2}));
  EXPECT_EQ(conv.kernel_output_feature, 3);
  EXPECT_EQ(conv.output_feature, 3);
  EXPECT_EQ(conv.window_reversal, (std::vector<bool>{false, false}));
}

TEST(ImportTest, ConstantsKeepTheirValues) {
  const auto module = ImportText(
      "func.func @main() {\n"
      "  %a = stablehlo.constant dense<\"0x0000803F000000C0\"> : tensor<2xf32>\n"
      "  %b = stablehlo.constant dense<[[1, -2], [127, -128]]> : tensor<2x2xi8>\n"
      "  %c = stablehlo.constant dense<0x7FC0> : tensor<3xbf16>\n"
      "  %d = stablehlo.constant dense<[true, false]> : tensor<2xi1>\n"
      "  %e = stablehlo.constant dense<> : tensor<0x4xf32>\n"
      "  %f = stablehlo.constant dense<18446744073709551615> : tensor<ui64>\n"
      "  %g = stablehlo.constant dense<-1.5e-3> : tensor<f64>\n"
      "  return\n}\n", "x.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  std::vector<const graph::Literal*> values;
  for (const graph::Op& op : module->Entry()->body.ops) {
    if (op.opcode == Opcode::kConstant) {
      values.push_back(op.As<graph::ConstantAttributes>().value.get());
    }
  }
  ASSERT_EQ(values.size(), 7U);
  EXPECT_EQ(values[0]->GetDouble(1), -2.0);
  EXPECT_EQ(values[1]->GetInt(3), -128);
  EXPECT_EQ(values[2]->As<uint16_t>()[2], 0x7FC0);
  EXPECT_EQ(values[3]->GetInt(0), 1);
  EXPECT_EQ(values[4]->size(), 0);
  EXPECT_EQ(values[5]->As<uint64_t>()[0], UINT64_MAX);
  EXPECT_EQ(values[6]->GetDouble(0), -1.5e-3);
}

TEST(ImportTest, PrettyAndGenericFormsMeanTheSame) {
  const std::string pretty = Function(
      "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [0] : "
      "(tensor<4xf32>, tensor<f32>) -> tensor<f32> loc(\"f\"(\"g.py\":1:2))\n"
      "  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>\n"
      "  return %1 : tensor<4xf32>\n");
  const std::string generic = Function(
      "  %c = \"stablehlo.constant\"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>\n"
      "  %0 = \"stablehlo.reduce\"(%arg0, %c) ({\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "    %s = \"stablehlo.add\"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
      "    \"stablehlo.return\"(%s) : (tensor<f32>) -> ()\n"
      "  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
      "  %1 = \"stablehlo.broadcast_in_dim\"(%0) {broadcast_dimensions = array<i64>} : "
      "(tensor<f32>) -> tensor<4xf32>\n"
      "  \"func.return\"(%1) : (tensor<4xf32>) -> ()\n");
  const auto a = ImportText(pretty, "a"), b = ImportText(generic, "b");
  ASSERT_TRUE(a.ok()) << a.status().message();
  ASSERT_TRUE(b.ok()) << b.status().message();
  EXPECT_EQ(graph::Print(*a), graph::Print(*b));
}

TEST(ImportTest, TheGenericFormOfModulesAndFunctionsIsRead) {
  const std::string text =
      "\"builtin.module\"() <{sym_name = \"jit_f\"}> ({\n"
      "  \"func.func\"() <{function_type = (tensor<2xf32>, tensor<i1>) -> (tensor<2xf32>), "
      "sym_name = \"main\", sym_visibility = \"public\"}> ({\n"
      "  ^bb0(%arg0: tensor<2xf32>, %arg1: tensor<i1>):\n"
      "    %0 = \"func.call\"(%arg0) <{callee = @twice}> : (tensor<2xf32>) -> tensor<2xf32>\n"
      "    %1 = \"stablehlo.if\"(%arg1) ({\n"
      "      \"stablehlo.return\"(%0) : (tensor<2xf32>) -> ()\n    }, {\n"
      "      \"stablehlo.return\"(%arg0) : (tensor<2xf32>) -> ()\n"
      "    }) : (tensor<i1>) -> tensor<2xf32>\n"
      "    \"func.return\"(%1) : (tensor<2xf32>) -> ()\n"
      "  }) {res_attrs = [{jax.result_info = \"\"}]} : () -> ()\n"
      "  \"func.func\"() ({\n"
      "  ^bb0(%arg0: tensor<2xf32> loc(unknown)):\n"
      "    %0 = \"stablehlo.add\"(%arg0, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> "
      "loc(#loc1)\n"
      "    \"func.return\"(%0) : (tensor<2xf32>) -> () loc(#loc)\n"
      "  }) {function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = \"twice\", "
      "sym_visibility = \"private\"} : () -> () loc(#loc)\n"
      "}) {mhlo.num_partitions = 1 : i32} : () -> () loc(#loc)\n"
      "#loc = loc(unknown)\n#loc1 = loc(\"f\"(#loc))\n";
  const auto module = ImportText(text, "x.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_EQ(module->name, "jit_f");
  ASSERT_EQ(module->functions.size(), 2U);
  EXPECT_EQ(module->functions[0].name, "main");
  EXPECT_FALSE(module->functions[0].is_private);
  EXPECT_EQ(module->functions[0].arguments().size(), 2U);
  EXPECT_TRUE(module->functions[1].is_private);
}

TEST(ImportTest, ConvolutionDimensionsMayBeWrittenOut) {
  const auto program = [](const std::string& numbers) {
    return "func.func @main(%x: tensor<1x4x3xf32>, %w: tensor<2x3x5xf32>) -> tensor<1x3x5xf32> {\n"
           "  %0 = \"stablehlo.convolution\"(%x, %w) <{batch_group_count = 1 : i64, "
           "feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<" + numbers +
           ">}> : (tensor<1x4x3xf32>, tensor<2x3x5xf32>) -> tensor<1x3x5xf32>\n"
           "  return %0 : tensor<1x3x5xf32>\n}\n";
  };
  const auto brief = ImportText(program("[b, 0, f]x[0, i, o]->[b, 0, f]"), "x.mlir");
  const auto full = ImportText(
      program("raw input_batch_dimension = 0, input_feature_dimension = 2, "
              "input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, "
              "kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], "
              "output_batch_dimension = 0, output_feature_dimension = 2, "
              "output_spatial_dimensions = [1]"), "x.mlir");
  ASSERT_TRUE(brief.ok()) << brief.status().message();
  ASSERT_TRUE(full.ok()) << full.status().message();
  EXPECT_EQ(graph::Print(*full), graph::Print(*brief));
}

TEST(ImportTest, UnsupportedOperationsAreNamedWithTheirLine) {
  EXPECT_EQ(
      ErrorOf(Function("  %0 = stablehlo.fft %arg0, type = FFT, length = [4] : tensor<4xf32>\n"
                       "  return %0 : tensor<4xf32>\n"),
              StatusCode::kUnsupported),
      "x.mlir:2:8: operation stablehlo.fft is not supported: it works on complex numbers");
  EXPECT_EQ(ErrorOf("func.func @main(%arg0: tensor<2xcomplex<f32>>) { return }",
                    StatusCode::kUnsupported),
            "x.mlir:1:24: element type complex<f32> is not supported");
  EXPECT_EQ(ErrorOf("func.func @main(%arg0: tensor<?x4xf32>) { return }",
                    StatusCode::kUnsupported),
            "x.mlir:1:31: a dynamic dimension '?' is not supported");
  EXPECT_EQ(ErrorOf("func.func @main(%arg0: memref<4xf32>) { return }", StatusCode::kUnsupported),
            "x.mlir:1:24: type memref<4xf32> is not supported; only static tensors are");
  EXPECT_EQ(ErrorOf("func.func @main(%arg0: tensor<2x!quant.uniform<i8:f32, 2.0>>) { return }",
                    StatusCode::kUnsupported),
            "x.mlir:1:24: element type !quant.uniform<i8:f32, 2.0> is not supported");
  EXPECT_EQ(ErrorOf(Function("  %0 = stablehlo.custom_call @magic(%arg0) : (tensor<4xf32>) -> "
                             "tensor<4xf32>\n  return %0 : tensor<4xf32>\n"),
                    StatusCode::kUnsupported),
            "x.mlir:2:8: custom call @magic is not supported");
}

TEST(ImportTest, MalformedTextIsPlacedAndExplained) {
  const auto error = [](const std::string& body) {
    return ErrorOf(Function(body), StatusCode::kInvalidArgument);
  };
  EXPECT_EQ(error("  %0 = stablehlo.abs %arg1 : tensor<4xf32>\n"),
            "x.mlir:2:22: %arg1 is used before its definition");
  EXPECT_EQ(error("  %0 = stablehlo.abs %arg0 tensor<4xf32>\n  return %0 : tensor<4xf32>\n"),
            "x.mlir:2:28: 'tensor' has no place in stablehlo.abs");
  EXPECT_EQ(error("  return %arg0 : tensor<5xf32>\n"),
            "x.mlir:2:3: operand 0 of return is tensor<4xf32> but its type says tensor<5xf32>");
  EXPECT_EQ(error("  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32>\n"),
            "x.mlir:2:33: the constant does not fit tensor<3xf32>: its lists are [2]");
  EXPECT_EQ(error("  %0 = stablehlo.constant dense<[1.0, [2.0]]> : tensor<2xf32>\n"),
            "x.mlir:2:39: the lists are ragged");
  EXPECT_EQ(error("  %0 = stablehlo.constant dense<300> : tensor<i8>\n"),
            "x.mlir:2:33: '300' is no i8");
  EXPECT_EQ(error("  %0 = stablehlo.add %arg0, %arg0 : tensor<5xf32>\n"
                  "  return %arg0 : tensor<4xf32>\n"),
            "x.mlir: stablehlo.add at line 2: result 0 is tensor<5xf32> where the operands give "
            "tensor<4xf32>");
  EXPECT_EQ(error("  %0 = call @f(%arg0) : (tensor<4xf32>) -> tensor<4xf32>\n"
                  "  return %0 : tensor<4xf32>\n"),
            "x.mlir: func.call at line 2: there is no function @f");
  EXPECT_EQ(ErrorOf("func.func @main() {\n  return\n", StatusCode::kInvalidArgument),
            "x.mlir:3:1: the text ends inside of a region");
  EXPECT_EQ(ErrorOf("", StatusCode::kInvalidArgument), "x.mlir:1:1: the text has no function");
}

TEST(ImportTest, FewCharactersCannotAskForAllMemory) {
  EXPECT_NE(ErrorOf(Function("  %0 = stablehlo.constant dense<0.0> : tensor<99999x99999xf32>\n"),
                    StatusCode::kUnsupported).find("repeated element"), std::string::npos);
  EXPECT_NE(ErrorOf("func.func @main(%a: tensor<9999999x9999999x9999999xf32>) { return }",
                    StatusCode::kInvalidArgument).find("too large"), std::string::npos);
  EXPECT_NE(ErrorOf(Function("  %0:4000000000 = stablehlo.abs %arg0 : tensor<4xf32>\n"),
                    StatusCode::kInvalidArgument).find("so many results"), std::string::npos);
}

TEST(ImportTest, DeepNestingIsRefused) {
  const std::string open(100000, '[');
  EXPECT_NE(ErrorOf(Function("  %0 = stablehlo.abs %arg0 {a = " + open),
                    StatusCode::kInvalidArgument).find("too deeply"), std::string::npos);
  EXPECT_NE(ErrorOf(Function("  %0 = stablehlo.constant dense<" + open),
                    StatusCode::kInvalidArgument).find("too deeply"), std::string::npos);
  std::string regions;
  for (int i = 0; i < 5000; ++i) regions += "  \"stablehlo.if\"(%arg0) ({\n";
  EXPECT_NE(ErrorOf(Function(regions), StatusCode::kInvalidArgument).find("too deeply"),
            std::string::npos);
}

TEST(ImportTest, SplitInputKeepsLineNumbers) {
  const std::string text = "a\n// -----\nb\nc\n// -----\nd";
  const std::vector<Piece> pieces = SplitInput(text);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[1].text, "b\nc\n");
  EXPECT_EQ(pieces[1].first_line, 3);
  EXPECT_EQ(pieces[2].first_line, 6);
  const auto module = ImportText("func.func @f() { retur }", "x.mlir", 6);
  EXPECT_EQ(module.status().message(), "x.mlir:6:18: expected an operation but found 'retur'");
}

// Any text gives a module or an error: never a crash, a hang or an unbounded allocation.
TEST(ImportTest, MutatedProgramsGiveAModuleOrAnError) {
  std::vector<std::string> texts;
  for (const auto& path : Programs()) texts.push_back(ReadTextFile(path).value());
  const std::string pieces[] = {"(", ")", "{", "}", "<", ">", "[", "]", ":", ",", "%", "\"", "->",
                                "0x", "-1", "99999999999999999999", "tensor<", "dense<", "return",
                                "#", "@", "loc(", "array<i64: ", "stablehlo.", "\n", "^bb0:"};
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 rng(seed);
  int imported = 0, refused = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end) {
    std::string text = texts[rng() % texts.size()];
    for (unsigned change = rng() % 4 + 1; change > 0; --change) {
      const size_t at = rng() % text.size();
      switch (rng() % 5) {
        case 0: text.erase(at, rng() % 20); break;
        case 1: text[at] = static_cast<char>(rng()); break;
        case 2: text.insert(at, pieces[rng() % std::size(pieces)]); break;
        case 3: text.insert(at, text.substr(rng() % text.size(), rng() % 60)); break;
        default: text.resize(std::max<size_t>(at, 1)); break;
      }
      if (text.empty()) text.assign(1, ' ');
    }
    const auto module = ImportText(text, "mutated");
    ++(module.ok() ? imported : refused);
    if (module.ok()) (void)graph::Print(*module);
  }
  EXPECT_GT(refused, imported / 10);
}

}  // namespace
}  // namespace systolith::import
