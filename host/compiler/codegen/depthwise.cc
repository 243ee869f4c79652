// Depthwise convolutions: parts of images and taps from HBM, the vector unit, results to HBM.
#include <algorithm>
#include <numeric>

#include "host/compiler/codegen/depthwise_job.h"
#include "host/compiler/codegen/generator.h"
#include "host/compiler/passes/support.h"
#include "host/compiler/schedule/tiling.h"

namespace systolith::compiler {
namespace {

constexpr int64_t kUnitsToOverlap = 4;  // blocks per kernel at least, so that loads hide

// A block of results of one image, and the input that it needs, clipped to the image.
struct Block {
  int64_t n, y0, y, x0, x, c0, c;
  int64_t in_y0, in_y, in_x0, in_x;
};

class DepthwiseEmitter {
 public:
  DepthwiseEmitter(Generator& generator, const Kernel& kernel)
      : generator_(generator),
        emitter_(generator.emitter()),
        kernel_(kernel),
        c_(std::get<Contraction>(kernel.body)),
        groups_(c_.outer.back()),
        per_group_(c_.o.size),
        channels_(groups_.count * per_group_),
        out_bytes_(graph::ByteWidth(kernel.out.type)),
        has_epilogue_(!kernel.steps.empty()) {
    job_.taps_y = c_.kh.size;
    job_.taps_x = c_.kw.size;
    job_.stride_y = c_.stride_y;
    job_.stride_x = c_.stride_x;
    job_.dilation_y = c_.window_dilation_y;
    job_.dilation_x = c_.window_dilation_x;
    job_.image_type = *LaneTypeOf(c_.lhs.type);
    job_.tap_type = *LaneTypeOf(c_.rhs.type);
    job_.round_image = c_.lhs_type == arch::OperandType::kF32Rounded;
    job_.round_taps = c_.rhs_type == arch::OperandType::kF32Rounded;
    const bool is_integer = c_.lhs_type == arch::OperandType::kInt8;
    const arch::LaneType sums = is_integer ? arch::LaneType::kS32 : arch::LaneType::kF32;
    job_.result_type = has_epilogue_ ? sums : *LaneTypeOf(kernel.out.type);
  }

  Status Run() {
    RETURN_IF_ERROR(ChooseBlocks());
    out_place_ = generator_.PlaceOf(kernel_.out, true);
    image_pool_ = pipeline_.AddPool(
        generator_.AllocateSlots(slots_, image_bytes_, 1),
        [this](int64_t key, TileSlot& slot) { LoadImage(blocks_[static_cast<size_t>(key)], slot); });
    taps_pool_ = pipeline_.AddPool(
        generator_.AllocateSlots(slots_, taps_bytes_, 1),
        [this](int64_t key, TileSlot& slot) { LoadTaps(key * block_c_, slot); });
    for (size_t s = 0; s < kernel_.streams.size(); ++s) {
      stream_pools_.push_back(pipeline_.AddPool(
          generator_.AllocateSlots(slots_, StreamBytes(s), 1), [this, s](int64_t key, TileSlot& slot) {
            LoadStream(s, blocks_[static_cast<size_t>(key)], slot);
          }));
    }
    sum_slots_ = generator_.AllocateSlots(slots_, sum_bytes_, 1);
    if (has_epilogue_) out_slots_ = generator_.AllocateSlots(slots_, epilogue_bytes_, 1);
    for (size_t i = 0; i < blocks_.size(); ++i) {
      std::vector<Pipeline::Need> needs = {
          {image_pool_, static_cast<int64_t>(i)}, {taps_pool_, blocks_[i].c0 / block_c_}};
      for (const size_t pool : stream_pools_) needs.push_back({pool, static_cast<int64_t>(i)});
      pipeline_.AddUnit(std::move(needs), [this, i](const std::vector<TileSlot*>& slots) {
        Work(blocks_[i], i % static_cast<size_t>(slots_), slots);
      });
    }
    pipeline_.Run();
    generator_.Release(pipeline_.slots(image_pool_), image_bytes_);
    generator_.Release(pipeline_.slots(taps_pool_), taps_bytes_);
    for (size_t s = 0; s < stream_pools_.size(); ++s) {
      generator_.Release(pipeline_.slots(stream_pools_[s]), StreamBytes(s));
    }
    generator_.Release(sum_slots_, sum_bytes_);
    generator_.Release(out_slots_, epilogue_bytes_);
    return OkStatus();
  }

 private:
  // The largest blocks that leave room for two of each; first fewer rows, then fewer channels and
  // pixels.
  Status ChooseBlocks() {
    const arch::ChipConfig& chip = generator_.chip();
    const int64_t units = std::max<int64_t>(kUnitsToOverlap / c_.out_n.size, 1);
    const int64_t lanes = std::lcm(chip.Lanes(), per_group_), fewest = std::lcm(8, per_group_);
    int64_t y = CeilDivide(c_.out_y.size, units), x = c_.out_x.size, c = channels_;
    for (;;) {
      SetBlock(y, x, c);
      int64_t bytes = SlotBytes(chip, image_bytes_) + SlotBytes(chip, taps_bytes_) +
                      SlotBytes(chip, sum_bytes_);
      for (size_t s = 0; s < kernel_.streams.size(); ++s) bytes += SlotBytes(chip, StreamBytes(s));
      if (has_epilogue_) bytes += SlotBytes(chip, epilogue_bytes_);
      for (slots_ = 2; slots_ > 0; --slots_) {
        if (slots_ * bytes <= generator_.TileBytes()) {
          generator_.ReserveSlots(slots_ * bytes);
          MakeBlocks();
          return OkStatus();
        }
        if (y > 1 || c > fewest || x > 1) break;
      }
      if (y > job_.layout.rows) {
        y = CeilDivide(y, 2);
      } else if (c > lanes) {
        c = RoundUp(CeilDivide(c, 2), lanes);
      } else if (x > job_.layout.pixels) {
        x = CeilDivide(x, 2);
      } else if (y > 1) {
        y = CeilDivide(y, 2);
      } else if (c > fewest) {
        c = RoundUp(CeilDivide(c, 2), fewest);
      } else if (x > 1) {
        x = CeilDivide(x, 2);
      } else {
        return Unsupported("no tile of it fits the unified buffer");
      }
    }
  }

  void SetBlock(int64_t y, int64_t x, int64_t c) {
    block_y_ = y;
    block_x_ = x;
    block_c_ = c;
    job_.channels = std::min(c, channels_);
    job_.result_height = y;
    job_.result_width = x;
    job_.layout = ChooseDepthwiseLayout(job_, generator_.chip());
    const DepthwiseLayout& layout = job_.layout;
    const int64_t height =
        InputExtent(y, c_.stride_y, c_.kh.size, c_.window_dilation_y, c_.h.size);
    const int64_t width = InputExtent(x, c_.stride_x, c_.kw.size, c_.window_dilation_x, c_.w.size);
    image_bytes_ = height * width * layout.pitch * c_.lhs.ElementBytes();
    taps_bytes_ = c_.kh.size * c_.kw.size * layout.TapElements() * c_.rhs.ElementBytes();
    sum_bytes_ = ResultRows(layout, y) * ResultWidth(layout, x) * layout.pitch *
                 LaneBytes(job_.result_type);
    epilogue_bytes_ = y * x * RowPitch() * out_bytes_;
  }

  // Elements from one pixel to the next in tiles of streams and of the epilogue's results.
  int64_t RowPitch() const { return RoundUp(job_.channels, 8); }

  void MakeBlocks() {
    for (int64_t c = 0; c < channels_; c += block_c_) {
      for (int64_t n = 0; n < c_.out_n.size; ++n) {
        for (int64_t y = 0; y < c_.out_y.size; y += block_y_) {
          for (int64_t x = 0; x < c_.out_x.size; x += block_x_) {
            Block b{};
            b.n = n;
            b.y0 = y;
            b.y = std::min(block_y_, c_.out_y.size - y);
            b.x0 = x;
            b.x = std::min(block_x_, c_.out_x.size - x);
            b.c0 = c;
            b.c = std::min(block_c_, channels_ - c);
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
  }

  // The channels of a block as dimensions of a transfer: groups, and channels of each.
  void AddChannels(const Block& b, int64_t group_stride, int64_t stride, int64_t size,
                   Transfer& transfer) const {
    if (per_group_ == 1 || group_stride == per_group_ * stride) {
      transfer.offset += b.c0 * (per_group_ == 1 ? group_stride : stride) * size;
      transfer.dimensions.push_back(
          {b.c, (per_group_ == 1 ? group_stride : stride) * size, size});
      return;
    }
    transfer.offset += b.c0 / per_group_ * group_stride * size;
    transfer.dimensions.push_back(
        {b.c / per_group_, group_stride * size, per_group_ * size});
    transfer.dimensions.push_back({per_group_, stride * size, size});
  }

  void LoadImage(const Block& b, TileSlot& slot) {
    if (b.in_y == 0 || b.in_x == 0) return;
    const HbmMap::Place place = generator_.PlaceOf(c_.lhs, false);
    const int64_t size = c_.lhs.ElementBytes();
    const int64_t pixel = job_.layout.pitch * size;
    Transfer transfer;
    transfer.segment = place.segment;
    transfer.shift = place.shift;
    transfer.offset = place.offset + size * (c_.lhs.offset + b.n * c_.n.stride +
                                             b.in_y0 * c_.h.stride + b.in_x0 * c_.w.stride);
    transfer.buffer = slot.address;
    transfer.element_bytes = size;
    transfer.pad_bytes = 8 * size;
    transfer.dimensions = {{b.in_y, c_.h.stride * size, b.in_x * pixel},
                           {b.in_x, c_.w.stride * size, pixel}};
    AddChannels(b, groups_.lhs, 0, size, transfer);
    EmitLoad(emitter_, transfer, {{place.log}, {}, slot.Logs()});
  }

  void LoadTaps(int64_t c0, TileSlot& slot) {
    Block b{};
    b.c0 = c0;
    b.c = std::min(block_c_, channels_ - c0);
    const HbmMap::Place place = generator_.PlaceOf(c_.rhs, false);
    const int64_t size = c_.rhs.ElementBytes();
    const DepthwiseLayout& layout = job_.layout;
    const int64_t tap = layout.TapElements() * size;
    Transfer transfer;
    transfer.segment = place.segment;
    transfer.shift = place.shift;
    transfer.offset = place.offset + size * c_.rhs.offset;
    transfer.buffer = slot.address;
    transfer.element_bytes = size;
    transfer.pad_bytes = 8 * size;
    transfer.dimensions = {{c_.kw.size, c_.kw.stride * size, c_.kh.size * tap},
                           {c_.kh.size, c_.kh.stride * size, tap},
                           {layout.flat ? layout.pixels : 1, 0, layout.pitch * size}};
    AddChannels(b, groups_.rhs, c_.o.stride, size, transfer);
    EmitLoad(emitter_, transfer, {{place.log}, {}, slot.Logs()});
  }

  // Along which of (rows, channels) a stream varies.
  bool VariesByRow(size_t s) const {
    const auto& strides = c_.stream_strides[s];
    return strides[0] != 0 || strides[1] != 0 || strides[2] != 0;
  }
  bool VariesByChannel(size_t s) const { return c_.stream_strides[s][3] != 0; }
  int64_t StreamPitch(size_t s) const {
    return (VariesByChannel(s) ? RowPitch() : 8) * kernel_.streams[s].ElementBytes();
  }
  int64_t StreamBytes(size_t s) const {
    return (VariesByRow(s) ? block_y_ * block_x_ : 1) * StreamPitch(s);
  }

  void LoadStream(size_t s, const Block& b, TileSlot& slot) {
    const View& stream = kernel_.streams[s];
    const auto& strides = c_.stream_strides[s];
    const HbmMap::Place place = generator_.PlaceOf(stream, false);
    const int64_t size = stream.ElementBytes();
    const bool rows = VariesByRow(s);
    Transfer transfer;
    transfer.segment = place.segment;
    transfer.shift = place.shift;
    transfer.offset = place.offset + size * (stream.offset + b.n * strides[0] +
                                             b.y0 * strides[1] + b.x0 * strides[2] +
                                             b.c0 * strides[3]);
    transfer.buffer = slot.address;
    transfer.element_bytes = size;
    transfer.dimensions = {{rows ? b.y : 1, strides[1] * size, b.x * StreamPitch(s)},
                           {rows ? b.x : 1, strides[2] * size, StreamPitch(s)},
                           {VariesByChannel(s) ? b.c : 1, strides[3] * size, size}};
    EmitLoad(emitter_, transfer, {{place.log}, {}, slot.Logs()});
  }

  void Work(const Block& b, size_t slot, const std::vector<TileSlot*>& tiles) {
    TileSlot& sums = sum_slots_[slot];
    DepthwiseJob job = job_;
    job.channels = b.c;
    job.image = tiles[0]->address;
    job.height = b.in_y;
    job.width = b.in_x;
    job.first_y = b.y0 * c_.stride_y - c_.pad_y - b.in_y0;
    job.first_x = b.x0 * c_.stride_x - c_.pad_x - b.in_x0;
    job.taps = tiles[1]->address;
    job.result = sums.address;
    job.result_height = b.y;
    job.result_width = b.x;
    Touches touches{tiles[0]->Logs(), {}, sums.Logs()};
    for (AccessLog* log : tiles[1]->Logs()) touches.reads.push_back(log);
    generator_.vector_unit().Emit(job, touches);
    const int64_t pixel = job.layout.pitch;
    const int64_t line = ResultWidth(job.layout, b.x) * pixel;
    if (!has_epilogue_) {
      EmitResult(b, sums, line, pixel);
      return;
    }
    TileSlot& out = out_slots_[slot];
    EmitEpilogue(b, line, pixel, {tiles.begin() + 2, tiles.end()}, sums, out);
    EmitResult(b, out, b.x * RowPitch(), RowPitch());
  }

  void EmitEpilogue(const Block& b, int64_t line, int64_t pixel,
                    const std::vector<TileSlot*>& streams, TileSlot& sums, TileSlot& out) {
    const int64_t sum_size = LaneBytes(job_.result_type);
    RowJob job;
    job.counts = {b.y, b.x};
    job.length = b.c;
    job.steps = kernel_.steps;
    job.x = RowOperand{job_.result_type, std::nullopt, sums.address,
                       {line * sum_size, pixel * sum_size}, false};
    job.result = {*LaneTypeOf(kernel_.out.type), std::nullopt, out.address,
                  {b.x * RowPitch() * out_bytes_, RowPitch() * out_bytes_}, false};
    Touches touches{sums.Logs(), {}, out.Logs()};
    for (size_t s = 0; s < streams.size(); ++s) {
      const int64_t row = VariesByRow(s) ? StreamPitch(s) : 0;
      job.streams.push_back({*LaneTypeOf(kernel_.streams[s].type), std::nullopt,
                             streams[s]->address, {b.x * row, row}, !VariesByChannel(s)});
      for (AccessLog* log : streams[s]->Logs()) touches.reads.push_back(log);
    }
    generator_.vector_unit().Emit(job, touches);
  }

  // `line` and `pixel`: elements from one row and pixel of the slot to the next.
  void EmitResult(const Block& b, TileSlot& slot, int64_t line, int64_t pixel) {
    Transfer transfer;
    transfer.segment = out_place_.segment;
    transfer.shift = out_place_.shift;
    transfer.offset = out_place_.offset +
                      out_bytes_ * (kernel_.out.offset + b.n * c_.out_n.stride +
                                    b.y0 * c_.out_y.stride + b.x0 * c_.out_x.stride);
    transfer.buffer = slot.address;
    transfer.element_bytes = out_bytes_;
    transfer.dimensions = {{b.y, c_.out_y.stride * out_bytes_, line * out_bytes_},
                           {b.x, c_.out_x.stride * out_bytes_, pixel * out_bytes_}};
    AddChannels(b, groups_.out, c_.out_o.stride, out_bytes_, transfer);
    EmitStore(emitter_, transfer, {slot.Logs(), {}, {out_place_.log}});
  }

  Generator& generator_;
  Emitter& emitter_;
  const Kernel& kernel_;
  const Contraction& c_;
  const OuterLoop& groups_;  // of features; a channel of the result each, or a few
  const int64_t per_group_, channels_, out_bytes_;
  const bool has_epilogue_;

  DepthwiseJob job_;  // of the first block
  int64_t block_y_ = 1, block_x_ = 1, block_c_ = 8, slots_ = 2;
  int64_t image_bytes_ = 0, taps_bytes_ = 0, sum_bytes_ = 0, epilogue_bytes_ = 0;
  std::vector<Block> blocks_;
  HbmMap::Place out_place_;
  Pipeline pipeline_;
  size_t image_pool_ = 0, taps_pool_ = 0;
  std::vector<size_t> stream_pools_;
  std::vector<TileSlot> sum_slots_, out_slots_;
};

}  // namespace

Status EmitDepthwise(Generator& generator, const Kernel& kernel) {
  return DepthwiseEmitter(generator, kernel).Run();
}

}  // namespace systolith::compiler
