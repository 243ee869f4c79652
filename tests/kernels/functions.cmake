# The function library against MPFR, on the golden model's arithmetic.
find_library(MPFR_LIBRARY mpfr REQUIRED)
find_library(GMP_LIBRARY gmp REQUIRED)
systolith_library(functions_testing
  SOURCES functions_error.cc functions_interpreter.cc functions_reference.cc functions_table.cc
  PUBLIC_DEPS golden kernel ${MPFR_LIBRARY} ${GMP_LIBRARY} PRIVATE_DEPS fmt::fmt)
systolith_test(kernels_functions_test SOURCES functions_test.cc
               DEPS functions_testing GTest::gmock)
