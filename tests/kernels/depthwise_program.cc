#include "tests/kernels/depthwise_program.h"

#include <gtest/gtest.h>

#include "host/kernel/assemble.h"

namespace systolith::kernels {
namespace {

// Loops: 0 result rows, 1 groups of pixels, 5 blocks of k image rows (flat kernels);
// 4 and 5 the window (kernels that keep no taps).
constexpr size_t kRow = 0, kGroup = 1, kWindowY = 4, kWindowX = 5, kBlock = 5;
constexpr size_t kStep = 6, kSublane = 7;

int32_t Int(int64_t value) { return static_cast<int32_t>(value); }
int64_t Ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }

kernel::Kernel Library(const std::string& name, const kernel::Parameters& parameters,
                       const arch::ChipConfig& chip) {
  auto kernel = kernel::AssembleFromLibrary(name, parameters, chip);
  EXPECT_TRUE(kernel.ok()) << kernel.status().message();
  return kernel.ok() ? std::move(kernel).value() : kernel::Kernel{};
}

}  // namespace

DepthwiseProgram::DepthwiseProgram(KernelProgram& program, const Depthwise& shape,
                                   arch::LaneType type, const std::vector<float>& taps)
    : program_(program),
      shape_(shape),
      type_(type),
      bytes_(BytesOf(type)),
      // Sliding reaches as far as one group behind the first.
      flat_(shape.stride == 1 && (shape.k - 1) * shape.pitch() <= GroupLanes(program.chip())),
      pixels_(flat_ ? GroupLanes(program.chip()) / shape.pitch() : program.chip().vpu_sublanes) {
  const arch::ChipConfig& chip = program.chip();
  const int64_t copies = flat_ ? pixels_ : 1, pitch = shape.pitch();
  std::vector<float> laid_out(static_cast<size_t>(shape.k * shape.k * copies * pitch), 0.0f);
  for (int64_t t = 0; t < shape.k * shape.k; ++t) {
    for (int64_t p = 0; p < copies; ++p) {
      for (int64_t c = 0; c < shape.channels; ++c) {
        laid_out[static_cast<size_t>((t * copies + p) * pitch + c)] =
            taps[static_cast<size_t>(t * shape.channels + c)];
      }
    }
  }
  taps_ = program.Input(laid_out);
  if (!keeps_taps()) {
    kernel_ = Library("depthwise_any", {}, chip);
    return;
  }
  const int64_t pixel = flat_ ? pitch : chip.Lanes();
  tap_kernel_ = Library("depthwise_taps", {{"k", shape.k}}, chip);
  kernel_ = Library(flat_ ? "depthwise_rows" : shape.stride == 1 ? "depthwise" : "depthwise_stride2",
                    {{"k", shape.k}, {"pixel", pixel}}, chip);
}

void DepthwiseProgram::Run(int64_t image, int64_t result) {
  if (flat_) {
    LoadTaps(0);
    RunFlat(image, result);
    return;
  }
  for (int64_t s = 0; s < Ceil(shape_.channels, program_.chip().Lanes()); ++s) {
    if (keeps_taps()) LoadTaps(s);
    RunRows(image, result, s);
  }
}

arch::Stream DepthwiseProgram::Taps(StreamIndex index, int64_t segment, int32_t& base) const {
  const int64_t lanes = program_.chip().Lanes(), pitch = shape_.pitch();
  const int64_t elements = flat_ ? pixels_ * pitch : pitch;
  arch::Stream s;
  s.index = index;
  s.flat = flat_;
  s.spread = static_cast<uint32_t>(flat_ ? arch::Spread::kNone : arch::Spread::kRows);
  s.strides[kStep] = Int(elements * 4);
  s.x_base = Int(segment * lanes);
  s.x_limit = static_cast<uint32_t>(elements);
  s.y_limit = 1;
  base = Int(taps_ + segment * lanes * 4);
  return s;
}

void DepthwiseProgram::LoadTaps(int64_t segment) {
  arch::Vector vector;
  const arch::Stream taps = Taps(kIn2, segment, vector.bases[kIn2]);
  program_.Run(tap_kernel_, {taps}, vector);
}

arch::Stream DepthwiseProgram::Image(StreamIndex index, int64_t first, int64_t ahead,
                                     int64_t segment, int64_t image, int32_t& base) const {
  const int64_t lanes = program_.chip().Lanes(), pitch = shape_.pitch();
  const int64_t pixel = shape_.stride * pitch, row = shape_.width * pitch;
  const int64_t group = pixels_ * pixel;
  // A flat group goes on behind its last whole pixel, and so does the one behind it.
  const int64_t behind = flat_ ? GroupLanes(program_.chip()) : group;
  arch::Stream s;
  s.index = index;
  s.type = static_cast<uint32_t>(type_);
  s.flat = flat_;
  s.x_base = Int((first - shape_.pad_before) * pitch + ahead * behind + segment * lanes);
  s.x_steps[kGroup] = Int(group);
  if (!flat_) s.x_steps[kSublane] = Int(pixel);
  s.x_limit = static_cast<uint32_t>(row);
  s.y_base = Int(-shape_.pad_before);
  s.y_steps[kRow] = Int(shape_.stride);
  if (flat_) s.y_steps[kBlock] = Int(shape_.k);
  s.y_steps[kStep] = 1;
  s.y_limit = static_cast<uint32_t>(shape_.height);
  for (size_t i = 0; i < 8; ++i) s.strides[i] = Int((s.x_steps[i] + s.y_steps[i] * row) * bytes_);
  base = Int(image + (s.x_base + s.y_base * row) * bytes_);
  return s;
}

void DepthwiseProgram::RunFlat(int64_t image, int64_t result) {
  const int64_t pitch = shape_.pitch(), row = shape_.out_width() * pitch;
  const int64_t whole = shape_.out_width() / pixels_, rest = shape_.out_width() % pixels_;
  for (const bool is_rest : {false, true}) {
    if ((is_rest ? rest : whole) == 0) continue;
    arch::Vector vector;
    vector.kernel_level = 2;
    vector.counts[kGroup] = is_rest ? 1 : static_cast<uint32_t>(whole);
    // k - 1 more image rows than results.
    vector.counts[kBlock] =
        static_cast<uint32_t>(Ceil(shape_.out_height() + shape_.k - 1, shape_.k));
    std::vector<arch::Stream> streams = {
        Image(kIn0, 0, 0, 0, image, vector.bases[kIn0]),
        Image(kIn1, 0, 1, 0, image, vector.bases[kIn1])};
    arch::Stream out;
    out.index = kOut0;
    out.type = static_cast<uint32_t>(type_);
    out.flat = 1;
    out.x_limit = static_cast<uint32_t>((is_rest ? rest : pixels_) * pitch);
    out.y_base = Int(1 - shape_.k);
    out.y_steps[kBlock] = Int(shape_.k);
    out.y_steps[kStep] = 1;
    out.y_limit = static_cast<uint32_t>(shape_.out_height());
    out.strides[kGroup] = Int(pixels_ * pitch * bytes_);
    out.strides[kBlock] = Int(shape_.k * row * bytes_);
    out.strides[kStep] = Int(row * bytes_);
    streams.push_back(out);
    const int64_t first = is_rest ? whole * pixels_ * pitch * bytes_ : 0;
    for (const StreamIndex index : {kIn0, kIn1}) vector.bases[index] += Int(first);
    if (is_rest) {
      for (arch::Stream& in : streams) {
        if (in.index != kOut0) in.x_base += Int(whole * pixels_ * pitch);
      }
    }
    vector.bases[kOut0] = Int(result + first + out.y_base * row * bytes_);
    program_.Run(kernel_, streams, vector);
  }
}

void DepthwiseProgram::RunRows(int64_t image, int64_t result, int64_t segment) {
  const int64_t lanes = program_.chip().Lanes(), pitch = shape_.pitch();
  arch::Vector vector;
  vector.kernel_level = 2;
  vector.counts[kRow] = static_cast<uint32_t>(shape_.out_height());
  vector.counts[kGroup] = static_cast<uint32_t>(Ceil(shape_.out_width(), pixels_));
  std::vector<arch::Stream> streams = {
      Image(kIn0, 0, 0, segment, image, vector.bases[kIn0]),
      Image(kIn1, 0, 1, segment, image, vector.bases[kIn1])};
  if (!keeps_taps()) {
    vector.counts[kWindowY] = vector.counts[kWindowX] = static_cast<uint32_t>(shape_.k);
    arch::Stream& window = streams[0];
    window.x_steps[kWindowX] = Int(pitch);
    window.strides[kWindowX] = Int(pitch * bytes_);
    window.y_steps[kWindowY] = 1;
    window.strides[kWindowY] = Int(shape_.width * pitch * bytes_);
    streams[1] = Taps(kIn1, segment, vector.bases[kIn1]);
    streams[1].strides[kWindowY] = Int(shape_.k) * streams[1].strides[kStep];
    streams[1].strides[kWindowX] = streams[1].strides[kStep];
  } else if (shape_.stride == 2) {
    streams.push_back(Image(kIn2, 1, 0, segment, image, vector.bases[kIn2]));
    streams.push_back(Image(kIn3, 1, 1, segment, image, vector.bases[kIn3]));
  }
  arch::Stream out;
  out.index = kOut0;
  out.type = static_cast<uint32_t>(type_);
  out.x_base = Int(segment * lanes);
  out.x_limit = static_cast<uint32_t>(pitch);
  out.y_steps[kGroup] = Int(pixels_);
  out.y_steps[kSublane] = 1;
  out.y_limit = static_cast<uint32_t>(shape_.out_width());
  out.strides[kRow] = Int(shape_.out_width() * pitch * bytes_);
  out.strides[kGroup] = Int(pixels_ * pitch * bytes_);
  out.strides[kSublane] = Int(pitch * bytes_);
  streams.push_back(out);
  vector.bases[kOut0] = Int(result + segment * lanes * bytes_);
  program_.Run(kernel_, streams, vector);
}

}  // namespace systolith::kernels
