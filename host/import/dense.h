#ifndef SYSTOLITH_HOST_IMPORT_DENSE_H_
#define SYSTOLITH_HOST_IMPORT_DENSE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/base/status.h"
#include "host/graph/literal.h"
#include "host/import/source.h"

namespace systolith::import {

// Together, all constants of which a program spells out only one element.
inline constexpr int64_t kMaxSplatBytes = int64_t{1} << 30;

// The tensor that a blob stands for: all elements, one for all of them, or an i1 tensor's bits, 8
// to a byte. `offset` is for messages; `splat_bytes` counts up to kMaxSplatBytes.
Result<graph::Literal> LiteralFromBlob(const Source& source, size_t offset,
                                       const graph::Shape& shape, std::span<const std::byte> blob,
                                       int64_t& splat_bytes);

}  // namespace systolith::import

#endif  // SYSTOLITH_HOST_IMPORT_DENSE_H_
