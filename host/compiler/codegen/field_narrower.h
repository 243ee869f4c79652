#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_FIELD_NARROWER_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_FIELD_NARROWER_H_

#include <fmt/format.h>

#include <cstdint>

#include "host/base/status.h"

namespace systolith::compiler {

// Narrows numbers to fields of an instruction and keeps the first fault.
class FieldNarrower {
 public:
  int32_t Signed(int64_t value) {
    if (value != static_cast<int32_t>(value)) Misfit(value);
    return static_cast<int32_t>(value);
  }
  uint32_t Unsigned(int64_t value) {
    if (value != static_cast<uint32_t>(value)) Misfit(value);
    return static_cast<uint32_t>(value);
  }
  const Status& fault() const { return fault_; }

 private:
  void Misfit(int64_t value) {
    if (fault_.ok()) fault_ = Internal(fmt::format("{} does not fit an instruction", value));
  }

  Status fault_;
};

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_FIELD_NARROWER_H_
