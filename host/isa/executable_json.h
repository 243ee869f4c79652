#ifndef SYSTOLITH_HOST_ISA_EXECUTABLE_JSON_H_
#define SYSTOLITH_HOST_ISA_EXECUTABLE_JSON_H_

#include <cstddef>
#include <span>
#include <vector>

#include "host/base/status.h"
#include "host/isa/executable.h"

namespace systolith::isa {

// The body of a .sysx file: CBOR, words and constants as byte strings.
std::vector<std::byte> EncodeBody(const Executable& executable);
Result<Executable> DecodeBody(std::span<const std::byte> body);

}  // namespace systolith::isa

#endif  // SYSTOLITH_HOST_ISA_EXECUTABLE_JSON_H_
