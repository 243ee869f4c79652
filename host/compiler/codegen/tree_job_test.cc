#include "host/compiler/codegen/tree_job.h"

#include <gtest/gtest.h>

namespace systolith::compiler {
namespace {

TEST(TreeJobTest, EveryNumberOfPartialsFitsTheUnit) {
  for (int64_t partials = 1; partials <= kPartials; ++partials) {
    Result<kernel::Kernel> tree = BuildTreeKernel({arch::AluOp::kAddF32, partials, true});
    ASSERT_TRUE(tree.ok()) << partials << ": " << tree.status().message();
    EXPECT_LE(tree->bundles.size(), static_cast<size_t>(arch::kKernelBundles));
    // Two slots, and no stream is read at two steps by one bundle.
    EXPECT_LE(tree->bundles.size(), static_cast<size_t>(partials + 16));
  }
}

TEST(TreeJobTest, StreamsGiveThirtyTwoPartialsEach) {
  arch::ChipConfig chip;
  chip.mxu_rows = chip.mxu_cols = 8;
  chip.vpu_sublanes = 2;
  TreeJob job;
  job.type = arch::LaneType::kS32;
  job.result_type = arch::LaneType::kS8;
  job.combine = arch::AluOp::kAddS32;
  job.partials = 70;
  job.length = 37;
  job.pitch = 160;
  job.base = 4096;
  job.result = 64;
  const LoweredTree tree = *LowerTreeJob(job, chip);
  ASSERT_EQ(tree.streams.size(), 4u);
  EXPECT_EQ(tree.vector.bases[2], 4096 + 64 * 160);
  EXPECT_EQ(tree.streams[2].strides[6], 160);
  EXPECT_EQ(tree.streams[3].index, 4u);
  EXPECT_EQ(tree.streams[3].strides[5], 16);  // a group of bytes
  EXPECT_EQ(tree.vector.counts[5], 3u);
  EXPECT_FALSE(tree.kernel.has_init);
}

}  // namespace
}  // namespace systolith::compiler
