#ifndef SYSTOLITH_HOST_IMPORT_VHLO_ARTIFACT_H_
#define SYSTOLITH_HOST_IMPORT_VHLO_ARTIFACT_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/import/op_emitter.h"
#include "host/import/source.h"
#include "host/import/type.h"
#include "host/import/vhlo/attributes.h"
#include "host/import/vhlo/container.h"
#include "host/import/vhlo/ir.h"

namespace systolith::import::vhlo {

// A portable artifact whose container and operations are decoded; the bytes must outlive it. Each
// function becomes a graph when it is asked for.
class Artifact : public Source {
 public:
  static Result<std::unique_ptr<Artifact>> Open(std::span<const std::byte> bytes,
                                                std::string file_name);

  const std::string& module_name() const { return module_name_; }
  std::string_view producer() const { return container_.producer; }
  size_t function_count() const { return functions_.size(); }

  // Function `i` in the order of the file.
  Result<graph::Function> ReadFunction(size_t i);

  // Decodes every attribute and type, used or not.
  Status DecodeAll() { return table_->DecodeAll(); }

  // Messages name the byte and, inside of an operation, where that came from.
  graph::Location LocationOf(size_t offset) const override;
  Status ErrorAt(size_t offset, const std::string& reason) const override;
  Status RefuseAt(size_t offset, const std::string& reason) const override;

 private:
  explicit Artifact(std::string file_name) : file_name_(std::move(file_name)) {}

  Status FindFunctions(const RawOp& module);
  Result<Attribute> ReadAttributes(const RawOp& op);
  Status ReadBody(const RawOp& raw, graph::Function& function);
  Result<graph::Region> ReadRegion(const RawRegion& raw, bool isolated);
  Status ReadOps(const RawRegion& raw, graph::Region& region);
  Status ReadOp(const RawOp& raw, graph::Region& region);
  Status ReadOperands(const RawOp& raw, ImportedOp& op) const;
  Result<std::vector<Type>> ReadTypes(const std::vector<size_t>& indices, size_t offset);
  void Define(std::vector<TypedValue> values);
  std::string NameOf(const RawOp& op) const;  // "vhlo.add_v1"
  std::string Place(size_t offset) const;

  std::string file_name_, module_name_;
  Container container_;
  std::unique_ptr<AttributeTable> table_;
  std::vector<RawOp> top_;
  std::vector<const RawOp*> functions_;

  // Of the function that is being read.
  graph::Function* function_ = nullptr;
  graph::Location location_;
  int operation_ = 0;  // counts from 1
  // By number, in the innermost isolated scope; the regions around a place have theirs one behind
  // the other, and `next_` says where each goes on.
  std::vector<std::optional<TypedValue>> values_;
  std::vector<size_t> next_;
};

}  // namespace systolith::import::vhlo

#endif  // SYSTOLITH_HOST_IMPORT_VHLO_ARTIFACT_H_
