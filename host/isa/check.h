#ifndef SYSTOLITH_HOST_ISA_CHECK_H_
#define SYSTOLITH_HOST_ISA_CHECK_H_

#include <cstdint>
#include <span>

#include "host/base/status.h"

namespace systolith::isa {

// What can be told about a program without running it: whole instructions with known opcodes on
// engines that execute them, fields in range, branches to instructions, flags of one engine each,
// and the wait rule: a wait may only name a signal issued earlier in program order (host and remote
// flags excepted). In a program without branches every wait without a register is counted exactly;
// otherwise a wait's flag must be signalled by some instruction before it, or, where a branch goes
// back over the wait, by one in the program. A `vector` must find its kernel and the streams that
// it names. The message names pc and field.
Status CheckProgram(std::span<const uint32_t> words);

}  // namespace systolith::isa

#endif  // SYSTOLITH_HOST_ISA_CHECK_H_
