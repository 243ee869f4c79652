#ifndef SYSTOLITH_HOST_IMPORT_OP_ATTRIBUTES_H_
#define SYSTOLITH_HOST_IMPORT_OP_ATTRIBUTES_H_

#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/import/attribute.h"
#include "host/import/source.h"

namespace systolith::import {

// The typed attributes of an operation from its dictionary, under the names of the generic form or
// of the pretty one; StableHLO's defaults fill what is absent. `operands` are the operands' shapes.
Result<graph::Attributes> BuildAttributes(const Source& source, graph::Opcode opcode,
                                          const Attribute& dict,
                                          const std::vector<graph::Shape>& operands);

}  // namespace systolith::import

#endif  // SYSTOLITH_HOST_IMPORT_OP_ATTRIBUTES_H_
