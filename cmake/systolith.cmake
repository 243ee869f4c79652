# Helpers that every folder's CMakeLists.txt uses.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# systolith_library(NAME SOURCES ... [PUBLIC_DEPS ...] [PRIVATE_DEPS ...])
#
# A static library whose headers are included from the root of the repository
# ("host/base/status.h") and which is compiled without a warning.
function(systolith_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC_DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  add_library(systolith::${name} ALIAS ${name})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
  systolith_warnings(${name})
endfunction()

function(systolith_warnings name)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Werror)
  if(SYSTOLITH_SANITIZE)
    target_compile_options(${name} PUBLIC -fsanitize=address,undefined -fno-omit-frame-pointer)
    target_link_options(${name} PUBLIC -fsanitize=address,undefined)
  endif()
endfunction()

# systolith_test(NAME SOURCES ... [DEPS ...] [TIMEOUT seconds] [LABELS ...])
#
# One GoogleTest program, registered with CTest as a single test of that name. A test labelled
# `nightly` is left out of scripts/test.
function(systolith_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPS;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gtest_main)
  systolith_warnings(${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
                       ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

# systolith_verilate(NAME TOP module SOURCES files... [PARAMETERS Name=Value ...] [PREFIX VName])
#
# Verilates one block into a static library `NAME` whose class is `PREFIX` (default V<TOP>), with
# the flags that docs/performance.md explains. Several sizes of one block get several NAMEs and
# PREFIXes. RTL include path: rtl/prim (prim_assert.svh).
find_program(VERILATOR_BIN verilator)
find_path(VERILATOR_INCLUDE verilated.h
          PATHS /usr/share/verilator/include ${VERILATOR_ROOT}/include)
set(SYSTOLITH_VERILATOR_FLAGS
    -O3 --x-assign fast --x-initial fast --unroll-count 8 -Wall --output-split 20000)
set(SYSTOLITH_SIM_CXX_FLAGS "-O3 -march=native -mprefer-vector-width=512")
function(systolith_verilate name)
  cmake_parse_arguments(ARG "ASSERT" "TOP;PREFIX" "SOURCES;PARAMETERS" ${ARGN})
  if(NOT ARG_PREFIX)
    set(ARG_PREFIX V${ARG_TOP})
  endif()
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${name}.verilated)
  set(parameters "")
  foreach(parameter IN LISTS ARG_PARAMETERS)
    list(APPEND parameters "-G${parameter}")
  endforeach()
  set(flags ${SYSTOLITH_VERILATOR_FLAGS})
  if(ARG_ASSERT)
    list(APPEND flags --assert)
  endif()
  # Verilator 5.006 loses its place in files whose path has a space: relative paths avoid that.
  set(sources "")
  foreach(source IN LISTS ARG_SOURCES)
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${source})
    list(APPEND sources ${relative})
  endforeach()
  # Verilator names its outputs itself, so one driver script verilates, compiles and archives.
  add_custom_command(
    OUTPUT ${dir}/lib${name}.a
    COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
    COMMAND ${VERILATOR_BIN} --cc ${flags} ${parameters} --top-module ${ARG_TOP} --prefix
            ${ARG_PREFIX} --Mdir ${dir} -Irtl/prim -Irtl/arch ${sources}
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/compile_verilated.sh ${dir} ${ARG_PREFIX} lib${name}.a
            "${SYSTOLITH_SIM_CXX_FLAGS}"
    DEPENDS ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/scripts/compile_verilated.sh
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMENT "Verilating ${ARG_TOP} (${ARG_PARAMETERS})"
    VERBATIM)
  add_custom_target(${name}_verilate DEPENDS ${dir}/lib${name}.a)
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_verilate)
  target_include_directories(${name} SYSTEM INTERFACE ${dir} ${VERILATOR_INCLUDE}
                             ${VERILATOR_INCLUDE}/vltstd)
  target_link_libraries(${name} INTERFACE ${dir}/lib${name}.a systolith_verilated_runtime)
endfunction()
