#ifndef SYSTOLITH_HOST_KERNEL_NORMALISE_H_
#define SYSTOLITH_HOST_KERNEL_NORMALISE_H_

#include <string>

#include "host/base/status.h"
#include "host/kernel/ir.h"

namespace systolith::kernel {

// Brings a region into the form that the scheduler takes. The steps in order; each is also a
// function of its own, so that tests can see it.
Status Normalise(const std::string& kernel, Region& region, Symbols& symbols);

// Gives every group of assignments that one operation could read a variable of its own, so that a
// name that is used again and again ties nothing together. A variable that is read before it was
// written is an error.
Status SplitVariables(const std::string& kernel, Region& region, Symbols& symbols);

// Lets operations read what a copy copies, and write where a copy copies to.
void FoldCopies(Region& region);

// Takes out operations whose results nobody reads, and loops around nothing.
void DropUnused(Region& region);

// Inserts copies where the hardware cannot read or write a value in place: a lane operation reads
// and writes registers only, and one slot names its streams at one step.
void InsertCopies(Region& region, Symbols& symbols);

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_NORMALISE_H_
