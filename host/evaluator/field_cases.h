#ifndef SYSTOLITH_HOST_EVALUATOR_FIELD_CASES_H_
#define SYSTOLITH_HOST_EVALUATOR_FIELD_CASES_H_

#include <string>
#include <vector>

#include "host/graph/literal.h"

// Situations in which comparable projects failed their users, with the right values: for tests of
// whatever runs programs.
namespace systolith::evaluator {

struct FieldCase {
  std::string name;  // "A01 stride above the kernel"
  std::string program;
  std::vector<graph::Literal> arguments;
  // Elements of all results, in order; every right implementation gives exactly these.
  std::vector<double> expected;
};

// A: geometry of convolutions. B: rounding and special values. C: integers. D: sizes.
std::vector<FieldCase> FieldCases();

// D17: products of sizes around the edge of an array of `size` rows and columns.
std::vector<FieldCase> ProductsAroundTheArray(int64_t size);

// The elements of all results, in order.
std::vector<double> FlatValues(const std::vector<graph::Literal>& results);

}  // namespace systolith::evaluator

#endif  // SYSTOLITH_HOST_EVALUATOR_FIELD_CASES_H_
