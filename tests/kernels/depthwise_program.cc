#include "tests/kernels/depthwise_program.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/base/rounding.h"

namespace systolith::kernels {
namespace {

// Loops: 0 result rows or blocks of them, 1 groups of pixels, 5 blocks of k image rows (flat); 4 and
// 5 the window (kernels that keep no taps).
constexpr size_t kRow = 0, kGroup = 1, kWindowY = 4, kWindowX = 5, kBlock = 5;
constexpr size_t kStep = 6, kSublane = 7;
constexpr int64_t kBlockRows = 4;  // result rows of an instance, if the registers allow

int32_t Int(int64_t value) { return static_cast<int32_t>(value); }

}  // namespace

DepthwiseProgram::Kind DepthwiseProgram::Choose() const {
  const arch::ChipConfig& chip = program_.chip();
  // Sliding reaches as far as one group behind the first.
  const int64_t reach = shape_.stride == 1 ? shape_.k - 1 : shape_.k / 2;
  if (shape_.stride == 1 && reach * pitch_ <= GroupLanes(chip)) return Kind::kFlat;
  return shape_.stride <= 2 && reach <= chip.vpu_sublanes ? Kind::kBlock : Kind::kAny;
}

DepthwiseProgram::DepthwiseProgram(KernelProgram& program, const Depthwise& shape,
                                   arch::LaneType type, const std::vector<float>& taps)
    : program_(program),
      shape_(shape),
      type_(type),
      bytes_(BytesOf(type)),
      lanes_(program.chip().Lanes()) {
  const arch::ChipConfig& chip = program.chip();
  // Whole rows of lanes where that costs little: aligned groups are read at twice the rate.
  pitch_ = RoundUp(shape.channels, 8);
  if (RoundUp(pitch_, lanes_) * 10 <= pitch_ * 11) pitch_ = RoundUp(pitch_, lanes_);
  kind_ = Choose();
  if (kind_ != Kind::kFlat) pitch_ = RoundUp(pitch_, lanes_);
  pixels_ = kind_ == Kind::kFlat ? GroupLanes(chip) / pitch_ : chip.vpu_sublanes;
  const int64_t copies = kind_ == Kind::kFlat ? pixels_ : 1;
  std::vector<float> laid_out(static_cast<size_t>(shape.k * shape.k * copies * pitch_), 0.0f);
  for (int64_t t = 0; t < shape.k * shape.k; ++t) {
    for (int64_t p = 0; p < copies; ++p) {
      for (int64_t c = 0; c < shape.channels; ++c) {
        laid_out[static_cast<size_t>((t * copies + p) * pitch_ + c)] =
            taps[static_cast<size_t>(t * shape.channels + c)];
      }
    }
  }
  taps_ = program.Input(laid_out);
  if (kind_ == Kind::kAny) {
    kernel_ = FromLibrary("depthwise_any", {}, chip);
  } else if (kind_ == Kind::kFlat) {
    kernel_ = FromLibrary("depthwise_flat", {{"k", shape.k}, {"pixel", pitch_}}, chip);
  } else {
    rows_ = std::min(kBlockRows, shape.out_height());
    const kernel::Parameters parameters = {{"k", shape.k}, {"rows", rows_}, {"pixel", lanes_}};
    if (shape.stride == 2) tap_kernel_ = FromLibrary("depthwise_taps", {{"k", shape.k}}, chip);
    kernel_ = FromLibrary(shape.stride == 2 ? "depthwise_stride2" : "depthwise_rows", parameters,
                          chip);
  }
}

int64_t DepthwiseProgram::Blocks() const {
  // The flat kernel starts k - 1 rows before the first result.
  return kind_ == Kind::kFlat ? CeilDivide(shape_.out_height() + shape_.k - 1, shape_.k)
                              : CeilDivide(shape_.out_height(), rows_);
}

int64_t DepthwiseProgram::image_rows() const {
  if (kind_ == Kind::kFlat) return Blocks() * shape_.k;
  return (Blocks() * rows_ - 1) * shape_.stride + shape_.k;
}

int64_t DepthwiseProgram::result_rows() const {
  return kind_ == Kind::kFlat ? Blocks() * shape_.k : Blocks() * rows_;
}

void DepthwiseProgram::Run(int64_t image, int64_t result) {
  if (kind_ == Kind::kFlat) {
    RunFlat(image, result);
    return;
  }
  for (int64_t s = 0; s < CeilDivide(shape_.channels, lanes_); ++s) RunRows(image, result, s);
}

arch::Stream DepthwiseProgram::Taps(StreamIndex index, int64_t first, int64_t step,
                                    int64_t segment, int32_t& base) const {
  const bool flat = kind_ == Kind::kFlat;
  const int64_t elements = flat ? pixels_ * pitch_ : pitch_;
  arch::Stream s;
  s.index = index;
  s.flat = flat;
  s.spread = static_cast<uint32_t>(flat ? arch::Spread::kNone : arch::Spread::kRows);
  s.strides[kStep] = Int(step * elements * 4);
  s.x_base = Int(segment * lanes_);
  s.x_limit = static_cast<uint32_t>(elements);
  s.y_limit = 1;
  base = Int(taps_ + (first * elements + segment * lanes_) * 4);
  return s;
}

void DepthwiseProgram::AddTaps(int64_t segment, std::vector<arch::Stream>& streams,
                               arch::Vector& vector) const {
  streams.push_back(Taps(kIn2, 0, 2, segment, vector.bases[kIn2]));
  streams.push_back(Taps(kIn3, 1, 2, segment, vector.bases[kIn3]));
}

arch::Stream DepthwiseProgram::Image(StreamIndex index, int64_t first, int64_t ahead,
                                     int64_t segment, int64_t image, int32_t& base) const {
  const int64_t pixel = shape_.stride * pitch_, row = shape_.width * pitch_;
  const int64_t group = pixels_ * pixel;
  const bool flat = kind_ == Kind::kFlat;
  arch::Stream s;
  s.index = index;
  s.type = static_cast<uint32_t>(type_);
  s.flat = flat;
  // A flat group goes on behind its last whole pixel, and so does the one behind it.
  s.x_base = Int((first - shape_.pad_before) * pitch_ +
                 ahead * (flat ? GroupLanes(program_.chip()) : group) + segment * lanes_);
  s.x_steps[kGroup] = Int(group);
  s.x_limit = static_cast<uint32_t>(row);
  s.y_limit = 1;
  if (!flat) {
    s.x_steps[kSublane] = Int(pixel);
    // Of the group behind, only as many pixels as sliding reaches.
    if (ahead > 0) {
      s.y_steps[kSublane] = 1;
      s.y_limit = static_cast<uint32_t>(shape_.stride == 1 ? shape_.k - 1 : shape_.k / 2);
    }
  }
  for (size_t i = 0; i < 8; ++i) s.strides[i] = Int(s.x_steps[i] * bytes_);
  s.strides[kRow] = Int(rows_ * shape_.stride * row * bytes_);
  s.strides[kStep] = Int(row * bytes_);
  if (flat) s.strides[kBlock] = Int(shape_.k * row * bytes_);
  base = Int(image + s.x_base * bytes_);
  return s;
}

void DepthwiseProgram::RunFlat(int64_t image, int64_t result) {
  const int64_t row = shape_.out_width() * pitch_;
  const int64_t whole = shape_.out_width() / pixels_, rest = shape_.out_width() % pixels_;
  for (const bool is_rest : {false, true}) {
    if ((is_rest ? rest : whole) == 0) continue;
    arch::Vector vector;
    vector.kernel_level = 2;
    vector.counts[kGroup] = is_rest ? 1 : static_cast<uint32_t>(whole);
    vector.counts[kBlock] = static_cast<uint32_t>(Blocks());
    std::vector<arch::Stream> streams = {Image(kIn0, 0, 0, 0, image, vector.bases[kIn0]),
                                         Image(kIn1, 0, 1, 0, image, vector.bases[kIn1])};
    const int64_t skipped = is_rest ? whole * pixels_ * pitch_ : 0;
    for (arch::Stream& in : streams) {
      in.x_base += Int(skipped);
      vector.bases[in.index] += Int(skipped * bytes_);
    }
    AddTaps(0, streams, vector);
    arch::Stream out;
    out.index = kOut0;
    out.type = static_cast<uint32_t>(type_);
    out.flat = 1;
    out.x_limit = static_cast<uint32_t>((is_rest ? rest : pixels_) * pitch_);
    out.y_limit = 1;
    out.strides[kGroup] = Int(pixels_ * pitch_ * bytes_);
    out.strides[kBlock] = Int(shape_.k * row * bytes_);
    out.strides[kStep] = Int(row * bytes_);
    streams.push_back(out);
    vector.bases[kOut0] = Int(result + skipped * bytes_);
    program_.Run(kernel_, streams, vector);
  }
}

void DepthwiseProgram::RunRows(int64_t image, int64_t result, int64_t segment) {
  const int64_t row = shape_.out_width() * pitch_;
  arch::Vector vector;
  vector.kernel_level = 2;
  vector.counts[kRow] = static_cast<uint32_t>(Blocks());
  vector.counts[kGroup] = static_cast<uint32_t>(CeilDivide(shape_.out_width(), pixels_));
  std::vector<arch::Stream> streams = {Image(kIn0, 0, 0, segment, image, vector.bases[kIn0])};
  if (kind_ == Kind::kAny) {
    vector.counts[kWindowY] = vector.counts[kWindowX] = static_cast<uint32_t>(shape_.k);
    streams[0].x_steps[kWindowX] = Int(pitch_);
    streams[0].strides[kWindowX] = Int(pitch_ * bytes_);
    streams[0].strides[kWindowY] = Int(shape_.width * pitch_ * bytes_);
    streams.push_back(Taps(kIn1, 0, 1, segment, vector.bases[kIn1]));
    streams[1].strides[kWindowY] = Int(shape_.k) * streams[1].strides[kStep];
    streams[1].strides[kWindowX] = streams[1].strides[kStep];
  } else {
    streams.push_back(Image(kIn1, 0, 1, segment, image, vector.bases[kIn1]));
  }
  if (kind_ == Kind::kBlock && shape_.stride == 1) AddTaps(segment, streams, vector);
  if (kind_ == Kind::kBlock && shape_.stride == 2) {
    std::vector<arch::Stream> taps;
    arch::Vector load;
    AddTaps(segment, taps, load);
    program_.Run(tap_kernel_, taps, load);
    streams.push_back(Image(kIn2, 1, 0, segment, image, vector.bases[kIn2]));
    streams.push_back(Image(kIn3, 1, 1, segment, image, vector.bases[kIn3]));
  }
  arch::Stream out;
  out.index = kOut0;
  out.type = static_cast<uint32_t>(type_);
  out.x_base = Int(segment * lanes_);
  out.x_limit = static_cast<uint32_t>(pitch_);
  out.y_steps[kGroup] = Int(pixels_);
  out.y_steps[kSublane] = 1;
  out.y_limit = static_cast<uint32_t>(shape_.out_width());
  out.strides[kRow] = Int(rows_ * row * bytes_);
  out.strides[kGroup] = Int(pixels_ * pitch_ * bytes_);
  out.strides[kSublane] = Int(pitch_ * bytes_);
  out.strides[kStep] = Int(row * bytes_);
  streams.push_back(out);
  vector.bases[kOut0] = Int(result + segment * lanes_ * bytes_);
  program_.Run(kernel_, streams, vector);
}

}  // namespace systolith::kernels
