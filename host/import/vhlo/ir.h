#ifndef SYSTOLITH_HOST_IMPORT_VHLO_IR_H_
#define SYSTOLITH_HOST_IMPORT_VHLO_IR_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "host/base/status.h"
#include "host/import/vhlo/container.h"

// Operations as bytecode has them, whatever they mean: numbers are indices in the container.
namespace systolith::import::vhlo {

struct RawRegion;

struct RawOp {
  size_t offset = 0;  // of the operation in the file
  size_t name = 0;
  size_t location = 0;  // an attribute
  std::optional<size_t> attributes, properties;
  std::vector<size_t> results;   // types
  std::vector<size_t> operands;  // values, by their order of definition in the isolated scope
  std::vector<RawRegion> regions;
  bool is_isolated = false;  // its regions number their values anew
  bool has_successors = false;
};

struct RawBlock {
  std::vector<size_t> arguments;  // types
  std::vector<RawOp> ops;
};

struct RawRegion {
  size_t offset = 0;
  size_t values = 0;  // arguments and results that its blocks define, without nested regions
  std::vector<RawBlock> blocks;
};

// The operations at the top of the file: one, a module. Reads the section to its last byte.
Result<std::vector<RawOp>> ReadIr(const Container& container);

}  // namespace systolith::import::vhlo

#endif  // SYSTOLITH_HOST_IMPORT_VHLO_IR_H_
