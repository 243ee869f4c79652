#ifndef SYSTOLITH_HOST_GRAPH_PRECISION_H_
#define SYSTOLITH_HOST_GRAPH_PRECISION_H_

#include "host/graph/attributes.h"

namespace systolith::graph {

// How a product of f32 operands is computed, from the operation's attributes and from what DEFAULT
// means in this run. A DotAlgorithm decides where there is one: f32 operands or six bf16 products
// are HIGHEST, three bf16 products or tf32 are HIGH, one bf16 product is DEFAULT.
Precision EffectivePrecision(const DotGeneralAttributes& dot, Precision default_precision);
Precision EffectivePrecision(const ConvolutionAttributes& conv, Precision default_precision);

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_PRECISION_H_
