#ifndef SYSTOLITH_HOST_IMPORT_VHLO_OP_TABLE_H_
#define SYSTOLITH_HOST_IMPORT_VHLO_OP_TABLE_H_

#include <string_view>
#include <vector>

#include "host/import/attribute.h"

// How VHLO's operations differ from StableHLO's text.
namespace systolith::import::vhlo {

// The names of the attributes of "add_v1" and the like, in the order in which the properties of
// the operation list them; null if there is no such operation.
const std::vector<std::string_view>* AttributeNames(std::string_view op);

// "add" from "add_v1".
std::string_view WithoutVersion(std::string_view op);

// VHLO has no attributes with parts: gathers those that are parts of one attribute in StableHLO,
// such as the dimension numbers of a convolution. `op` is a name without its version.
void GatherParts(std::string_view op, Attribute& dict);

}  // namespace systolith::import::vhlo

#endif  // SYSTOLITH_HOST_IMPORT_VHLO_OP_TABLE_H_
