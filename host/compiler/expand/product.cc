#include "host/compiler/expand/expansion.h"
namespace systolith::compiler {
std::optional<Values> ExpandDotGeneral(const Op&, Expansion&) { return std::nullopt; }
}
