#ifndef SYSTOLITH_HOST_BASE_RESOURCES_H_
#define SYSTOLITH_HOST_BASE_RESOURCES_H_

#include <string>

namespace systolith {

// Root of the files that the software reads at run time (rtl/, sim/, scripts/): the environment
// variable SYSTOLITH_ROOT, else share/systolith beside the running program's bin directory (an
// install tree), else the source tree that the program was built from.
std::string ResourceRoot();

// Directory of the running program.
std::string ProgramDirectory();

}  // namespace systolith

#endif  // SYSTOLITH_HOST_BASE_RESOURCES_H_
