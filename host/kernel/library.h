#ifndef SYSTOLITH_HOST_KERNEL_LIBRARY_H_
#define SYSTOLITH_HOST_KERNEL_LIBRARY_H_

#include <span>
#include <string_view>

#include "host/base/status.h"
#include "host/kernel/syntax.h"

namespace systolith::kernel {

struct LibraryFile {
  std::string_view name;  // "library/softmax.kernel"
  std::string_view text;
};

// The files of host/kernel/library, which the build puts into the binary.
std::span<const LibraryFile> LibraryFiles();

// All of them parsed, once. Functions and kernels have unique names over all files.
Result<const Module*> Library();

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_LIBRARY_H_
