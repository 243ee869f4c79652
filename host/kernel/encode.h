#ifndef SYSTOLITH_HOST_KERNEL_ENCODE_H_
#define SYSTOLITH_HOST_KERNEL_ENCODE_H_

#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/kernel/ir.h"
#include "host/kernel/kernel.h"
#include "host/kernel/schedule.h"

namespace systolith::kernel {

// The kernel of one region (the body) or two (prologue and body): operand codes, the constants that
// they name, loop ends and exits. Unsupported, with the
// kernel's location, if bundles or constants do not fit.
Result<Kernel> EncodeKernel(const std::string& name, const Location& location,
                            const std::vector<Region>& regions,
                            const std::vector<Schedule>& schedules, const Symbols& symbols);

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_ENCODE_H_
