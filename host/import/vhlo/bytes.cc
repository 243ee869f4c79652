#include "host/import/vhlo/bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace systolith::import::vhlo {

uint8_t Bytes::Byte() {
  if (data_.empty()) {
    Fail(offset_, "the file or the section ends here, in the middle of something");
    return 0;
  }
  const auto byte = static_cast<uint8_t>(data_.front());
  data_ = data_.subspan(1);
  ++offset_;
  return byte;
}

// The number of low zero bits of the first byte says how many bytes follow it.
uint64_t Bytes::VarInt() {
  const uint8_t first = Byte();
  if (first == 0 && !status_.ok()) return 0;
  const int following = std::countr_zero(first);  // 8 if the byte is 0
  if (following == 0) return first >> 1;
  if (data_.size() < static_cast<size_t>(following)) {
    Fail(offset_, "the file or the section ends inside of a number");
    return 0;
  }
  uint64_t value = 0;
  for (int i = 0; i < following; ++i) value |= static_cast<uint64_t>(Byte()) << (8 * i);
  if (following == 8) return value;
  return (value << (7 - following)) | (first >> (following + 1));
}

int64_t Bytes::SignedVarInt() {
  const uint64_t value = VarInt();
  return static_cast<int64_t>((value >> 1) ^ (0 - (value & 1)));
}

std::pair<uint64_t, bool> Bytes::FlaggedVarInt() {
  const uint64_t value = VarInt();
  return {value >> 1, (value & 1) != 0};
}

size_t Bytes::Index(size_t size, const char* what) {
  const size_t begin = offset_;
  const uint64_t index = VarInt();
  if (index >= size) {
    Fail(begin, fmt::format("{} {} of {}", what, index, size));
    return 0;
  }
  return index;
}

size_t Bytes::Count(size_t entry_bytes) {
  const size_t begin = offset_;
  const uint64_t count = VarInt();
  if (count > data_.size() / entry_bytes) {
    Fail(begin, fmt::format("{} entries in {} bytes", count, data_.size()));
    return 0;
  }
  return count;
}

Bytes Bytes::Take(uint64_t count) {
  if (count > data_.size()) {
    Fail(offset_, fmt::format("{} bytes of {} that are left", count, data_.size()));
    count = 0;
  }
  Bytes part(*source_, data_.first(count), offset_);
  part.status_ = status_;
  data_ = data_.subspan(count);
  offset_ += count;
  return part;
}

std::string_view Bytes::NullTerminated() {
  const auto end = std::find(data_.begin(), data_.end(), std::byte{0});
  if (end == data_.end()) {
    Fail(offset_, "the text has no end");
    return {};
  }
  const size_t size = static_cast<size_t>(end - data_.begin());
  const std::string_view text(reinterpret_cast<const char*>(data_.data()), size);
  Take(size + 1);
  return text;
}

void Bytes::Fail(size_t offset, const std::string& reason) {
  if (status_.ok()) Adopt(source_->ErrorAt(offset, reason));
}

void Bytes::Adopt(const Status& error) {
  if (!status_.ok()) return;
  status_ = error;
  data_ = {};
}

Status Bytes::Finish(const char* what) {
  if (!data_.empty()) Fail(offset_, fmt::format("{} bytes are left behind {}", data_.size(), what));
  return status_;
}

}  // namespace systolith::import::vhlo
