#include "host/graph/graph.h"

#include <gtest/gtest.h>

#include <cmath>

#include "host/graph/builder.h"
#include "host/graph/print.h"
#include "host/graph/rewrite.h"
#include "host/graph/verify.h"

namespace systolith::graph {
namespace {

Shape F32(Dims dims) { return {ElementType::kF32, std::move(dims)}; }

// main(a: 2x3, b: 3x4) { dot; add itself; return }
class GraphTest : public testing::Test {
 protected:
  GraphTest() {
    Function& main = module_.functions.emplace_back();
    main.name = "main";
    main.body.arguments = {main.NewValue(F32({2, 3})), main.NewValue(F32({3, 4}))};
    Builder builder(main, main.body.ops);
    builder.SetLocation({7, 5});
    DotGeneralAttributes dot;
    dot.lhs_contracting = {1};
    dot.rhs_contracting = {0};
    product_ = builder.DotGeneral(main.arguments()[0], main.arguments()[1], dot, ElementType::kF32);
    sum_ = builder.Binary(Opcode::kAdd, product_, product_);
    builder.Return({sum_});
  }

  Function& main() { return module_.functions[0]; }
  std::string VerifyMessage() {
    const Status status = Verify(module_);
    EXPECT_FALSE(status.ok());
    return status.message();
  }

  Module module_;
  Value product_, sum_;
};

TEST_F(GraphTest, BuilderInfersShapes) {
  EXPECT_EQ(main().shape(product_), F32({2, 4}));
  EXPECT_TRUE(Verify(module_).ok());
}

TEST_F(GraphTest, VerifierNamesOperationLineAndReason) {
  main().value_shapes[static_cast<size_t>(sum_.id)] = F32({2, 5});
  EXPECT_EQ(VerifyMessage(), "stablehlo.add at line 7: result 0 is tensor<2x5xf32> where the "
                             "operands give tensor<2x4xf32>");
}

TEST_F(GraphTest, VerifierRefusesUseBeforeDefinition) {
  std::swap(main().body.ops[0], main().body.ops[1]);
  EXPECT_EQ(VerifyMessage(), "stablehlo.add at line 7: operand 2 is used before its definition");
}

TEST_F(GraphTest, VerifierRefusesContractionOfDifferentSizes) {
  main().body.ops[0].As<DotGeneralAttributes>().lhs_contracting = {0};
  EXPECT_EQ(VerifyMessage(), "stablehlo.dot_general at line 7: lhs dimension 0 has size 2 but rhs "
                             "dimension 0 has size 3");
}

TEST_F(GraphTest, VerifierRefusesAMissingReturn) {
  main().body.ops.pop_back();
  EXPECT_NE(VerifyMessage().find("does not end in a return"), std::string::npos);
}

TEST_F(GraphTest, VerifierRefusesRecursion) {
  Op call;
  call.opcode = Opcode::kCall;
  call.operands = main().arguments();
  call.attributes = CallAttributes{"main"};
  call.results = {main().NewValue(F32({2, 4}))};
  main().body.ops.insert(main().body.ops.begin(), call);
  EXPECT_EQ(VerifyMessage(), "@main calls itself");
}

TEST_F(GraphTest, UsesCountEveryOperand) {
  const std::vector<int> uses = CountUses(main());
  EXPECT_EQ(uses[static_cast<size_t>(product_.id)], 2);
  EXPECT_EQ(uses[static_cast<size_t>(sum_.id)], 1);
  EXPECT_EQ(Users(main())[static_cast<size_t>(product_.id)].size(), 1U);
  EXPECT_EQ(Definitions(main())[static_cast<size_t>(sum_.id)]->opcode, Opcode::kAdd);
}

TEST_F(GraphTest, ReplacedValuesLeaveDeadOperations) {
  ReplaceAllUses(main().body, sum_, product_);
  EraseDeadOps(main());
  ASSERT_EQ(main().body.ops.size(), 2U);
  EXPECT_EQ(main().body.ops[0].opcode, Opcode::kDotGeneral);
  EXPECT_TRUE(Verify(module_).ok());
}

TEST_F(GraphTest, SortingRestoresTheOrder) {
  std::swap(main().body.ops[0], main().body.ops[1]);
  ASSERT_TRUE(SortTopologically(main().body).ok());
  EXPECT_TRUE(Verify(module_).ok());
  main().body.ops[0].operands[0] = sum_;
  EXPECT_FALSE(SortTopologically(main().body).ok());
}

TEST_F(GraphTest, InliningLeavesOneFunctionWithoutCalls) {
  Function& helper = module_.functions.emplace_back();
  helper.name = "twice";
  helper.is_private = true;
  helper.body.arguments = {helper.NewValue(F32({2, 4}))};
  Builder inner(helper, helper.body.ops);
  inner.Return({inner.Binary(Opcode::kAdd, helper.arguments()[0], helper.arguments()[0])});

  std::vector<Op>& ops = main().body.ops;
  for (int i = 0; i < 2; ++i) {  // the second call uses the first one's result
    Op call;
    call.opcode = Opcode::kCall;
    call.attributes = CallAttributes{"twice"};
    call.operands = ops.back().operands;
    call.results = {main().NewValue(F32({2, 4}))};
    ops.back().operands = call.results;
    ops.insert(ops.end() - 1, call);
  }
  ASSERT_TRUE(Verify(module_).ok()) << Verify(module_).message();
  ASSERT_TRUE(InlineCalls(module_).ok());
  EXPECT_TRUE(Verify(module_).ok()) << Verify(module_).message();
  ASSERT_EQ(module_.functions.size(), 1U);
  EXPECT_EQ(main().body.ops.size(), 5U);
}

TEST_F(GraphTest, InliningKnowsSomeCompositesByName) {
  Function& helper = module_.functions.emplace_back();
  helper.name = "body";
  helper.is_private = true;
  const Shape values = F32({2, 3}), positions{ElementType::kS32, {2, 3}};
  helper.body.arguments = {helper.NewValue(F32({2, 4}))};
  Builder inner(helper, helper.body.ops);
  inner.Return({inner.Slice(helper.arguments()[0], {0, 0}, {2, 3}, {1, 1}),
                inner.Iota(positions, 0)});
  for (const char* name : {"chlo.top_k", "mine.top_k"}) {
    Op composite;
    composite.opcode = Opcode::kComposite;
    composite.attributes = CompositeAttributes{name, "body", 0, {{"k", int64_t{3}}}};
    composite.operands = {sum_};
    composite.results = {main().NewValue(values), main().NewValue(positions)};
    main().body.ops.insert(main().body.ops.end() - 1, composite);
  }
  ASSERT_TRUE(Verify(module_).ok()) << Verify(module_).message();
  ASSERT_TRUE(InlineCalls(module_).ok());
  EXPECT_TRUE(Verify(module_).ok()) << Verify(module_).message();
  std::vector<Opcode> opcodes;
  for (const Op& op : main().body.ops) opcodes.push_back(op.opcode);
  EXPECT_EQ(opcodes,
            (std::vector<Opcode>{Opcode::kDotGeneral, Opcode::kAdd, Opcode::kIota, Opcode::kSort,
                                 Opcode::kSlice, Opcode::kSlice, Opcode::kSlice, Opcode::kIota,
                                 Opcode::kReturn}));
}

TEST_F(GraphTest, PrintedOperationsReadLikeStableHlo) {
  EXPECT_EQ(PrintOp(main(), main().body.ops[0]),
            "%2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = "
            "[DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)");
}

TEST_F(GraphTest, CapturesAreWhatARegionTakesFromOutside) {
  Builder builder(main(), main().body.ops);
  main().body.ops.pop_back();
  const Value zero = builder.Constant(Literal::Scalar(ElementType::kF32, 0));
  const Value reduced = builder.Reduce(Opcode::kAdd, sum_, zero, {0});
  builder.Return({reduced});
  Op& reduce = main().body.ops[main().body.ops.size() - 2];
  EXPECT_TRUE(Captures(reduce).empty());
  reduce.regions[0].ops[0].operands[1] = zero;
  EXPECT_EQ(Captures(reduce), std::vector<Value>{zero});
  EXPECT_TRUE(Verify(module_).ok()) << Verify(module_).message();
}

TEST(LiteralTest, DoublesRoundOnceToEveryType) {
  Literal bf16(Shape{ElementType::kBF16, {2}});
  bf16.SetDouble(0, 1.0 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40));
  bf16.SetInt(1, (int64_t{1} << 62) + (int64_t{1} << 54) + 1);  // one above a tie
  EXPECT_EQ(bf16.As<uint16_t>()[0], 0x3F81);
  EXPECT_EQ(bf16.GetDouble(1), std::ldexp(1.0 + 1.0 / 128, 62));
}

TEST(LiteralTest, IntegersSaturateFromDoubleAndWrapFromInteger) {
  Literal s8(Shape{ElementType::kS8, {1}});
  const auto stored = [&](double value) {
    s8.SetDouble(0, value);
    return s8.GetInt(0);
  };
  EXPECT_EQ(stored(127.5), 127);
  EXPECT_EQ(stored(-128.6), -128);
  EXPECT_EQ(stored(1e30), 127);
  EXPECT_EQ(stored(-INFINITY), -128);
  EXPECT_EQ(stored(NAN), 0);
  EXPECT_EQ(stored(-3.9), -3);
  s8.SetInt(0, 200);
  EXPECT_EQ(s8.GetInt(0), -56);
  Literal u64(Shape{ElementType::kU64, {1}});
  u64.SetDouble(0, 1e19);
  EXPECT_EQ(u64.As<uint64_t>()[0], 10000000000000000000U);
  u64.SetDouble(0, 1e20);
  EXPECT_EQ(u64.As<uint64_t>()[0], UINT64_MAX);
}

TEST(LiteralTest, NarrowIntegersTakeAByteEach) {
  Literal s4(Shape{ElementType::kS4, {3}});
  s4.SetInt(0, 9);
  s4.SetDouble(1, 100);
  s4.SetDouble(2, -100);
  EXPECT_EQ(s4.bytes().size(), 3U);
  EXPECT_EQ(s4.GetInt(0), -7);
  EXPECT_EQ(s4.GetInt(1), 7);
  EXPECT_EQ(s4.GetInt(2), -8);
}

TEST(PrintTest, LiteralsKeepTheirBits) {
  const Literal nan = Literal::Full(F32({2}), NAN);
  EXPECT_EQ(PrintLiteral(nan), "dense<0x7FC00000> : tensor<2xf32>");
  Literal values(F32({2, 2}));
  values.SetDouble(0, 0.1);
  values.SetDouble(1, -1e20);
  values.SetDouble(2, 3);
  EXPECT_EQ(PrintLiteral(values), "dense<[[0.1, -1.0e+20], [3.0, 0.0]]> : tensor<2x2xf32>");
  EXPECT_EQ(PrintLiteral(Literal(F32({0, 2}))), "dense<> : tensor<0x2xf32>");
  Literal zeros(F32({2}));
  zeros.SetDouble(1, -0.0);
  EXPECT_EQ(PrintLiteral(zeros), "dense<[0.0, -0.0]> : tensor<2xf32>");
}

}  // namespace
}  // namespace systolith::graph
