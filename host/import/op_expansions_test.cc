// Operations that the importer turns into others.
#include <gtest/gtest.h>

#include <string>

#include "host/graph/print.h"
#include "host/import/import.h"

namespace systolith::import {
namespace {

// The body of a program, as opcodes' names joined by spaces; the message if it is refused.
std::string OpsOf(const std::string& text) {
  const auto module = ImportText(text, "x.mlir");
  if (!module.ok()) return module.status().message();
  std::string names;
  for (const graph::Op& op : module->Entry()->body.ops) {
    names += std::string(names.empty() ? "" : " ") + std::string(graph::OpcodeName(op.opcode));
  }
  return names;
}

std::string Unary(const std::string& operation, const std::string& from, const std::string& to) {
  return "func.func @main(%x: " + from + ") -> " + to + " {\n  %0 = " + operation +
         "\n  return %0 : " + to + "\n}\n";
}

TEST(OpExpansionsTest, TuplesAndTokensVanish) {
  const std::string text =
      "func.func @main(%t: tuple<tensor<2xf32>, tuple<tensor<i1>, !stablehlo.token>, tensor<3xi8>>,"
      " %k: !stablehlo.token) -> (tensor<3xi8>, tuple<tensor<i1>>) {\n"
      "  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xf32>, tuple<tensor<i1>, "
      "!stablehlo.token>, tensor<3xi8>>) -> tuple<tensor<i1>, !stablehlo.token>\n"
      "  %1 = \"stablehlo.get_tuple_element\"(%0) <{index = 0 : i32}> : (tuple<tensor<i1>, "
      "!stablehlo.token>) -> tensor<i1>\n"
      "  %2 = stablehlo.get_tuple_element %t[2] : (tuple<tensor<2xf32>, tuple<tensor<i1>, "
      "!stablehlo.token>, tensor<3xi8>>) -> tensor<3xi8>\n"
      "  %3 = stablehlo.tuple %1 : tuple<tensor<i1>>\n"
      "  %4 = stablehlo.after_all %k, %k : !stablehlo.token\n"
      "  %5 = stablehlo.create_token : !stablehlo.token\n"
      "  %6:2 = stablehlo.optimization_barrier %2, %4 : tensor<3xi8>, !stablehlo.token\n"
      "  return %6#0, %3 : tensor<3xi8>, tuple<tensor<i1>>\n}\n";
  const auto module = ImportText(text, "x.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const graph::Function& main = *module->Entry();
  ASSERT_EQ(main.arguments().size(), 3U);
  ASSERT_EQ(main.results().size(), 2U);
  EXPECT_EQ(main.results()[1], main.arguments()[1]);
  EXPECT_EQ(OpsOf(text), "optimization_barrier return");
}

TEST(OpExpansionsTest, LoopsCarryTuples) {
  EXPECT_EQ(OpsOf("func.func @main(%a: tensor<i32>, %b: tensor<i1>) -> tensor<i32> {\n"
                  "  %t = stablehlo.tuple %a, %b : tuple<tensor<i32>, tensor<i1>>\n"
                  "  %w = stablehlo.while(%i = %t) : tuple<tensor<i32>, tensor<i1>>\n"
                  "  cond {\n"
                  "    %p = stablehlo.get_tuple_element %i[1] : (tuple<tensor<i32>, tensor<i1>>) "
                  "-> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n"
                  "  } do {\n    stablehlo.return %i : tuple<tensor<i32>, tensor<i1>>\n  }\n"
                  "  %r = stablehlo.get_tuple_element %w[0] : (tuple<tensor<i32>, tensor<i1>>) -> "
                  "tensor<i32>\n  return %r : tensor<i32>\n}\n"),
            "while return");
}

TEST(OpExpansionsTest, WrongTuplesAreExplained) {
  EXPECT_EQ(OpsOf(Unary("stablehlo.get_tuple_element %x[2] : (tuple<tensor<f32>>) -> tensor<f32>",
                        "tuple<tensor<f32>>", "tensor<f32>")),
            "x.mlir:2:8: a tuple of 1 has no element 2");
  EXPECT_EQ(OpsOf(Unary("stablehlo.get_tuple_element %x[0] : (tensor<f32>) -> tensor<f32>",
                        "tensor<f32>", "tensor<f32>")),
            "x.mlir:2:8: get_tuple_element takes one tuple and an index");
  std::string deep = "tensor<f32>";
  for (int i = 0; i < 1000; ++i) deep = "tuple<" + deep + ">";
  EXPECT_NE(OpsOf("func.func @main(%x: " + deep + ") { return }").find("nest too deeply"),
            std::string::npos);
}

TEST(OpExpansionsTest, DynamicOperationsWithKnownShapesBecomeStatic) {
  const auto with_shape = [](const std::string& operation, const std::string& from) {
    return OpsOf(Unary("stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
                       "  %o = stablehlo.constant dense<1> : tensor<2xi64>\n"
                       "  %z = stablehlo.constant dense<0> : tensor<2xi64>\n  %1 = " + operation,
                       from, "tensor<2xi64>"));
  };
  const std::string statics = "constant constant constant ";
  EXPECT_EQ(with_shape("stablehlo.dynamic_broadcast_in_dim %x, %0, dims = [1] : (tensor<3xf32>, "
                       "tensor<2xi64>) -> tensor<2x3xf32>", "tensor<3xf32>"),
            statics + "broadcast_in_dim return");
  EXPECT_EQ(with_shape("stablehlo.dynamic_iota %0, dim = 1 : (tensor<2xi64>) -> tensor<2x3xi32>",
                       "tensor<3xf32>"),
            statics + "iota return");
  EXPECT_EQ(with_shape("stablehlo.dynamic_reshape %x, %0 : (tensor<6xf32>, tensor<2xi64>) -> "
                       "tensor<2x3xf32>", "tensor<6xf32>"),
            statics + "reshape return");
  EXPECT_EQ(with_shape("stablehlo.constant dense<1.0> : tensor<f32>\n"
                       "  %2 = stablehlo.dynamic_pad %x, %1, %0, %z, %o : (tensor<4x5xf32>, "
                       "tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> "
                       "tensor<9x12xf32>", "tensor<4x5xf32>"),
            statics + "constant pad return");
  EXPECT_EQ(with_shape("stablehlo.real_dynamic_slice %x, %o, %0, %o : (tensor<4x5xf32>, "
                       "tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>",
                       "tensor<4x5xf32>"),
            statics + "slice return");
}

TEST(OpExpansionsTest, DynamicOperationsWithUnknownShapesAreRefused) {
  EXPECT_EQ(OpsOf("func.func @main(%x: tensor<4xf32>, %s: tensor<1xi32>) -> tensor<2xf32> {\n"
                  "  %0 = stablehlo.real_dynamic_slice %x, %s, %s, %s : (tensor<4xf32>, "
                  "tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>\n"
                  "  return %0 : tensor<2xf32>\n}\n"),
            "x.mlir:2:8: stablehlo.real_dynamic_slice: operand 1 is no constant, so the shape is "
            "not known");
}

TEST(OpExpansionsTest, DimensionsHaveKnownSizes) {
  const std::string type = "tensor<2x3xf32>";
  const auto module =
      ImportText(Unary("stablehlo.get_dimension_size %x, dim = 1 : (" + type + ") -> tensor<i32>",
                       type, "tensor<i32>"), "x.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const graph::Op& op = module->Entry()->body.ops[0];
  EXPECT_EQ(op.As<graph::ConstantAttributes>().value->GetInt(0), 3);
}

TEST(OpExpansionsTest, OneChipHasNeitherPartitionsNorShards) {
  EXPECT_EQ(OpsOf("func.func @main() -> (tensor<ui32>, tensor<ui32>) {\n"
                  "  %0 = stablehlo.partition_id : tensor<ui32>\n"
                  "  %1 = \"stablehlo.replica_id\"() : () -> tensor<ui32>\n"
                  "  return %0, %1 : tensor<ui32>, tensor<ui32>\n}\n"),
            "constant constant return");
  EXPECT_EQ(OpsOf("module {\n  sdy.mesh @mesh = <[\"x\"=1]>\n"
                  "  func.func @main(%x: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, "
                  "[{\"x\"}, {}]>}) -> tensor<4x2xf32> {\n"
                  "    %0 = sdy.sharding_constraint %x <@mesh, [{\"x\"}, {}]> : tensor<4x2xf32>\n"
                  "    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = \"\"} : "
                  "(tensor<4x2xf32>) -> tensor<4x2xf32>\n"
                  "    return %1 : tensor<4x2xf32>\n  }\n}\n"),
            "return");
}

TEST(OpExpansionsTest, OperationsOfChloBecomeOthers) {
  EXPECT_EQ(OpsOf(Unary("chlo.is_inf %x : tensor<2xf32> -> tensor<2xi1>", "tensor<2xf32>",
                        "tensor<2xi1>")),
            "abs constant broadcast_in_dim compare return");
  EXPECT_EQ(OpsOf(Unary("chlo.mulhi %x, %x : tensor<2xui32>, tensor<2xui32> -> tensor<2xui32>",
                        "tensor<2xui32>", "tensor<2xui32>")),
            "convert convert multiply constant broadcast_in_dim shift_right_logical convert "
            "return");
  EXPECT_EQ(OpsOf(Unary("stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = "
                        "1 : i64} : (tensor<2xf32>) -> tensor<2xf32>",
                        "tensor<2xf32>", "tensor<2xf32>")),
            "erf return");
  EXPECT_EQ(OpsOf("func.func @main(%x: tensor<2x9xbf16>) -> tensor<2x4xbf16> {\n"
                  "  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 4 : i64, "
                  "largest = true}} : (tensor<2x9xbf16>) -> (tensor<2x4xbf16>, tensor<2x4xi32>)\n"
                  "  return %0#0 : tensor<2x4xbf16>\n}\n"),
            "iota sort slice slice return");
}

TEST(OpExpansionsTest, ResultsMustHaveTheTypeTheyShould) {
  EXPECT_EQ(OpsOf(Unary("stablehlo.real %x : (tensor<2xf32>) -> tensor<3xf32>", "tensor<2xf32>",
                        "tensor<3xf32>")),
            "x.mlir:2:8: stablehlo.real can't have a result of tensor<3xf32>");
}

TEST(OpExpansionsTest, CompositesKeepTheirNameUntilTheyAreInlined) {
  const std::string text =
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.composite \"my.op\" %x {composite_attributes = {flag = true, k = 2 : i64, "
      "list = array<i64: 1, 2>, scale = 1.5 : f32, word = \"a \\\"b\\\"\"}, decomposition = @body, "
      "version = 3 : i32} : (tensor<2xf32>) -> tensor<2xf32>\n"
      "  return %0 : tensor<2xf32>\n}\n"
      "func.func private @body(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  return %x : tensor<2xf32>\n}\n";
  const auto module = ImportText(text, "x.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const auto& composite = module->Entry()->body.ops[0].As<graph::CompositeAttributes>();
  EXPECT_EQ(composite.name, "my.op");
  EXPECT_EQ(composite.decomposition, "body");
  EXPECT_EQ(composite.version, 3);
  EXPECT_EQ(composite.Integer("k"), 2);
  ASSERT_EQ(composite.entries.size(), 5U);
  const auto again = ImportText(graph::Print(*module), "y.mlir");
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->Entry()->body.ops[0].As<graph::CompositeAttributes>().entries,
            composite.entries);
}

TEST(OpExpansionsTest, ProbesNameValuesForChecks) {
  const auto module = ImportText(
      "func.func @main(%x: tensor<f32>, %y: tensor<f32>) {\n"
      "  %0 = interpreter.probe %x, probe_id = \"a/b\" : tensor<f32>\n"
      "  check.expect_serialized_eq %y, probe_id = \"a/b\" : tensor<f32>\n  return\n}\n",
      "x.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const graph::Function& main = *module->Entry();
  EXPECT_EQ(main.body.ops[0].As<graph::CustomCallAttributes>().target, "check.expect_eq");
  EXPECT_EQ(main.body.ops[0].operands,
            (std::vector<graph::Value>{main.arguments()[1], main.arguments()[0]}));
}

TEST(OpExpansionsTest, ChecksHaveDistancesThatCanBe) {
  EXPECT_EQ(OpsOf("func.func @main(%x: tensor<f32>) {\n"
                  "  check.expect_close %x, %x, max_ulp_difference = -1 : tensor<f32>, "
                  "tensor<f32>\n"
                  "  return\n}\n"),
            "x.mlir:2:30: a distance can't be negative");
}

TEST(OpExpansionsTest, WholeAlgorithmsSurvivePrinting) {
  const std::string text =
      "func.func @main(%x: tensor<2x3x4xf32>, %v: tensor<3xf32>, %m: tensor<4x4xf32>, %s: "
      "tensor<2xui64>) -> tensor<2xui64> {\n"
      "  %0:3 = \"stablehlo.batch_norm_training\"(%x, %v, %v) <{epsilon = 0.1 : f32, "
      "feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> "
      "(tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)\n"
      "  %1 = \"stablehlo.batch_norm_inference\"(%x, %v, %v, %0#1, %0#2) {epsilon = 1.0e-5 : f32, "
      "feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, "
      "tensor<3xf32>) -> tensor<2x3x4xf32>\n"
      "  %2:3 = \"stablehlo.batch_norm_grad\"(%x, %v, %v, %v, %1) {epsilon = 0.0 : f32, "
      "feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, "
      "tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)\n"
      "  %3 = stablehlo.cholesky %m, lower = true : tensor<4x4xf32>\n"
      "  %4 = \"stablehlo.triangular_solve\"(%3, %m) {left_side = true, lower = true, "
      "unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<4x4xf32>, "
      "tensor<4x4xf32>) -> tensor<4x4xf32>\n"
      "  %5:2 = \"stablehlo.rng_bit_generator\"(%s) <{rng_algorithm = #stablehlo<rng_algorithm "
      "DEFAULT>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<7xf32>)\n"
      "  %6 = chlo.polygamma %m, %m : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>\n"
      "  return %5#0 : tensor<2xui64>\n}\n";
  const auto module = ImportText(text, "x.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const auto& op = module->Entry()->body.ops[0];
  EXPECT_EQ(op.As<graph::BatchNormAttributes>().epsilon, 0.1F);
  const std::string printed = graph::Print(*module);
  const auto again = ImportText(printed, "y.mlir");
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(graph::Print(*again), printed);
  EXPECT_EQ(again->Entry()->body.ops[0].As<graph::BatchNormAttributes>().epsilon, 0.1F);
}

TEST(OpExpansionsTest, ShapesOfWholeAlgorithmsAreChecked) {
  const std::string square = "tensor<4x3xf32>";
  EXPECT_EQ(OpsOf(Unary("stablehlo.cholesky %x, lower = true : " + square, square, square)),
            "x.mlir: stablehlo.cholesky at line 2: tensor<4x3xf32> is not square");
  EXPECT_EQ(OpsOf("func.func @main(%x: tensor<3xui64>) -> tensor<2xui8> {\n"
                  "  %0:2 = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : "
                  "(tensor<3xui64>) -> (tensor<3xui64>, tensor<2xui8>)\n"
                  "  return %0#1 : tensor<2xui8>\n}\n"),
            "x.mlir: stablehlo.rng_bit_generator at line 2: the state tensor<3xui64> does not fit "
            "the algorithm");
}

TEST(OpExpansionsTest, ReductionsMayComputeInAWiderType) {
  EXPECT_EQ(OpsOf("func.func @main(%x: tensor<4xbf16>, %i: tensor<f32>) -> tensor<f32> {\n"
                  "  %0 = \"stablehlo.reduce\"(%x, %i) ({\n"
                  "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
                  "    %s = stablehlo.add %a, %b : tensor<f32>\n"
                  "    stablehlo.return %s : tensor<f32>\n"
                  "  }) {dimensions = array<i64: 0>} : (tensor<4xbf16>, tensor<f32>) -> "
                  "tensor<f32>\n  return %0 : tensor<f32>\n}\n"),
            "convert reduce return");
}

}  // namespace
}  // namespace systolith::import
