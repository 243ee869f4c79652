#ifndef SYSTOLITH_TESTS_KERNELS_KERNEL_TEST_H_
#define SYSTOLITH_TESTS_KERNELS_KERNEL_TEST_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "host/base/bfloat16.h"
#include "host/base/rounding.h"
#include "host/evaluator/test_util.h"
#include "host/kernel/assemble.h"
#include "tb/common/random.h"
#include "tests/kernels/kernel_program.h"

namespace systolith::kernels {

using arch::LaneType;
using evaluator::Dims;
using evaluator::ElementType;
using evaluator::Literal;
using evaluator::Shape;

constexpr float kInfinity = INFINITY;

// Rows of `columns` elements as they lie in the buffer, `pitch` elements apart with NaN between, and
// back.
inline std::vector<float> PaddedRows(const std::vector<float>& dense, int64_t columns,
                                     int64_t pitch) {
  const int64_t rows = static_cast<int64_t>(dense.size()) / columns;
  std::vector<float> padded(static_cast<size_t>(rows * pitch), NAN);
  for (int64_t r = 0; r < rows; ++r) {
    std::copy_n(dense.begin() + r * columns, columns, padded.begin() + r * pitch);
  }
  return padded;
}
inline std::vector<float> DenseRows(const std::vector<float>& padded, int64_t columns,
                                    int64_t pitch) {
  std::vector<float> dense;
  for (auto row = padded.begin(); padded.end() - row >= pitch; row += pitch) {
    dense.insert(dense.end(), row, row + columns);
  }
  return dense;
}

// Runs kernels of the library on chips and compares with the evaluator. Every test runs on the
// golden model, or on what SYSTOLITH_KERNEL_TARGET names ("rtl": verilated chips).
class KernelTest : public tb::RandomTest {
 protected:
  static std::string Target() {
    const char* target = std::getenv("SYSTOLITH_KERNEL_TARGET");
    return target == nullptr ? "golden" : target;
  }

  // Chips of several shapes of the vector unit; on RTL only the smallest, which other tests build, too,
  // unless SYSTOLITH_KERNEL_CHIPS is set.
  static std::vector<arch::ChipConfig> Chips() {
    std::vector<arch::ChipConfig> chips = {arch::LoadChipConfig("tiny").value()};
    if (Target() == "golden" || std::getenv("SYSTOLITH_KERNEL_CHIPS") != nullptr) {
      chips.push_back(arch::LoadChipConfig("gemm16").value());
      chips.push_back(arch::LoadChipConfig("edge").value());
      chips.push_back(arch::LoadChipConfig("v2").value());
    }
    for (arch::ChipConfig& chip : chips) chip.memory_bytes = 1 << 26;
    return chips;
  }

  static void Execute(KernelProgram& program) {
    auto transport = hal::OpenTransport(Target(), program.chip());
    ASSERT_TRUE(transport.ok()) << transport.status().message();
    const golden::JobResult result = program.Execute(**transport);
    ASSERT_TRUE(result.status.ok() && result.completed) << result;
  }

  std::vector<float> RandomFloats(int64_t count, float low = -3, float high = 3) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) {
      value = low + (high - low) * static_cast<float>(rng_.U32() >> 8) * 0x1p-24f;
    }
    return values;
  }

  static Literal F32(Dims dims, const std::vector<float>& values) {
    return Literal::Of<float>(Shape{ElementType::kF32, std::move(dims)}, values);
  }

  // |actual - expected| <= relative * |expected| + absolute for every element; NaN equals NaN.
  static void ExpectClose(const std::vector<float>& actual, const Literal& expected,
                          double relative, double absolute = 0) {
    ASSERT_EQ(actual.size(), static_cast<size_t>(expected.size()));
    for (size_t i = 0; i < actual.size(); ++i) {
      const double wanted = expected.GetDouble(static_cast<int64_t>(i));
      const double found = actual[i];
      if (std::isnan(wanted) && std::isnan(found)) continue;
      if (found == wanted) continue;
      ASSERT_LE(std::abs(found - wanted), relative * std::abs(wanted) + absolute)
          << "element " << i << ": " << found << ", expected " << wanted;
    }
  }
};

// Rows of a matrix, in row groups of a few instances, for kernels whose loop 5 walks over the row
// groups of an instance and once more, in1 a row group ahead of in0, out0 one back. Runs one vector instruction for
// as many full row groups as four instances share evenly, and one for the rest.
void RunRowPipeline(KernelProgram& program, const kernel::Kernel& kernel, int64_t rows,
                    const RowStream& in, int64_t in_address, const RowStream& out,
                    int64_t out_address, const std::vector<arch::Stream>& others,
                    const arch::Vector& vector);

}  // namespace systolith::kernels

#endif  // SYSTOLITH_TESTS_KERNELS_KERNEL_TEST_H_
