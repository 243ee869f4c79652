#include "host/compiler/buffer_plan.h"

namespace systolith::compiler {
bool StreamsInPlace(const View& view, bool may_repeat) {
  if (view.shift.valid() || !StartsRow(view.offset)) return false;
  bool is_innermost = true;
  for (size_t d = view.dims.size(); d > 0; --d) {
    if (view.dims[d - 1] == 1) continue;
    const int64_t stride = view.strides[d - 1];
    const bool is_fine = is_innermost ? stride == 1 || (may_repeat && stride == 0)
                                      : StartsRow(stride);
    if (!is_fine) return false;
    is_innermost = false;
  }
  return true;
}

bool IsWordOfI1(const View& view, int64_t base_bytes) {
  return view.type == graph::ElementType::kI1 && base_bytes == 1;
}

bool IsWordInPlace(const View& view, int64_t base_bytes) {
  return view.ElementBytes() == 4 || IsWordOfI1(view, base_bytes);
}

}  // namespace systolith::compiler
