#include "host/import/vhlo/ir.h"

#include <fmt/format.h>

namespace systolith::import::vhlo {
namespace {

constexpr int kMaxDepth = 100;  // no program nests deeper; protects the stack

// What an operation has besides its name and location.
constexpr uint8_t kHasAttributes = 0x01, kHasResults = 0x02, kHasOperands = 0x04,
                  kHasSuccessors = 0x08, kHasRegions = 0x10, kHasUseOrders = 0x20,
                  kHasProperties = 0x40;

class Reader {
 public:
  explicit Reader(const Container& container) : container_(container) {}

  void ReadBlock(Bytes& bytes, RawBlock& block) {
    const size_t offset = bytes.offset();
    const auto [ops, has_arguments] = bytes.FlaggedVarInt();
    if (has_arguments) ReadArguments(bytes, block);
    if (ops > bytes.left()) bytes.Fail(offset, fmt::format("{} operations", ops));
    for (uint64_t i = 0; i < ops && bytes.status().ok(); ++i) {
      ReadOp(bytes, block.ops.emplace_back());
    }
  }

 private:
  void ReadArguments(Bytes& bytes, RawBlock& block) {
    const size_t count = bytes.Count();
    for (size_t i = 0; i < count && bytes.status().ok(); ++i) {
      const size_t offset = bytes.offset();
      const auto [type, has_location] = bytes.FlaggedVarInt();
      if (type >= container_.types.size()) {
        bytes.Fail(offset, fmt::format("type {} of {}", type, container_.types.size()));
      }
      block.arguments.push_back(type);
      if (has_location) bytes.Index(container_.attributes.size(), "attribute");
    }
    if (bytes.Byte() != 0) SkipUseOrders(bytes, count);
  }

  void ReadOp(Bytes& bytes, RawOp& op) {
    op.offset = bytes.offset();
    op.name = bytes.Index(container_.op_names.size(), "operation name");
    const uint8_t has = bytes.Byte();
    op.location = bytes.Index(container_.attributes.size(), "attribute");
    if ((has & kHasAttributes) != 0) {
      op.attributes = bytes.Index(container_.attributes.size(), "attribute");
    }
    if ((has & kHasProperties) != 0) {
      op.properties = bytes.Index(container_.properties.size(), "properties");
    }
    if ((has & kHasResults) != 0) {
      const size_t count = bytes.Count();
      for (size_t i = 0; i < count; ++i) {
        op.results.push_back(bytes.Index(container_.types.size(), "type"));
      }
    }
    if ((has & kHasOperands) != 0) {
      const size_t count = bytes.Count();
      for (size_t i = 0; i < count; ++i) op.operands.push_back(bytes.VarInt());
    }
    if ((has & kHasSuccessors) != 0) {
      op.has_successors = true;
      const size_t count = bytes.Count();
      for (size_t i = 0; i < count; ++i) bytes.VarInt();
    }
    if ((has & kHasUseOrders) != 0) SkipUseOrders(bytes, op.results.size());
    if ((has & kHasRegions) != 0) ReadRegions(bytes, op);
  }

  // The regions of an isolated operation are a section of their own, which a reader may skip.
  void ReadRegions(Bytes& bytes, RawOp& op) {
    const auto [count, isolated] = bytes.FlaggedVarInt();
    op.is_isolated = isolated;
    if (depth_ >= kMaxDepth) bytes.Fail(op.offset, "operations nest too deeply");
    if (!bytes.status().ok()) return;
    ++depth_;
    if (isolated) {
      const size_t offset = bytes.offset();
      Section section = ReadSection(bytes);
      if (section.id != kIrSection) bytes.Fail(offset, "a section of operations is expected here");
      ReadRegionList(section.bytes, count, op);
      const Status status = section.bytes.Finish("the regions");
      if (!status.ok()) bytes.Adopt(status);
    } else {
      ReadRegionList(bytes, count, op);
    }
    --depth_;
  }

  void ReadRegionList(Bytes& bytes, uint64_t count, RawOp& op) {
    if (count > bytes.left()) bytes.Fail(op.offset, fmt::format("{} regions", count));
    for (uint64_t i = 0; i < count && bytes.status().ok(); ++i) {
      ReadRegion(bytes, op.regions.emplace_back());
    }
  }

  void ReadRegion(Bytes& bytes, RawRegion& region) {
    region.offset = bytes.offset();
    const size_t blocks = bytes.Count();
    if (blocks == 0) return;
    region.values = bytes.VarInt();
    size_t defined = 0;
    for (size_t i = 0; i < blocks && bytes.status().ok(); ++i) {
      RawBlock& block = region.blocks.emplace_back();
      ReadBlock(bytes, block);
      defined += block.arguments.size();
      for (const RawOp& op : block.ops) defined += op.results.size();
    }
    if (defined != region.values) {
      bytes.Fail(region.offset, fmt::format("the region defines {} values, not {}", defined,
                                            region.values));
    }
  }

  // The order of a value's uses in the memory of whoever wrote the file; of no use here.
  static void SkipUseOrders(Bytes& bytes, size_t values) {
    const size_t count = values > 1 ? bytes.Count() : 1;
    for (size_t i = 0; i < count; ++i) {
      if (values > 1) bytes.VarInt();
      const size_t offset = bytes.offset();
      const auto [uses, is_pairs] = bytes.FlaggedVarInt();
      if (uses > bytes.left()) bytes.Fail(offset, fmt::format("{} uses", uses));
      for (uint64_t k = 0; k < uses && bytes.status().ok(); ++k) bytes.VarInt();
    }
  }

  const Container& container_;
  int depth_ = 0;
};

}  // namespace

Result<std::vector<RawOp>> ReadIr(const Container& container) {
  Bytes bytes = container.ir.front();
  RawBlock top;
  Reader(container).ReadBlock(bytes, top);
  RETURN_IF_ERROR(bytes.Finish("the operations"));
  return std::move(top.ops);
}

}  // namespace systolith::import::vhlo
