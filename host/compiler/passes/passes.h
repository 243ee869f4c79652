#ifndef SYSTOLITH_HOST_COMPILER_PASSES_PASSES_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_PASSES_H_

#include "host/base/status.h"
#include "host/compiler/compilation.h"

namespace systolith::compiler {

Status InlineCalls(Compilation& compilation);
Status FoldConstants(Compilation& compilation);
Status NarrowIntegers(Compilation& compilation);
Status MatchOperandTypes(Compilation& compilation);
Status AssignLayouts(Compilation& compilation);
Status EraseDeadOperations(Compilation& compilation);
Status AssignUnits(Compilation& compilation);
Status PlanKernels(Compilation& compilation);
Status ForwardResults(Compilation& compilation);
Status OrderSteps(Compilation& compilation);
Status PlaceInBuffer(Compilation& compilation);
Status PlaceTensors(Compilation& compilation);
Status EmitSteps(Compilation& compilation);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_PASSES_H_
