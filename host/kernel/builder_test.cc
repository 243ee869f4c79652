#include "host/kernel/builder.h"

#include <gmock/gmock.h>

#include "host/kernel/kernel_memory.h"
#include "host/kernel/test_kernels.h"

namespace systolith::kernel {
namespace {

using ::testing::HasSubstr;

constexpr testing::Counts kCounts = {1, 1, 2, 3, 1, 2};

TEST(BuilderTest, BundlesComputeWhatTheOperationsSay) {
  int fitted = 0;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    Builder builder("random");
    testing::RandomKernel random(seed);
    random.Write(builder, 10 + static_cast<int>(seed % 90), 1 + static_cast<int>(seed % 12));
    const Result<Kernel> kernel = builder.Finish();
    if (!kernel.ok()) {
      EXPECT_THAT(kernel.status().message(), HasSubstr("vector registers")) << "seed " << seed;
      continue;
    }
    ++fitted;
    EXPECT_EQ(testing::RunBundles(*kernel, kCounts),
              testing::RunRecording(random.recording(), kCounts)) << "seed " << seed;
    if (HasFailure()) return;
  }
  EXPECT_GT(fitted, 300);
}

// y = x * (x * (x * c3 + c2) + c1) + c0, several of them.
void Polynomial(Builder& builder, int step) {
  const Value x = builder.Load(0, step);
  Value y = builder.Op(arch::AluOp::kMultiplyAddF32, {x, Value::F32(3), Value::F32(2)});
  y = builder.Op(arch::AluOp::kMultiplyAddF32, {x, y, Value::F32(1)});
  y = builder.Op(arch::AluOp::kMultiplyAddF32, {x, y, Value::F32(0)});
  builder.Store(0, step, y);
}

TEST(BuilderTest, TwoPolynomialsFillBothSlots) {
  Builder builder("pair");
  Polynomial(builder, 0);
  Polynomial(builder, 1);
  const Result<Kernel> kernel = builder.Finish();
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  // 8 operations; the two loads need two bundles, since one stream has one step in a bundle.
  EXPECT_EQ(kernel->bundles.size(), 5u);
}

TEST(BuilderTest, ManyPolynomialsLeaveHardlyAnEmptySlot) {
  Builder builder("many");
  for (int step = 0; step < 24; ++step) Polynomial(builder, step);
  const Result<Kernel> kernel = builder.Finish();
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  EXPECT_LE(kernel->bundles.size(), 24u * 4 / 2 + 4);
  EXPECT_EQ(kernel->constants.size(), 4u);
}

TEST(BuilderTest, ADivisionMovesItsNeighbourToSlotB) {
  Builder builder("divide");
  const Value x = builder.Load(0);
  const Value sum = builder.Op(arch::AluOp::kAddF32, {x, Value::F32(1)});
  builder.Store(0, 0, sum);
  builder.Store(1, 0, builder.Op(arch::AluOp::kDivideF32, {x, Value::F32(3)}));
  const Result<Kernel> kernel = builder.Finish();
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  ASSERT_EQ(kernel->bundles.size(), 2u);
  const arch::Bundle last = arch::DecodeBundle(kernel->bundles[1]);
  EXPECT_EQ(last.a_op, static_cast<uint32_t>(arch::AluOp::kDivideF32));
  EXPECT_EQ(last.b_op, static_cast<uint32_t>(arch::AluOp::kAddF32));
  EXPECT_EQ(kernel->BodyCycles({1, 1, 1, 1, 1, 1}), 4u + Info(arch::AluOp::kDivideF32).latency);
}

TEST(BuilderTest, APlaceIsReadBeforeItIsOverwritten) {
  Builder builder("in_place");
  std::vector<Value> values;
  for (int step = 0; step < 6; ++step) values.push_back(builder.Load(0, step));  // six bundles
  builder.Store(0, 5, builder.Op(arch::AluOp::kAddF32, {Value::Input(1), Value::F32(1)}));
  for (int step = 0; step < 6; ++step) {
    const Value value = values[static_cast<size_t>(step)];
    builder.Store(1, step, builder.Op(arch::AluOp::kAddF32, {value, Value::F32(1)}));
  }
  const Result<Kernel> kernel = builder.Finish();
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  bool stored = false;
  for (const auto& words : kernel->bundles) {
    const arch::Bundle bundle = arch::DecodeBundle(words);
    for (const uint32_t x : {bundle.a_x, bundle.a_y, bundle.b_x, bundle.b_y}) {
      EXPECT_FALSE(x == arch::kOperandInput && stored);
    }
    stored |= bundle.a_dst == arch::kOperandOutput || bundle.b_dst == arch::kOperandOutput;
  }
  EXPECT_TRUE(stored);
}

TEST(BuilderTest, TooManyLiveValuesAreCountedInTheError) {
  Builder builder("wide");
  std::vector<Value> values;
  for (int i = 0; i < 40; ++i) {
    values.push_back(builder.Load(0, i % 32));
    values.back() = builder.Op(arch::AluOp::kAddF32, {values.back(), Value::Scalar(0)});
  }
  // Everything joins the sum, and the sum everything.
  Value sum = values[0];
  for (const Value& value : values) sum = builder.Op(arch::AluOp::kAddF32, {sum, value});
  Value product = sum;
  for (const Value& value : values) {
    product = builder.Op(arch::AluOp::kMultiplyF32, {product, value});
  }
  builder.Store(0, 0, product);
  const Result<Kernel> kernel = builder.Finish();
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(kernel.status().message(), HasSubstr("needs 41 vector registers"));
}

TEST(BuilderTest, AVariableReadBeforeItIsWrittenIsAnError) {
  Builder builder("early");
  builder.Store(0, 0, builder.Variable("sum"));
  EXPECT_THAT(builder.Finish().status().message(), HasSubstr("variable sum is read before"));
}

TEST(BuilderTest, TheFirstErrorIsReported) {
  Builder builder("wrong");
  builder.SetLocation({"f.kernel", 3, 5});
  builder.Store(2, 0, Value::F32(1));
  builder.EndLoop();
  EXPECT_THAT(builder.Finish().status().message(),
              ::testing::AllOf(HasSubstr("f.kernel:3:5"), HasSubstr("out2")));
}

TEST(BuilderTest, OnePoolOfConstantsServesPrologueAndBody) {
  Builder builder("shared");
  builder.BeginPrologue();
  const Value half = builder.Shared();
  builder.Assign(half, Value::F32(0.5f));
  builder.EndPrologue();
  builder.Store(0, 0, builder.Op(arch::AluOp::kMultiplyAddF32,
                                 {half, Value::Input(0), Value::F32(0.5f)}));
  const Result<Kernel> kernel = builder.Finish();
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  EXPECT_EQ(kernel->constants.size(), 1u);
  EXPECT_TRUE(kernel->has_prologue);
  EXPECT_EQ(kernel->body, 1u);
  EXPECT_EQ(kernel->input_streams, 1u);
  EXPECT_EQ(kernel->output_streams, 1u);
  EXPECT_EQ(kernel->shared_registers, 1u);
}

TEST(KernelTest, MostBundlesIsTheLargerOfPrologueAndBody) {
  Builder builder("loops");
  builder.BeginPrologue();
  const Value sum = builder.Shared();
  for (int i = 0; i < 5; ++i) builder.Assign(sum, builder.Op(arch::AluOp::kAddS32, {sum, sum}));
  builder.EndPrologue();
  builder.BeginLoop(5);
  builder.Store(0, 1, builder.Op(arch::AluOp::kAddS32, {Value::Input(0), sum}));
  builder.EndLoop();
  const Result<Kernel> kernel = builder.Finish();
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  ASSERT_EQ(kernel->body, 5u);
  const auto loop = static_cast<uint64_t>(kernel->bundles.size() - kernel->body);
  EXPECT_EQ(kernel->MostBundles({1, 1, 1, 1, 1, 1}), 5u);
  EXPECT_EQ(kernel->MostBundles({1, 1, 1, 1, 1, 100}), 100 * loop);
  EXPECT_EQ(kernel->BodyBundles({1, 1, 1, 1, 1, 2}), 2 * loop);
}

TEST(KernelTest, LoadInstructionsWriteEveryWordOnce) {
  Builder builder("long");
  for (int i = 0; i < 60; ++i) {
    builder.Store(i / 32, i % 32,
                  builder.Op(arch::AluOp::kAddS32, {Value::Input(0), Value::S32(i)}));
  }
  const Result<Kernel> kernel = builder.Finish();
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  ASSERT_GT(kernel->bundles.size(), 20u);
  ASSERT_GT(kernel->constants.size(), 50u);
  std::vector<uint32_t> bundle_words, constants;
  for (const arch::LoadKernel& load : LoadInstructions(*kernel, 100, 900)) {
    const bool is_bundles = load.part == static_cast<uint32_t>(arch::KernelPart::kBundles);
    EXPECT_EQ(load.engine, static_cast<uint32_t>(arch::Engine::kVpu));
    auto& words = is_bundles ? bundle_words : constants;
    const uint32_t width = is_bundles ? arch::kBundleWords : 1;
    EXPECT_EQ(load.first, (is_bundles ? 100 : 900) + words.size() / width);
    words.insert(words.end(), load.data.begin(), load.data.begin() + load.count * width);
  }
  std::vector<uint32_t> expected;
  for (const auto& bundle : kernel->bundles) {
    expected.insert(expected.end(), bundle.begin(), bundle.end());
  }
  EXPECT_EQ(bundle_words, expected);
  EXPECT_EQ(constants, kernel->constants);
}

Kernel OfSize(size_t bundles, size_t constants, uint32_t mark) {
  Kernel kernel;
  kernel.bundles.resize(bundles, {mark});
  kernel.constants.resize(constants, mark);
  return kernel;
}

TEST(KernelMemoryTest, ForgetsWhatWasUsedLongestAgo) {
  KernelMemory memory;
  const Kernel a = OfSize(200, 10, 1), b = OfSize(200, 10, 2), c = OfSize(150, 10, 3);
  EXPECT_TRUE(memory.Use(a)->load);
  EXPECT_TRUE(memory.Use(b)->load);
  EXPECT_FALSE(memory.Use(a)->load);
  const auto place = memory.Use(c);  // takes the place of b
  EXPECT_TRUE(place->load);
  EXPECT_EQ(place->kernel_base, 200u);
  EXPECT_EQ(place->constant_base, 10u);
  EXPECT_FALSE(memory.Use(a)->load);
  EXPECT_TRUE(memory.Use(b)->load);
}

TEST(KernelMemoryTest, RefusesWhatNeverFits) {
  KernelMemory memory;
  EXPECT_EQ(memory.Use(OfSize(513, 0, 1)).status().code(), StatusCode::kUnsupported);
  EXPECT_TRUE(memory.Use(OfSize(512, 1024, 1)).ok());
}

}  // namespace
}  // namespace systolith::kernel
