#ifndef SYSTOLITH_HOST_IMPORT_VHLO_BYTES_H_
#define SYSTOLITH_HOST_IMPORT_VHLO_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/status.h"
#include "host/import/source.h"

namespace systolith::import::vhlo {

// A stretch of the file, read from its front. The first error sticks: after it every read gives
// zero and nothing is left, so that a reader may check `status` once, after a few reads. Counts are
// checked against what is left, so a loop over one never outlasts the file.
class Bytes {
 public:
  Bytes(const Source& source, std::span<const std::byte> data, size_t offset)
      : source_(&source), data_(data), offset_(offset) {}

  size_t offset() const { return offset_; }  // of the next byte in the file
  size_t left() const { return data_.size(); }
  const Status& status() const { return status_; }

  uint8_t Byte();
  uint64_t VarInt();
  int64_t SignedVarInt();  // zig-zag
  // (value << 1) | flag
  std::pair<uint64_t, bool> FlaggedVarInt();
  // An index below `size`; `what` names it in the message.
  size_t Index(size_t size, const char* what);
  // How many entries follow, of `entry_bytes` bytes or more each.
  size_t Count(size_t entry_bytes = 1);
  // The next `count` bytes as a stretch of their own, which is empty and failed if this one is.
  Bytes Take(uint64_t count);
  std::span<const std::byte> Data() const { return data_; }
  std::string_view NullTerminated();

  // Notes an error at `offset`, unless there is one already.
  void Fail(size_t offset, const std::string& reason);
  // Takes over the error of a part of this stretch.
  void Adopt(const Status& error);
  // The status, or an error if bytes are left.
  Status Finish(const char* what);

 private:
  const Source* source_;
  std::span<const std::byte> data_;
  size_t offset_;
  Status status_;
};

}  // namespace systolith::import::vhlo

#endif  // SYSTOLITH_HOST_IMPORT_VHLO_BYTES_H_
