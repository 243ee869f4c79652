#ifndef SYSTOLITH_TESTS_RANDOM_GRAPHS_STRUCTURED_GENERATOR_H_
#define SYSTOLITH_TESTS_RANDOM_GRAPHS_STRUCTURED_GENERATOR_H_

#include "tests/random_graphs/generator_base.h"

namespace systolith::testing {

// Proposes operations with regions, windows or index lists. Each method appends one such operation,
// perhaps after others that make its operands, or says that it could not.
class StructuredGenerator : public GeneratorBase {
 protected:
  using GeneratorBase::GeneratorBase;

  bool Dynamic();
  bool Product();
  bool DotGeneral();
  bool Convolution();
  bool Fold();
  bool Windows();
  bool GatherOrScatter();
  bool Sort();
  bool Control();

 private:
  // Elementwise work on the values, as a loop or a branch has it.
  std::vector<Value> Work(graph::Builder& builder, const std::vector<Value>& values);
};

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_RANDOM_GRAPHS_STRUCTURED_GENERATOR_H_
