// The cases of field_cases.h in the evaluator.
#include "host/evaluator/field_cases.h"

#include <cmath>

#include "host/evaluator/test_util.h"

namespace systolith::evaluator {
namespace {

void ExpectRight(const FieldCase& field_case) {
  SCOPED_TRACE(field_case.name);
  const std::vector<double> values =
      FlatValues(RunProgram(field_case.program, field_case.arguments));
  ASSERT_EQ(values.size(), field_case.expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(field_case.expected[i])) {
      EXPECT_TRUE(std::isnan(values[i])) << i;
    } else {
      EXPECT_EQ(values[i], field_case.expected[i]) << i;
    }
  }
}

TEST(FieldCaseTest, EveryCaseGivesTheRightValues) {
  for (const FieldCase& field_case : FieldCases()) ExpectRight(field_case);
}

TEST(FieldCaseTest, ProductsOfEverySizeAroundAnArrayAreRight) {
  for (const FieldCase& field_case : ProductsAroundTheArray(8)) ExpectRight(field_case);
}

}  // namespace
}  // namespace systolith::evaluator
