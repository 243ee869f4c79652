#include "host/compiler/schedule/tiling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "host/compiler/codegen/generator.h"
#include "host/compiler/codegen/transpose_job.h"
#include "host/compiler/schedule/cost_model.h"

namespace systolith::compiler {
namespace {

// Cycles from the issue of an engine instruction to its first useful one, roughly.
constexpr double kInstructionCycles = 40.0;

// Of the work of the engines that are not the bottleneck, so much is not hidden under it, roughly.
constexpr double kShareNotHidden = 0.05;

// What is worth a transposition.
constexpr int64_t kShortestRun = 4;

int64_t Pad8(int64_t elements) { return RoundUp(elements, 8); }

// One axis cut into at most `limit` at a time, in nearly equal parts.
int64_t EvenPart(int64_t size, int64_t limit) {
  return size <= limit ? size : CeilDivide(size, CeilDivide(size, limit));
}

class Search {
 public:
  Search(const TilingProblem& problem, const arch::ChipConfig& chip)
      : problem_(problem), c_(problem.contraction), chip_(chip) {}

  Result<Tiling> Run() {
    for (int64_t rows = chip_.mxu_accumulator_rows; rows >= 1; rows = rows == 1 ? 0 : rows / 2) {
      TryRows(rows);
      if (best_ && rows * 8 < chip_.mxu_accumulator_rows) break;  // smaller only gets slower
    }
    if (!best_) {
      return Unsupported(fmt::format("no tile of it fits the unified buffer of {} bytes",
                                     problem_.buffer_bytes));
    }
    return *best_;
  }

 private:
  void TryRows(int64_t rows) {
    Tiling tiling;
    tiling.block_x = EvenPart(c_.out_x.size, rows);
    tiling.block_y = EvenPart(c_.out_y.size, std::max<int64_t>(rows / tiling.block_x, 1));
    const bool whole_images =
        tiling.block_x == c_.out_x.size && tiling.block_y == c_.out_y.size;
    tiling.block_n =
        whole_images ? EvenPart(c_.out_n.size,
                                std::max<int64_t>(rows / (tiling.block_x * tiling.block_y), 1))
                     : 1;
    const int64_t tiles = CeilDivide(c_.o.size, chip_.mxu_cols);
    for (int64_t group = 1; group <= 64; group *= 2) {
      tiling.group_tiles = std::min(group, tiles);
      TryGroup(tiling);
      if (group >= tiles) break;
    }
  }

  void TryGroup(Tiling tiling) {
    // Whole, by rows of taps, by taps, and by ever fewer features.
    std::set<std::vector<int64_t>> tried;
    const auto attempt = [&](int64_t taps_y, int64_t taps_x, int64_t features) {
      if (!tried.insert({taps_y, taps_x, features}).second) return;
      SetSlices(tiling, taps_y, taps_x, features);
      TrySlots(tiling);
    };
    const int64_t all = c_.c.size;
    attempt(c_.kh.size, c_.kw.size, all);
    attempt(1, c_.kw.size, all);
    attempt(1, 1, all);
    for (int64_t parts = 2; parts <= 4096; parts *= 2) {
      const int64_t features = RoundUp(CeilDivide(all, parts), chip_.mxu_rows);
      attempt(1, 1, std::min(features, all));
      if (features <= chip_.mxu_rows) break;
    }
    for (int64_t features = chip_.mxu_rows / 2; features >= 8 && !best_; features /= 2) {
      attempt(1, 1, std::min(RoundUp(features, 8), all));
    }
  }

  void SetSlices(Tiling& tiling, int64_t taps_y, int64_t taps_x, int64_t features) const {
    tiling.slices.clear();
    tiling.a_parts = std::max<int64_t>(CeilDivide(c_.c.size, std::max<int64_t>(features, 1)), 1);
    for (int64_t kh = 0; kh < c_.kh.size; kh += taps_y) {
      for (int64_t kw = 0; kw < c_.kw.size; kw += taps_x) {
        for (int64_t part = 0; part * features < c_.c.size; ++part) {
          tiling.slices.push_back({kh, std::min(kh + taps_y, c_.kh.size), kw,
                                   std::min(kw + taps_x, c_.kw.size), part * features,
                                   std::min((part + 1) * features, c_.c.size), part});
        }
      }
    }
    const int64_t pitch = Pad8(std::min(features, c_.c.size));
    tiling.merged = taps_x > 1 && c_.window_dilation_x == 1;
    tiling.transposed = c_.o.stride != 1 && c_.o.size > 1 && c_.rhs_c.stride == 1;
    const bool ragged = c_.c.size % 8 != 0;
    // Merged taps read the padding between them: zero times zero adds nothing. Lanes that arrive
    // one by one, and rows of weights, get no padding from the DMA.
    const bool dense_features = c_.c.stride == 1 || c_.c.size == 1;
    tiling.zero_a = tiling.merged && ragged && !dense_features;
    tiling.zero_b = (tiling.merged && ragged && !tiling.transposed) || c_.fold > 1;

    SetStaging(tiling);
    if (tiling.a_staging != Tiling::Staging::kNone) tiling.zero_a = false;  // transposing fills

    const int64_t columns = std::min(tiling.group_tiles * chip_.mxu_cols, c_.o.size);
    const int64_t rows = tiling.block_n * tiling.block_y * tiling.block_x;
    const int64_t height =
        InputExtent(tiling.block_y, c_.stride_y, c_.kh.size, c_.window_dilation_y, c_.h.size);
    const int64_t width =
        InputExtent(tiling.block_x, c_.stride_x, c_.kw.size, c_.window_dilation_x, c_.w.size);
    tiling.a_bytes = tiling.block_n * height * width * pitch * problem_.lhs_bytes;
    tiling.b_bytes = taps_y * taps_x * pitch * Pad8(columns) * problem_.rhs_bytes;
    tiling.out_bytes = rows * Pad8(columns) * problem_.out_bytes;
    features = std::min(features, c_.c.size);
    if (tiling.a_staging == Tiling::Staging::kPixels) {
      tiling.a_staging_bytes =
          tiling.block_n * features * Pad8(height * width) * problem_.lhs_bytes;
    } else if (tiling.a_staging == Tiling::Staging::kImages) {
      tiling.a_staging_bytes = features * height * width * Pad8(tiling.block_n) * problem_.lhs_bytes;
    }
    if (tiling.out_staging) {
      tiling.out_staging_bytes = tiling.block_n * columns *
                                 Pad8(tiling.block_y * tiling.block_x) * problem_.out_bytes;
    }
    for (size_t s = 0; s < problem_.stream_bytes.size(); ++s) {
      tiling.stream_bytes[s] = (problem_.stream_rows[s] ? rows : 1) *
                               (problem_.stream_columns[s] ? Pad8(columns) : 8) *
                               problem_.stream_bytes[s];
    }
  }

  // Transposing pays where at least some elements follow one another in the other direction.
  void SetStaging(Tiling& tiling) const {
    const auto is_run = [](const Axis& axis) {
      return axis.stride == 1 && axis.size >= kShortestRun;
    };
    if (c_.c.stride != 1 && c_.c.size >= kShortestRun) {
      if (is_run(c_.w.size > 1 ? c_.w : c_.h)) {
        tiling.a_staging = Tiling::Staging::kPixels;
      } else if (is_run(c_.n)) {
        tiling.a_staging = Tiling::Staging::kImages;
      }
    }
    tiling.out_staging = c_.out_o.stride != 1 && c_.out_o.size >= kShortestRun &&
                         is_run(c_.out_x.size > 1 ? c_.out_x : c_.out_y);
  }

  int64_t Blocks(const Tiling& t) const {
    return CeilDivide(c_.out_n.size, t.block_n) * CeilDivide(c_.out_y.size, t.block_y) *
           CeilDivide(c_.out_x.size, t.block_x);
  }
  int64_t Groups(const Tiling& t) const {
    return CeilDivide(CeilDivide(c_.o.size, chip_.mxu_cols), t.group_tiles);
  }

  void TrySlots(Tiling tiling) {
    const auto slice_count = static_cast<int64_t>(tiling.slices.size());
    const int64_t all_a = Blocks(tiling) * tiling.a_parts;
    const int64_t all_b = Groups(tiling) * slice_count;
    const std::set<int64_t> a_choices = {1, std::min<int64_t>(2, all_a),
                                         std::min(tiling.a_parts + 1, all_a),
                                         std::min(2 * tiling.a_parts, all_a), all_a};
    const std::set<int64_t> b_choices = {1, std::min<int64_t>(2, all_b),
                                         std::min(slice_count + 1, all_b),
                                         std::min(2 * slice_count, all_b), all_b};
    for (const int64_t a : a_choices) {
      for (const int64_t b : b_choices) {
        for (const int64_t others : {2, 1}) {
          tiling.a_slots = a;
          tiling.b_slots = b;
          tiling.out_slots = tiling.stream_slots = others;
          if (Bytes(tiling) > problem_.buffer_bytes) continue;
          for (const bool groups_outer : {false, true}) {
            tiling.groups_outer = groups_outer;
            tiling.cost_cycles = Cost(tiling);
            if (!best_ || tiling.cost_cycles <= best_->cost_cycles) best_ = tiling;  // more slots
          }
        }
      }
    }
  }

  int64_t Bytes(const Tiling& t) const {
    int64_t bytes = t.a_slots * SlotBytes(chip_, t.a_bytes) +
                    t.b_slots * SlotBytes(chip_, t.b_bytes) +
                    t.out_slots * SlotBytes(chip_, t.out_bytes);
    for (const int64_t staging : {t.a_staging_bytes, t.out_staging_bytes}) {
      if (staging > 0) bytes += kStagingSlots * SlotBytes(chip_, staging);
    }
    for (size_t s = 0; s < problem_.stream_bytes.size(); ++s) {
      bytes += t.stream_slots * SlotBytes(chip_, t.stream_bytes[s]);
    }
    return bytes;
  }

  double TransferCycles(int64_t bytes, int64_t run_bytes) const {
    return compiler::TransferCycles(chip_, bytes, run_bytes);
  }

  double Cost(const Tiling& t) const {
    const auto blocks = static_cast<double>(Blocks(t));
    const auto groups = static_cast<double>(Groups(t));
    const auto slices = static_cast<double>(t.slices.size());
    const auto mxus = static_cast<double>(chip_.mxu_count);
    const auto passes = static_cast<double>(c_.passes.size());
    const double tiles = std::ceil(static_cast<double>(c_.o.size) /
                                   static_cast<double>(chip_.mxu_cols));
    const auto rows = static_cast<double>(t.block_n * t.block_y * t.block_x);

    double weight_tiles = 0.0;
    for (const TermSlice& s : t.slices) {
      const int64_t taps_x = s.kw1 - s.kw0;
      const int64_t features = s.c1 - s.c0;
      weight_tiles += static_cast<double>(
          (s.kh1 - s.kh0) *
          (t.merged ? CeilDivide(taps_x * Pad8(features), chip_.mxu_rows)
                    : taps_x * CeilDivide(features, chip_.mxu_rows)));
    }
    const double shortest = static_cast<double>(chip_.mxu_rows);
    const double mxu = std::ceil(blocks * tiles / mxus) * passes *
                       (weight_tiles * std::max(rows, shortest) + slices * kInstructionCycles);

    // How often each tile is loaded, given what stays in the buffer.
    const double per_group = std::ceil(static_cast<double>(t.group_tiles) / mxus) * passes;
    const auto all_a = static_cast<double>(Blocks(t) * t.a_parts);
    const double all_b = groups * slices;
    const double a_times =
        static_cast<double>(t.a_slots) >= all_a ? 1.0
        : t.a_slots > t.a_parts ? (t.groups_outer ? groups : 1.0)
                                : groups * per_group * (t.a_parts > 1 ? 1.0 : 1.0 / per_group);
    const double b_times =
        static_cast<double>(t.b_slots) >= all_b ? 1.0
        : static_cast<double>(t.b_slots) > slices ? (t.groups_outer ? 1.0 : blocks)
                                                  : blocks * (slices > 1.0 ? per_group : 1.0);
    const int64_t columns = std::min(t.group_tiles * chip_.mxu_cols, c_.o.size);
    int64_t a_run = c_.c.stride == 1 ? (t.a_parts == 1 && c_.c.size % 8 == 0
                                                  ? t.a_bytes
                                                  : CeilDivide(c_.c.size, t.a_parts) *
                                                        problem_.lhs_bytes)
                                           : problem_.lhs_bytes;
    const int64_t b_run = t.transposed
                              ? CeilDivide(c_.c.size, t.a_parts) * problem_.rhs_bytes
                              : (c_.o.stride == 1 ? columns * problem_.rhs_bytes
                                                  : problem_.rhs_bytes);
    int64_t out_run =
        c_.out_o.stride == 1 ? columns * problem_.out_bytes : problem_.out_bytes;
    const int64_t height =
        InputExtent(t.block_y, c_.stride_y, c_.kh.size, c_.window_dilation_y, c_.h.size);
    const int64_t width =
        InputExtent(t.block_x, c_.stride_x, c_.kw.size, c_.window_dilation_x, c_.w.size);
    const int64_t features = CeilDivide(c_.c.size, t.a_parts);
    double xlu = 0.0;
    if (t.a_staging == Tiling::Staging::kPixels) {
      a_run = (c_.w.size == 1 || c_.h.stride == c_.w.size ? height : 1) * width * problem_.lhs_bytes;
      xlu += a_times * all_a * static_cast<double>(t.block_n *
          TransposeCycles(features, height * width, chip_.Lanes()));
    } else if (t.a_staging == Tiling::Staging::kImages) {
      a_run = t.block_n * problem_.lhs_bytes;
      const bool is_one = features % 8 == 0;  // matrix, else one per pixel
      xlu += a_times * all_a * static_cast<double>(
          is_one ? TransposeCycles(height * width * features, t.block_n, chip_.Lanes())
                 : height * width * TransposeCycles(features, t.block_n, chip_.Lanes()));
    }
    if (t.out_staging) {
      const int64_t pixels = t.block_y * t.block_x;
      out_run = (c_.out_x.size == 1 || c_.out_y.stride == c_.out_x.size ? t.block_y : 1) *
                t.block_x * problem_.out_bytes;
      xlu += blocks * groups * static_cast<double>(t.block_n *
          TransposeCycles(pixels, columns, chip_.Lanes()));
    }
    const double a_load = TransferCycles(t.a_bytes, a_run);
    const double b_load = TransferCycles(t.b_bytes, b_run);
    const double store = TransferCycles(t.out_bytes, out_run);
    const double a_total = a_times * all_a * a_load;
    const double b_total = b_times * all_b * b_load;
    const double stores = blocks * groups * store;
    const double memory =
        chip_.IsHbm2() ? std::max(a_total + b_total, stores) : a_total + b_total + stores;
    const double vpu = blocks * tiles * (rows + kInstructionCycles);
    // What has no slot of its own can't be loaded under the work before it; half of it is waited
    // for.
    const auto missing = [](double all, double parts, int64_t slots) {
      const double wanted = std::min(all, 2.0 * parts);
      return std::max(wanted - static_cast<double>(slots), 0.0) / wanted;
    };
    double exposed = 0.0;
    if (all_a > 0.0) {
      exposed += a_total / 2 * missing(all_a, static_cast<double>(t.a_parts), t.a_slots);
    }
    if (all_b > 0.0) exposed += b_total / 2 * missing(all_b, slices, t.b_slots);
    if (t.out_slots == 1 && blocks * groups > 1) exposed += stores + vpu;
    // The array waits for the first tiles, for the rest of the first block while it works on the
    // first columns, and for all columns (or blocks) while it works on the first block (group).
    const double first_result = static_cast<double>(t.a_parts) * a_load + slices * b_load;
    const double first_pass =
        t.groups_outer ? slices * b_load + all_a * a_load
                       : static_cast<double>(t.a_parts) * a_load + all_b * b_load;
    const double active = std::min(mxus, static_cast<double>(t.group_tiles));
    const double first_work = passes * weight_tiles * std::max(rows, shortest) * active / mxus;
    const double start =
        std::max({a_load + b_load, first_result - first_work * (slices - 1.0) / slices,
                  first_pass - mxu / (t.groups_outer ? groups : blocks)});
    const double end = active * rows + store;
    return std::max({mxu, memory, vpu, xlu}) + kShareNotHidden * (mxu + memory + vpu + xlu) + exposed + start +
           end;
  }

  const TilingProblem& problem_;
  const Contraction& c_;
  const arch::ChipConfig& chip_;
  std::optional<Tiling> best_;
};

}  // namespace

int64_t InputExtent(int64_t count, int64_t stride, int64_t taps, int64_t window_dilation,
                    int64_t limit) {
  return std::min((count - 1) * stride + (std::max<int64_t>(taps, 1) - 1) * window_dilation + 1,
                  limit);
}

namespace {

InputRange Clipped(int64_t low, int64_t extent, int64_t limit) {
  const int64_t begin = std::clamp<int64_t>(low, 0, limit);
  return {begin, std::max<int64_t>(std::clamp<int64_t>(low + extent, 0, limit) - begin, 0)};
}

}  // namespace

InputRange InputRows(const Contraction& c, int64_t first, int64_t count) {
  return Clipped(first * c.stride_y - c.pad_y,
                 InputExtent(count, c.stride_y, c.kh.size, c.window_dilation_y, INT64_MAX),
                 c.h.size);
}

InputRange InputPixels(const Contraction& c, int64_t first, int64_t count) {
  return Clipped(first * c.stride_x - c.pad_x,
                 InputExtent(count, c.stride_x, c.kw.size, c.window_dilation_x, INT64_MAX),
                 c.w.size);
}

TilingProblem::TilingProblem(const Kernel& kernel, int64_t buffer_bytes)
    : contraction(std::get<Contraction>(kernel.body)),
      lhs_bytes(contraction.lhs.ElementBytes()),
      rhs_bytes(contraction.rhs.ElementBytes()),
      out_bytes(kernel.out.ElementBytes()),
      buffer_bytes(buffer_bytes) {
  for (size_t s = 0; s < kernel.streams.size(); ++s) {
    const auto& strides = contraction.stream_strides[s];
    stream_bytes.push_back(kernel.streams[s].ElementBytes());
    stream_rows.push_back(strides[0] != 0 || strides[1] != 0 || strides[2] != 0);
    stream_columns.push_back(strides[3] != 0);
  }
}

Result<Tiling> ChooseTiling(const TilingProblem& problem, const arch::ChipConfig& chip) {
  return Search(problem, chip).Run();
}

}  // namespace systolith::compiler
