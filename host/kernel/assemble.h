#ifndef SYSTOLITH_HOST_KERNEL_ASSEMBLE_H_
#define SYSTOLITH_HOST_KERNEL_ASSEMBLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/kernel/builder.h"
#include "host/kernel/kernel.h"

// The kernel language (README.md of this folder).
namespace systolith::kernel {

// Compile-time numbers that a kernel's parameters get.
using Parameters = std::map<std::string, int64_t>;

// Assembles kernel `kernel_name` of `source`. Functions and kernels of the library are visible
// too; those of `source` hide them. Errors name file, line, column, reason and remedy.
Result<Kernel> Assemble(std::string_view source, std::string_view kernel_name,
                        const Parameters& parameters, const arch::ChipConfig& chip,
                        const std::string& file_name = "kernel");

// The same for a kernel of the library.
Result<Kernel> AssembleFromLibrary(std::string_view kernel_name, const Parameters& parameters,
                                   const arch::ChipConfig& chip);

Result<std::vector<std::string>> LibraryKernelNames();

// Writes the operations of the library's function into a kernel that C++ code builds, and returns
// its results.
Result<std::vector<Value>> CallFunction(Builder& builder, std::string_view function,
                                        const std::vector<Value>& arguments,
                                        const arch::ChipConfig& chip);

// Names of the kernels in a source text.
Result<std::vector<std::string>> KernelNames(std::string_view source,
                                             const std::string& file_name = "kernel");

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_ASSEMBLE_H_
