// The cases of field_cases.h through the compiler on the golden model.
#include "host/evaluator/field_cases.h"

#include <cmath>

#include "tests/end_to_end/compiled_program_test.h"

namespace systolith::testing {
namespace {

class FieldCasesOnGoldenTest : public CompiledProgramTest {
 protected:
  void ExpectRight(const evaluator::FieldCase& field_case, const arch::ChipConfig& chip) {
    SCOPED_TRACE(field_case.name + " on " + chip.name);
    const graph::Module module = Import(field_case.program);
    if (module.functions.empty()) return;
    const std::vector<Literal> results = Run(module, chip, field_case.arguments);
    const std::vector<double> values = evaluator::FlatValues(results);
    ASSERT_EQ(values.size(), field_case.expected.size());
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(field_case.expected[i])) {
        EXPECT_TRUE(std::isnan(values[i])) << i;
      } else {
        EXPECT_EQ(values[i], field_case.expected[i]) << i;
      }
    }
    ExpectOnRtl(module, *arch::LoadChipConfig("tiny"), field_case.arguments, results);
  }
};

TEST_F(FieldCasesOnGoldenTest, EveryCaseGivesTheRightValues) {
  const arch::ChipConfig chip = ArrayChip(16, 1, 1 << 16);
  for (const evaluator::FieldCase& field_case : evaluator::FieldCases()) {
    ExpectRight(field_case, chip);
  }
}

TEST_F(FieldCasesOnGoldenTest, SeveralUnitsChangeNothing) {
  const arch::ChipConfig chip = ArrayChip(8, 3, 1 << 16);
  for (const evaluator::FieldCase& field_case : evaluator::FieldCases()) {
    ExpectRight(field_case, chip);
  }
}

TEST_F(FieldCasesOnGoldenTest, ProductsOfEverySizeAroundTheArrayAreRight) {
  const arch::ChipConfig chip = ArrayChip(8, 1, 1 << 16);
  for (const evaluator::FieldCase& field_case : evaluator::ProductsAroundTheArray(8)) {
    ExpectRight(field_case, chip);
  }
}

}  // namespace
}  // namespace systolith::testing
