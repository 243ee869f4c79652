#include "host/kernel/assemble.h"

#include <fmt/format.h>

#include "host/base/nearest_name.h"
#include "host/kernel/interpreter.h"
#include "host/kernel/library.h"
#include "host/kernel/syntax.h"

namespace systolith::kernel {
namespace {

Result<Module> ParseLibrary() {
  Module library;
  for (const LibraryFile& file : LibraryFiles()) {
    ASSIGN_OR_RETURN(Module module, Parse(file.text, std::string(file.name)));
    for (auto part : {&Module::functions, &Module::kernels}) {
      for (auto& [name, definition] : module.*part) {
        const Location location = definition.location;
        if ((library.*part).contains(name)) {
          return SyntaxError(location, fmt::format("{} is in the library twice", name));
        }
        (library.*part).emplace(name, std::move(definition));
      }
    }
  }
  return library;
}

std::vector<std::string> NamesOf(const Module& module) {
  std::vector<std::string> names;
  for (const auto& [name, kernel] : module.kernels) names.push_back(name);
  return names;
}

Result<Kernel> AssembleFrom(const std::vector<const Module*>& modules,
                            std::string_view kernel_name, const Parameters& parameters,
                            const arch::ChipConfig& chip, const std::string& file_name) {
  std::vector<std::string> names;
  for (const Module* module : modules) {
    const auto found = module->kernels.find(kernel_name);
    if (found != module->kernels.end()) {
      Builder builder(found->second.name, found->second.location);
      Interpreter interpreter(modules, chip, builder);
      RETURN_IF_ERROR(interpreter.RunKernel(found->second, parameters));
      return builder.Finish();
    }
    for (const auto& [name, kernel] : module->kernels) names.push_back(name);
  }
  const std::string nearest = NearestName(kernel_name, names);
  return InvalidArgument(fmt::format("{}: no kernel is called '{}'{}", file_name, kernel_name,
                                     nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

}  // namespace

Result<const Module*> Library() {
  static const Result<Module> library = ParseLibrary();
  if (!library.ok()) return library.status();
  return &library.value();
}

Result<Kernel> Assemble(std::string_view source, std::string_view kernel_name,
                        const Parameters& parameters, const arch::ChipConfig& chip,
                        const std::string& file_name) {
  ASSIGN_OR_RETURN(const Module module, Parse(source, file_name));
  ASSIGN_OR_RETURN(const Module* library, Library());
  return AssembleFrom({&module, library}, kernel_name, parameters, chip, file_name);
}

Result<Kernel> AssembleFromLibrary(std::string_view kernel_name, const Parameters& parameters,
                                   const arch::ChipConfig& chip) {
  ASSIGN_OR_RETURN(const Module* library, Library());
  return AssembleFrom({library}, kernel_name, parameters, chip, "library");
}

Result<std::vector<std::string>> LibraryKernelNames() {
  ASSIGN_OR_RETURN(const Module* library, Library());
  return NamesOf(*library);
}

Result<std::vector<Value>> CallFunction(Builder& builder, std::string_view function,
                                        const std::vector<Value>& arguments,
                                        const arch::ChipConfig& chip) {
  ASSIGN_OR_RETURN(const Module* library, Library());
  Interpreter interpreter({library}, chip, builder);
  ASSIGN_OR_RETURN(const Definition* definition,
                   interpreter.FindFunction(std::string(function), {"library"}));
  if (arguments.size() != definition->parameters.size()) {
    return InvalidArgument(fmt::format("function {} takes {} arguments, not {}", function,
                                       definition->parameters.size(), arguments.size()));
  }
  return interpreter.RunFunction(*definition, arguments);
}

Result<std::vector<std::string>> KernelNames(std::string_view source,
                                             const std::string& file_name) {
  ASSIGN_OR_RETURN(const Module module, Parse(source, file_name));
  return NamesOf(module);
}

}  // namespace systolith::kernel
