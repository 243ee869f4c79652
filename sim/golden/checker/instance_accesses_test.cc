#include "sim/golden/checker/instance_accesses.h"

#include <gtest/gtest.h>

namespace systolith::golden {
namespace {

class InstanceAccessesTest : public ::testing::Test {
 protected:
  void SetUp() override { Next(); }
  void Next() {
    accesses_.StartInstruction();
    accesses_.StartInstance();
  }

  static constexpr size_t kEdge = 4096;  // of what is kept together
  InstanceAccesses accesses_{3 * kEdge};
};

TEST_F(InstanceAccessesTest, AnInstanceMayOverwriteWhatItRead) {
  EXPECT_TRUE(accesses_.Read(kEdge - 10, kEdge + 10));
  EXPECT_TRUE(accesses_.Read(kEdge - 5, kEdge + 20));
  EXPECT_TRUE(accesses_.Write(kEdge - 10, kEdge + 20));
}

TEST_F(InstanceAccessesTest, NobodyReadsWhatTheInstructionWrote) {
  EXPECT_TRUE(accesses_.Write(kEdge, kEdge + 1));
  EXPECT_TRUE(accesses_.Read(0, kEdge));
  EXPECT_TRUE(accesses_.Read(kEdge + 1, 3 * kEdge));
  EXPECT_FALSE(accesses_.Read(kEdge - 1, kEdge + 1));
  accesses_.StartInstance();
  EXPECT_FALSE(accesses_.Read(kEdge, kEdge + 8));
}

TEST_F(InstanceAccessesTest, NoByteIsWrittenTwice) {
  EXPECT_TRUE(accesses_.Write(100, 200));
  EXPECT_FALSE(accesses_.Write(199, 201));
  accesses_.StartInstance();
  EXPECT_FALSE(accesses_.Write(0, 101));
  EXPECT_TRUE(accesses_.Write(201, 210));
}

TEST_F(InstanceAccessesTest, NobodyOverwritesWhatAnotherInstanceRead) {
  EXPECT_TRUE(accesses_.Read(8, 16));
  accesses_.StartInstance();
  EXPECT_TRUE(accesses_.Read(12, 20));
  EXPECT_FALSE(accesses_.Write(15, 16));  // both read it
  EXPECT_FALSE(accesses_.Write(8, 9));
  EXPECT_TRUE(accesses_.Write(16, 20));
}

TEST_F(InstanceAccessesTest, InstructionsAreOrdered) {
  EXPECT_TRUE(accesses_.Write(0, 8));
  EXPECT_TRUE(accesses_.Read(8, 16));
  Next();
  EXPECT_TRUE(accesses_.Read(0, 8));
  EXPECT_TRUE(accesses_.Write(0, 16));
}

}  // namespace
}  // namespace systolith::golden
