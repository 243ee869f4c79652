#include "host/compiler/codegen/row_lowering.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

namespace systolith::compiler {
namespace {

using Indices = std::array<int64_t, arch::kLoops>;

arch::ChipConfig Chip(int64_t lanes, int64_t sublanes) {
  arch::ChipConfig chip;
  chip.mxu_rows = chip.mxu_cols = lanes;
  chip.vpu_sublanes = sublanes;
  return chip;
}

// Where the elements of a result come from: for each address of the result the addresses of the
// operands, x first.
using Sources = std::map<int64_t, std::vector<int64_t>>;

// Calls `visit` with the indices of every iteration.
void ForEach(std::span<const int64_t> counts, const std::function<void(const Indices&)>& visit) {
  Indices at{};
  for (bool more = true; more;) {
    visit(at);
    more = false;
    for (size_t i = counts.size(); i > 0 && !more; --i) {
      more = ++at[i - 1] < counts[i - 1];
      if (!more) at[i - 1] = 0;
    }
  }
}

Sources SourcesOf(const RowJob& job) {
  Sources sources;
  ForEach(job.counts, [&](const Indices& at) {
    for (int64_t e = 0; e < job.length; ++e) {
      const auto address = [&](const RowOperand& o) {
        int64_t sum = o.base;
        for (size_t i = 0; i < o.strides.size(); ++i) sum += at[i] * o.strides[i];
        const int64_t size = o.accumulator ? 0 : LaneBytes(o.type);
        return sum + (o.splat ? 0 : e * size);
      };
      std::vector<int64_t>& from = sources[address(job.result)];
      if (job.x) from.push_back(address(*job.x));
      for (const RowOperand& stream : job.streams) from.push_back(address(stream));
    }
  });
  return sources;
}

// One element of a group as the contract has it; outside: nothing.
std::optional<int64_t> ElementAddress(const arch::Stream& stream, int64_t base, const Indices& at,
                                      int64_t step, int64_t sublane, int64_t lane) {
  const auto spread = static_cast<arch::Spread>(stream.spread);
  if (spread == arch::Spread::kLanes || spread == arch::Spread::kBoth) lane = 0;
  if (spread == arch::Spread::kRows || spread == arch::Spread::kBoth) sublane = 0;
  const auto sum = [&](int64_t first, const std::array<int32_t, 8>& steps) {
    for (size_t i = 0; i < at.size(); ++i) first += at[i] * steps[i];
    return first + step * steps[6] + sublane * steps[7];
  };
  const int64_t x = sum(stream.x_base, stream.x_steps) + lane;
  const int64_t y = sum(stream.y_base, stream.y_steps);
  if (x < 0 || x >= stream.x_limit || y < 0 || y >= stream.y_limit) return std::nullopt;
  const auto source = static_cast<arch::StreamSource>(stream.source);
  const int64_t size = source == arch::StreamSource::kAccumulator
                           ? 0
                           : LaneBytes(static_cast<arch::LaneType>(stream.type));
  return sum(base, stream.strides) + lane * size;
}

// What the lowered job does, by the contract's rules for streams.
Sources SourcesOf(const LoweredJob& job, const arch::ChipConfig& chip) {
  Sources sources;
  const std::vector<int64_t> counts(job.vector.counts.begin(), job.vector.counts.end());
  const auto address = [&](const arch::Stream& stream, const Indices& at, int64_t step, int64_t s,
                           int64_t j) {
    const int64_t base = job.vector.bases[stream.index];
    if (stream.flat == 0) return ElementAddress(stream, base, at, step, s, j);
    return ElementAddress(stream, base, at, step, 0, s * chip.Lanes() + j);
  };
  const auto write = [&](const Indices& at, int64_t step, int64_t s, int64_t j) {
    const std::optional<int64_t> result = address(job.streams.back(), at, step, s, j);
    if (!result) return;
    EXPECT_FALSE(sources.contains(*result)) << "written twice";
    std::vector<int64_t>& from = sources[*result];
    for (size_t q = 0; q + 1 < job.streams.size(); ++q) {
      const arch::Stream& stream = job.streams[q];
      const bool is_shared = stream.index > 0 && (job.kernel.shared >> (stream.index - 1) & 1) != 0;
      const auto source =
          address(stream, is_shared ? Indices{} : at, is_shared ? 0 : step, s, j);
      from.push_back(source.value_or(-1));
    }
  };
  ForEach(counts, [&](const Indices& at) {
    for (int64_t step = 0; step < job.kernel.groups; ++step) {
      for (int64_t s = 0; s < chip.vpu_sublanes; ++s) {
        for (int64_t j = 0; j < chip.Lanes(); ++j) write(at, step, s, j);
      }
    }
  });
  return sources;
}

int64_t Groups(const LoweredJob& job) {
  int64_t groups = job.kernel.groups;
  for (const uint32_t count : job.vector.counts) groups *= count;
  return groups;
}

// Lowers and compares; returns what came out.
LoweredJob Check(const RowJob& job, const arch::ChipConfig& chip) {
  Result<LoweredJob> lowered = LowerRowJob(job, chip);
  EXPECT_TRUE(lowered.ok()) << lowered.status().message();
  Sources actual = SourcesOf(*lowered, chip);
  for (const auto& [address, from] : SourcesOf(job)) {
    EXPECT_TRUE(actual.contains(address)) << "result " << address << " is missing";
    EXPECT_EQ(actual[address], from) << "sources of " << address;
    actual.erase(address);
  }
  // What is left is padding: behind a row, before the next multiple of 8 elements.
  const int64_t size = LaneBytes(job.result.type);
  const int64_t padding = (8 - job.length % 8) % 8;
  for (const auto& [address, from] : actual) {
    EXPECT_GT(padding, 0);
    EXPECT_GE((address - job.result.base) / size % 8, 8 - padding);
  }
  return *lowered;
}

RowOperand Dense(arch::LaneType type, int64_t base, std::vector<int64_t> strides) {
  return {type, std::nullopt, base, std::move(strides), false};
}

RowJob Copy(int64_t rows, int64_t length, int64_t pitch) {
  RowJob job;
  job.counts = {rows};
  job.length = length;
  job.x = Dense(arch::LaneType::kBf16, 0, {2 * pitch});
  job.result = Dense(arch::LaneType::kF32, 1 << 20, {4 * pitch});
  return job;
}

TEST(RowLoweringTest, DenseRowsAreOneStretch) {
  const LoweredJob job = Check(Copy(37, 5, 8), Chip(8, 2));
  EXPECT_EQ(Groups(job), (36 * 8 + 5 + 15) / 16);
  EXPECT_EQ(job.streams[0].flat, 1u);
  EXPECT_EQ(Groups(Check(Copy(3, 16, 16), Chip(8, 4))), 2);
}

TEST(RowLoweringTest, RowsWithRoomBetweenFillTheSublanes) {
  const LoweredJob job = Check(Copy(13, 8, 24), Chip(8, 4));
  EXPECT_EQ(Groups(job), 4);
  EXPECT_EQ(job.streams[0].flat, 0u);
}

TEST(RowLoweringTest, AFewLongRowsFillTheSublanesWithChunks) {
  RowJob job = Copy(3, 100, 112);
  job.streams = {Dense(arch::LaneType::kF32, 4096, {8 * 4})};
  job.streams[0].splat = true;
  EXPECT_EQ(Groups(Check(job, Chip(8, 4))), 12);
}

TEST(RowLoweringTest, WhatNeverChangesIsReadOnce) {
  RowJob job = Copy(40, 8, 8);
  job.streams = {Dense(arch::LaneType::kF32, 4096, {0}), Dense(arch::LaneType::kF32, 8192, {0})};
  job.streams[1].splat = true;
  LoweredJob lowered = Check(job, Chip(8, 2));
  EXPECT_EQ(lowered.kernel.shared, 3u);
  EXPECT_EQ(lowered.vector.prologue_level, 0u);
  job.streams.erase(job.streams.begin());  // a single number does not stop joining rows
  lowered = Check(job, Chip(8, 2));
  EXPECT_EQ(lowered.streams.back().flat, 1u);
}

TEST(RowLoweringTest, AccumulatorRowsFillTheSublanes) {
  RowJob job = Copy(11, 6, 24);
  job.x = RowOperand{arch::LaneType::kF32, 1, 64, {1}, false};
  const LoweredJob lowered = Check(job, Chip(8, 2));
  EXPECT_EQ(lowered.streams[0].source, static_cast<uint32_t>(arch::StreamSource::kAccumulator));
  EXPECT_EQ(lowered.streams[0].unit, 1u);
  EXPECT_EQ(Groups(lowered), 6);
}

TEST(RowLoweringTest, LongChainsTakeSeveralGroupsPerInstance) {
  RowJob job = Copy(100, 8, 8);
  job.steps.resize(1);
  EXPECT_EQ(Check(job, Chip(8, 2)).kernel.groups, 1u);
  for (uint32_t i = 0; i < 19; ++i) {
    job.steps.push_back({arch::AluOp::kCopy, {StepOperand{StepOperand::Kind::kStep, i}}});
  }
  EXPECT_GT(Check(job, Chip(8, 2)).kernel.groups, 1u);
}

TEST(RowLoweringTest, NumbersAreScalars) {
  RowJob job = Copy(1, 8, 8);
  const StepOperand lane{StepOperand::Kind::kLane, 0};
  const auto add = [&](uint32_t bits) {
    return VectorStep{arch::AluOp::kAddS32, {lane, {StepOperand::Kind::kImmediate, bits}}};
  };
  job.steps = {add(7), add(9), add(7)};
  const LoweredJob first = *LowerRowJob(job, Chip(8, 2));
  EXPECT_EQ(first.vector.scalars[0], 7u);
  EXPECT_EQ(first.vector.scalars[1], 9u);
  job.steps = {add(1), add(2), add(1)};
  EXPECT_EQ(LowerRowJob(job, Chip(8, 2))->kernel, first.kernel);
  job.steps = {add(1), add(2), add(2)};
  EXPECT_NE(LowerRowJob(job, Chip(8, 2))->kernel, first.kernel);
}

TEST(RowLoweringTest, RandomJobs) {
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 rng(seed);
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng);
  };
  for (int round = 0; round < 400 && !testing::Test::HasFailure(); ++round) {
    RowJob job;
    for (int64_t i = pick(0, 3); i > 0; --i) job.counts.push_back(pick(1, 7));
    job.length = pick(1, 3) == 1 ? pick(1, 9) : pick(1, 100);
    int64_t next = 0;
    const auto operand = [&](bool may_repeat) {
      const std::array types = {arch::LaneType::kF32, arch::LaneType::kBf16, arch::LaneType::kS8};
      RowOperand o{types[static_cast<size_t>(pick(0, 2))], std::nullopt, next, {}, false};
      o.splat = may_repeat && pick(0, 3) == 0;
      const int64_t size = LaneBytes(o.type);
      int64_t pitch = o.splat ? 8 * size : (job.length + 7) / 8 * 8 * size;
      if (pick(0, 4) == 0) pitch += 16 * size;
      o.strides.resize(job.counts.size());
      for (size_t i = job.counts.size(); i > 0; --i) {
        if (may_repeat && pick(0, 3) == 0) continue;
        o.strides[i - 1] = pitch;
        pitch *= job.counts[i - 1];
      }
      next += 1 << 20;
      return o;
    };
    job.result = operand(false);
    if (pick(0, 4) > 0) job.x = operand(false);
    for (int64_t i = pick(0, 3); i > 0; --i) job.streams.push_back(operand(true));
    job.steps.resize(static_cast<size_t>(pick(0, 9)));
    Check(job, Chip(int64_t{8} << pick(0, 2), int64_t{1} << pick(0, 3)));
  }
}

}  // namespace
}  // namespace systolith::compiler
