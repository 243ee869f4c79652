#ifndef SYSTOLITH_HOST_TOOLS_CONFORMANCE_PROGRAM_H_
#define SYSTOLITH_HOST_TOOLS_CONFORMANCE_PROGRAM_H_

#include <string>
#include <vector>

#include "host/base/status.h"

// Programs that check their own results, as files hold them: one program per file whose `main` takes
// no argument, or several functions between lines of "// -----", each with checks of its own.
namespace systolith::tools {

struct Program {
  std::string name;        // "testdata/add_float32.mlir", "interpret/add.mlir:add_op_test_si4"
  std::string collection;  // the folder that the file lies in: "testdata"
  std::string file;
  std::string text;        // of the whole piece, so that the function can call its neighbours
  int first_line = 1;      // of the text in the file
  std::string function;    // what runs
  std::vector<std::string> operations;  // that do something: without constants, calls, checks
  // Why it is none that has to run: types that the chip doesn't have, shapes known at run time only,
  // several chips, or its authors do not run it either. Empty for the others.
  std::string outside;
};

// Every program of the files and of the .mlir files in the folders, in the order of their names. An
// error if a path can't be read.
Result<std::vector<Program>> FindPrograms(const std::vector<std::string>& paths);

// The programs of one text; found by its words alone, so that a text that no importer takes counts.
std::vector<Program> ProgramsOf(const std::string& text, const std::string& file);

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_CONFORMANCE_PROGRAM_H_
