#ifndef SYSTOLITH_HOST_TOOLS_VERSION_H_
#define SYSTOLITH_HOST_TOOLS_VERSION_H_

namespace systolith::tools {

inline constexpr char kVersion[] = SYSTOLITH_VERSION;  // of the CMake project

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_VERSION_H_
