// Matrix products and convolutions: tiles from HBM, the matrix units, the drain through the vector
// unit, results to HBM.
#include <algorithm>
#include <cassert>

#include "host/compiler/codegen/column_folding.h"
#include "host/compiler/codegen/contraction_emitter.h"
#include "host/compiler/codegen/contraction_places.h"
#include "host/compiler/codegen/generator.h"
#include "host/compiler/codegen/phases.h"
#include "host/compiler/codegen/transpose_job.h"
#include "host/compiler/passes/support.h"
#include "host/compiler/schedule/cost_model.h"
#include "host/compiler/schedule/tiling.h"

namespace systolith::compiler {

Status ContractionEmitter::Run() {
  outer_count_ = 1;
  for (const OuterLoop& loop : c_.outer) outer_count_ *= loop.count;
  has_terms_ = c_.kh.size > 0 && c_.kw.size > 0 && c_.c.size > 0;
  const TilingProblem problem(kernel_, generator_.TileBytes());
  stream_rows_ = problem.stream_rows;
  stream_columns_ = problem.stream_columns;
  if (!has_terms_) t_.slices = {TermSlice{}};
  MakeBlocks();
  tiles_ = CeilDivide(c_.o.size, chip_.mxu_cols);
  groups_ = CeilDivide(tiles_, t_.group_tiles);
  FindInBuffer();
  if (IsStored()) out_place_ = generator_.PlaceOf(kernel_.out, true);
  AddPools();
  AddUnits();
  pipeline_.Run();
  if (lhs_in_buffer_ == nullptr) generator_.Release(pipeline_.slots(a_pool_), t_.a_bytes);
  generator_.Release(pipeline_.slots(b_pool_), t_.b_bytes);
  for (size_t s = 0; s < stream_pools_.size(); ++s) {
    if (streams_in_buffer_[s] != nullptr) continue;
    generator_.Release(pipeline_.slots(stream_pools_[s]), t_.stream_bytes[s]);
  }
  generator_.Release(out_slots_, t_.out_bytes);
  generator_.Release(a_staging_, t_.a_staging_bytes);
  generator_.Release(out_staging_, t_.out_staging_bytes);
  return OkStatus();
}

void ContractionEmitter::MakeBlocks() {
  for (int64_t n = 0; n < c_.out_n.size; n += t_.block_n) {
    for (int64_t y = 0; y < c_.out_y.size; y += t_.block_y) {
      for (int64_t x = 0; x < c_.out_x.size; x += t_.block_x) {
        Block b{};
        b.n0 = n;
        b.n = std::min(t_.block_n, c_.out_n.size - n);
        b.y0 = y;
        b.y = std::min(t_.block_y, c_.out_y.size - y);
        b.x0 = x;
        b.x = std::min(t_.block_x, c_.out_x.size - x);
        const InputRange rows = InputRows(c_, y, b.y);
        b.in_y0 = rows.begin;
        b.in_y = rows.extent;
        const InputRange pixels = InputPixels(c_, x, b.x);
        b.in_x0 = pixels.begin;
        b.in_x = pixels.extent;
        blocks_.push_back(b);
      }
    }
  }
}

void ContractionEmitter::AddPools() {
  int64_t bytes = t_.b_slots * SlotBytes(chip_, t_.b_bytes);
  if (lhs_in_buffer_ == nullptr) bytes += t_.a_slots * SlotBytes(chip_, t_.a_bytes);
  if (out_in_buffer_ == nullptr) bytes += t_.out_slots * SlotBytes(chip_, t_.out_bytes);
  for (size_t s = 0; s < kernel_.streams.size(); ++s) {
    if (streams_in_buffer_[s] != nullptr) continue;
    bytes += t_.stream_slots * SlotBytes(chip_, t_.stream_bytes[s]);
  }
  for (const int64_t staging : {t_.a_staging_bytes, t_.out_staging_bytes}) {
    if (staging > 0) bytes += kStagingSlots * SlotBytes(chip_, staging);
  }
  generator_.ReserveSlots(bytes);
  if (lhs_in_buffer_ == nullptr) {
    a_pool_ = pipeline_.AddPool(generator_.AllocateSlots(t_.a_slots, t_.a_bytes, 1),
                                [this](int64_t key, TileSlot& slot) { LoadA(key, slot); });
  }
  b_pool_ = pipeline_.AddPool(generator_.AllocateSlots(t_.b_slots, t_.b_bytes, 1),
                              [this](int64_t key, TileSlot& slot) { LoadB(key, slot); });
  for (size_t s = 0; s < kernel_.streams.size(); ++s) {
    stream_pools_.push_back(0);
    if (streams_in_buffer_[s] != nullptr) continue;
    stream_pools_[s] = pipeline_.AddPool(
        generator_.AllocateSlots(t_.stream_slots, t_.stream_bytes[s], 1),
        [this, s](int64_t key, TileSlot& slot) { LoadStream(s, key, slot); });
  }
  if (out_in_buffer_ == nullptr) {
    out_slots_ = generator_.AllocateSlots(t_.out_slots, t_.out_bytes, 1);
  }
  if (t_.a_staging_bytes > 0) {
    a_staging_ = generator_.AllocateSlots(kStagingSlots, t_.a_staging_bytes, 1);
  }
  if (t_.out_staging) {
    out_staging_ = generator_.AllocateSlots(kStagingSlots, t_.out_staging_bytes, 1);
  }
}

void ContractionEmitter::AddTiles(int64_t outer, int64_t block, int64_t group, const std::vector<Tile>& tiles,
              size_t out_slot, bool store) {
  const size_t passes = has_terms_ ? c_.passes.size() : 1;
  for (size_t pass = 0; pass < passes; ++pass) {
    for (size_t s = 0; s < t_.slices.size(); ++s) {
      std::vector<Pipeline::Need> needs;
      if (has_terms_) {
        if (lhs_in_buffer_ == nullptr) {
          needs.push_back({a_pool_, AKey(outer, block, t_.slices[s].a_part)});
        }
        needs.push_back({b_pool_, BKey(outer, group, static_cast<int64_t>(s))});
      }
      const bool is_first = pass == 0 && s == 0;
      const bool is_last = pass + 1 == passes && s + 1 == t_.slices.size();
      if (is_last) {
        for (size_t stream = 0; stream < stream_pools_.size(); ++stream) {
          if (streams_in_buffer_[stream] != nullptr) continue;
          needs.push_back({stream_pools_[stream], StreamKey(stream, outer, block, group)});
        }
      }
      pipeline_.AddUnit(needs, [=, this](const std::vector<TileSlot*>& slots) {
        const Block& b = blocks_[static_cast<size_t>(block)];
        auto slot = slots.begin();
        if (has_terms_) {
          const Elements lhs = Lhs(outer, b, t_.slices[s],
                                   lhs_in_buffer_ == nullptr ? *slot++ : nullptr);
          TileSlot& weights = **slot++;
          for (const Tile& tile : tiles) {
            EmitMatmul(b, group, t_.slices[s], tile, c_.passes[pass], is_first, lhs, weights);
          }
        }
        if (!is_last) return;
        const Elements out = Result(outer, b, group,
                                    out_in_buffer_ == nullptr ? &out_slots_[out_slot] : nullptr);
        std::vector<Elements> streams;
        for (size_t stream = 0; stream < stream_pools_.size(); ++stream) {
          TileSlot* tile = streams_in_buffer_[stream] == nullptr ? *slot++ : nullptr;
          streams.push_back(Stream(stream, outer, b, group, tile));
        }
        for (const Tile& tile : tiles) EmitDrain(b, group, tile, out, streams);
        if (store && IsStored()) EmitResult(outer, b, group, out);
      });
    }
  }
}

void ContractionEmitter::EmitMatmul(const Block& b, int64_t group, const TermSlice& slice, const Tile& tile,
                std::pair<uint32_t, uint32_t> pass, bool fresh, const Elements& a, TileSlot& w) {
  const int64_t a_size = c_.lhs.ElementBytes();
  const int64_t pitch = Pitch(slice);
  const int64_t pixel = a.x / a_size, line = a.y / a_size, image = a.n / a_size;
  const int64_t taps_y = slice.kh1 - slice.kh0;
  const int64_t taps_x = slice.kw1 - slice.kw0;
  const int64_t terms = t_.merged ? taps_x * pitch : slice.c1 - slice.c0;
  const int64_t rows = chip_.mxu_rows;
  // First window: result (y0, x0), tap (kh0, kw0), feature c0 of the tile.
  const int64_t y0 = b.y0 * c_.stride_y + slice.kh0 * c_.window_dilation_y - c_.pad_y - b.in_y0;
  const int64_t x0 =
      (b.x0 * c_.stride_x + slice.kw0 * c_.window_dilation_x - c_.pad_x - b.in_x0) * pixel;
  const int64_t w_term = BTermBytes(slice, group);

  // Loops: taps along y, taps along x, terms in steps of the array; then n, y, x of the block.
  struct Loop {
    int64_t count, y, x, a_bytes, w_bytes, accumulator;
  };
  const std::array<Loop, 6> loops = {{
      {taps_y, c_.window_dilation_y, 0, c_.window_dilation_y * line,
       taps_x * pitch * w_term, 0},
      {t_.merged ? 1 : taps_x, 0, c_.window_dilation_x * pixel, c_.window_dilation_x * pixel,
       pitch * w_term, 0},
      {CeilDivide(terms, rows), 0, rows, rows, rows * w_term, 0},
      {b.n, 0, 0, image, 0, b.y * b.x},
      {b.y, c_.stride_y, 0, c_.stride_y * line, 0, b.x},
      {b.x, 0, c_.stride_x * pixel, c_.stride_x * pixel, 0, 1},
  }};
  arch::Matmul m;
  for (size_t i = 0; i < loops.size(); ++i) {
    m.counts[i] = emitter_.Address(loops[i].count);
    m.y_steps[i] = emitter_.Stride(loops[i].y);
    m.x_steps[i] = emitter_.Stride(loops[i].x);
    m.a_strides[i] = emitter_.Stride(loops[i].a_bytes * a_size);
    m.w_strides[i] = emitter_.Stride(loops[i].w_bytes);
    m.acc_strides[i] = emitter_.Stride(loops[i].accumulator);
  }
  m.a_type = static_cast<uint32_t>(c_.lhs_type);
  m.w_type = static_cast<uint32_t>(c_.rhs_type);
  m.a_slice = pass.first;
  m.w_slice = pass.second;
  m.transpose = t_.transposed ? 1 : 0;
  m.accumulate = fresh ? 0 : 1;
  m.weight_level = 3;
  m.k_level = 2;
  m.n_level = arch::kNoLevel;
  m.fresh_mask = 0b111;
  m.a_length = emitter_.Address(std::min(rows, terms));
  m.a_base = emitter_.Stride(a.address + (y0 * line + x0) * a_size);
  m.y_base = emitter_.Stride(y0);
  m.y_limit = emitter_.Address(b.in_y);
  m.x_base = emitter_.Stride(x0);
  m.x_limit = emitter_.Address(b.in_x * pixel);
  m.w_base = emitter_.Address(w.address + tile.column * (t_.transposed ? BRowBytes(slice, group)
                                                                       : c_.rhs.ElementBytes()));
  m.w_row_stride = emitter_.Stride(BRowBytes(slice, group));
  m.k_limit = emitter_.Address(terms);
  m.n_limit = emitter_.Address(TileColumns(group, tile));
  m.acc_base = emitter_.Address(tile.half * chip_.mxu_accumulator_rows);
  const auto engine =
      static_cast<arch::Engine>(static_cast<int64_t>(arch::Engine::kMxu0) + tile.mxu);
  emitter_.Matmul(engine, m,
                  {a.logs, w.Logs(), {&generator_.AccumulatorLog(tile.mxu, tile.half)}});
}

void ContractionEmitter::EmitDrain(const Block& b, int64_t group, const Tile& tile, const Elements& out,
               const std::vector<Elements>& streams) {
  // Rows of results; pixels, rows of pixels and images that follow each other everywhere are one.
  const auto follow = [&](const Elements& e) { return e.n == b.y * e.y && e.y == b.x * e.x; };
  const bool is_one = follow(out) && std::all_of(streams.begin(), streams.end(), follow);
  const auto strides = [&](int64_t n, int64_t y, int64_t x) {
    return is_one ? std::vector<int64_t>{x} : std::vector<int64_t>{n, y, x};
  };
  RowJob job;
  job.counts = is_one ? std::vector<int64_t>{b.Rows()} : std::vector<int64_t>{b.n, b.y, b.x};
  job.length = TileColumns(group, tile);
  job.steps = kernel_.steps;
  Touches touches{{}, {}, out.logs};
  if (has_terms_) {
    job.x = RowOperand{arch::LaneType::kF32, tile.mxu, tile.half * chip_.mxu_accumulator_rows,
                       strides(b.y * b.x, b.x, 1), false};
    touches.reads.push_back(&generator_.AccumulatorLog(tile.mxu, tile.half));
  }
  job.result = {out_type_, std::nullopt, out.address + tile.column * out_bytes_,
                strides(out.n, out.y, out.x), false};
  for (size_t s = 0; s < streams.size(); ++s) {
    const Elements& stream = streams[s];
    const int64_t size = kernel_.streams[s].ElementBytes();
    const bool columns = stream_columns_[s];
    job.streams.push_back({*LaneTypeOf(kernel_.streams[s].type), std::nullopt,
                           stream.address + (columns ? tile.column * size : 0),
                           strides(stream.n, stream.y, stream.x), !columns});
    touches.reads.insert(touches.reads.end(), stream.logs.begin(), stream.logs.end());
  }
  generator_.vector_unit().Emit(job, touches);
}

void ContractionEmitter::EmitResult(int64_t outer, const Block& b, int64_t group, const Elements& out) {
  Transfer transfer;
  transfer.segment = out_place_.segment;
  transfer.shift = out_place_.shift;
  transfer.offset =
      out_place_.offset +
      out_bytes_ * (kernel_.out.offset + OffsetsOf(outer).out + b.n0 * c_.out_n.stride +
                    b.y0 * c_.out_y.stride + b.x0 * c_.out_x.stride +
                    group * t_.group_tiles * chip_.mxu_cols * c_.out_o.stride);
  transfer.element_bytes = out_bytes_;
  if (t_.out_staging) {
    TileSlot& staging = out_staging_[next_out_staging_++ % out_staging_.size()];
    const int64_t pixels = b.y * b.x;
    TransposeJob job;
    job.element_bytes = out_bytes_;
    job.rows = pixels;
    job.cols = GroupColumns(group);
    job.in = out.address;
    job.in_row = out.x;
    job.out = staging.address;
    job.out_row = RoundUp(pixels, 8) * out_bytes_;
    job.loops = {{b.n, out.n, job.cols * job.out_row}};
    EmitTranspose(emitter_, job, chip_, {out.logs, {}, staging.Logs()});
    transfer.buffer = staging.address;
    transfer.dimensions = {{b.n, c_.out_n.stride * out_bytes_, job.cols * job.out_row},
                           {job.cols, c_.out_o.stride * out_bytes_, job.out_row},
                           {b.y, c_.out_y.stride * out_bytes_, b.x * out_bytes_},
                           {b.x, c_.out_x.stride * out_bytes_, out_bytes_}};
    EmitStore(emitter_, transfer, {staging.Logs(), {}, {out_place_.log}});
    return;
  }
  transfer.buffer = out.address;
  transfer.dimensions = {{b.n, c_.out_n.stride * out_bytes_, out.n},
                         {b.y, c_.out_y.stride * out_bytes_, out.y},
                         {b.x, c_.out_x.stride * out_bytes_, out.x},
                         {GroupColumns(group), c_.out_o.stride * out_bytes_, out_bytes_}};
  EmitStore(emitter_, transfer, {out.logs, {}, {out_place_.log}});
}

Status EmitContraction(Generator& generator, const Kernel& kernel) {
  for (Kernel& phase : SplitIntoPhases(kernel)) {
    const auto& c = std::get<Contraction>(phase.body);
    if (c.on_vector_unit && c.kh.size > 0 && c.kw.size > 0) {
      RETURN_IF_ERROR(EmitDepthwise(generator, phase));
      continue;
    }
    // Values that stay in the buffer have their places by the rows of the whole contraction.
    const auto is_in_buffer = [&](const View& view) {
      return view.base.valid() && generator.InBuffer(view.base) != nullptr;
    };
    const bool may_fold = !is_in_buffer(c.lhs) && !is_in_buffer(phase.out) &&
                          std::none_of(phase.streams.begin(), phase.streams.end(), is_in_buffer);
    ASSIGN_OR_RETURN(Tiling tiling, ChooseFoldedTiling(phase, may_fold, generator.TileBytes(),
                                                       generator.chip()));
    double outer = 1.0;
    for (const OuterLoop& loop : c.outer) outer *= static_cast<double>(loop.count);
    generator.Predict(outer * tiling.cost_cycles + kKernelCycles);
    RETURN_IF_ERROR(ContractionEmitter(generator, phase, std::move(tiling)).Run());
  }
  return OkStatus();
}

}  // namespace systolith::compiler
