# The function library against MPFR, on the golden model's arithmetic.
find_library(MPFR_LIBRARY mpfr REQUIRED)
find_library(GMP_LIBRARY gmp REQUIRED)
systolith_library(functions_testing
  SOURCES functions_error.cc functions_interpreter.cc functions_operations.cc
          functions_reference.cc functions_table.cc
  PUBLIC_DEPS golden kernel ${MPFR_LIBRARY} ${GMP_LIBRARY} PRIVATE_DEPS fmt::fmt)
systolith_test(kernels_functions_test SOURCES functions_evaluator_test.cc functions_test.cc
               DEPS functions_testing evaluator GTest::gmock)

foreach(program document random)
  add_executable(functions_${program} functions_${program}.cc)
  target_link_libraries(functions_${program} PRIVATE functions_testing fmt::fmt Threads::Threads)
  systolith_warnings(functions_${program})
endforeach()
add_test(NAME kernels_functions_document
         COMMAND functions_document ${PROJECT_SOURCE_DIR}/docs/functions.md)
add_test(NAME kernels_functions_random COMMAND functions_random)
set_tests_properties(kernels_functions_random PROPERTIES TIMEOUT 7200 LABELS nightly)
