#ifndef SYSTOLITH_TESTS_KERNELS_FUNCTIONS_OPERATIONS_H_
#define SYSTOLITH_TESTS_KERNELS_FUNCTIONS_OPERATIONS_H_

#include <vector>

#include "tests/kernels/functions_table.h"

namespace systolith::testing {

// f32 operations of the vector unit that round: every bit as MPFR rounds the exact value.
std::vector<Function> OperationFunctions();

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_KERNELS_FUNCTIONS_OPERATIONS_H_
