#include "host/compiler/codegen/column_folding.h"

namespace systolith::compiler {

std::optional<Kernel> FoldColumns(const Kernel& kernel, int64_t fold) {
  Kernel folded = kernel;
  auto& c = std::get<Contraction>(folded.body);
  const int64_t features = c.out_o.size;
  // Zero times infinity is no zero, and minus zero plus zero is no minus zero.
  const auto is_exact = [](arch::OperandType type) { return type == arch::OperandType::kInt8; };
  if (!is_exact(c.lhs_type) || !is_exact(c.rhs_type)) return {};
  if (features % 8 != 0 || c.out_x.size % fold != 0 || c.window_dilation_x != 1) return {};
  if (c.out_o.stride != 1 || c.out_x.stride != features) return {};
  if (c.o.stride != 1 || c.kw.size == 0) return {};
  for (size_t s = 0; s < kernel.streams.size(); ++s) {
    auto& strides = c.stream_strides[s];
    const bool repeats = strides[2] == 0;
    if (kernel.streams[s].is_iota || (!repeats && strides[2] != features * strides[3])) return {};
    strides[2] *= fold;
  }
  c.fold = fold;
  c.kw.size += (fold - 1) * c.stride_x;
  c.stride_x *= fold;
  c.o.size *= fold;
  c.out_x = {c.out_x.size / fold, c.out_x.stride * fold};
  c.out_o.size *= fold;
  return folded;
}

Result<Tiling> ChooseFoldedTiling(Kernel& kernel, bool may_fold, int64_t buffer_bytes,
                                  const arch::ChipConfig& chip) {
  const Kernel whole = kernel;
  Result<Tiling> best = ChooseTiling(TilingProblem(whole, buffer_bytes), chip);
  const int64_t features = std::get<Contraction>(whole.body).out_o.size;
  for (int64_t fold = 2; may_fold && fold * features <= chip.mxu_cols; fold *= 2) {
    std::optional<Kernel> folded = FoldColumns(whole, fold);
    if (!folded) continue;
    Result<Tiling> tiling = ChooseTiling(TilingProblem(*folded, buffer_bytes), chip);
    if (!tiling.ok() || (best.ok() && tiling->cost_cycles >= best->cost_cycles)) continue;
    best = std::move(tiling);
    kernel = std::move(*folded);
  }
  return best;
}

int64_t StrideOfPixel(const Contraction& contraction) {
  return contraction.stride_x / contraction.fold;
}

int64_t TapsOfPixel(const Contraction& contraction) {
  return contraction.kw.size - (contraction.fold - 1) * StrideOfPixel(contraction);
}

}  // namespace systolith::compiler
