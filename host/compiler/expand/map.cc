// map: its body, elementwise.
#include "host/compiler/expand/expansion.h"

namespace systolith::compiler {

std::optional<Values> ExpandMap(const Op& op, Expansion& to) {
  return to.Apply(op.regions[0], op.operands);
}

}  // namespace systolith::compiler
