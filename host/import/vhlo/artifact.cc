#include "host/import/vhlo/artifact.h"

#include <fmt/format.h>

#include <utility>

#include "host/import/vhlo/op_table.h"
#include "host/import/vhlo/vhlo.h"

namespace systolith::import::vhlo {

using graph::Region;
using graph::Shape;
using graph::Value;

bool LooksLikeBytecode(std::span<const std::byte> bytes) {
  constexpr std::byte kMagic[kMagicBytes] = {std::byte{'M'}, std::byte{'L'}, std::byte{0xef},
                                             std::byte{'R'}};
  return bytes.size() >= kMagicBytes && std::equal(kMagic, kMagic + kMagicBytes, bytes.begin());
}

Result<graph::Module> ReadModule(std::span<const std::byte> bytes, const std::string& file_name) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Artifact> artifact, Artifact::Open(bytes, file_name));
  graph::Module module;
  module.name = artifact->module_name();
  module.file_name = file_name;
  for (size_t i = 0; i < artifact->function_count(); ++i) {
    ASSIGN_OR_RETURN(graph::Function function, artifact->ReadFunction(i));
    module.functions.push_back(std::move(function));
  }
  if (module.functions.empty()) return artifact->ErrorAt(0, "the module has no function");
  return module;
}

Result<std::unique_ptr<Artifact>> Artifact::Open(std::span<const std::byte> bytes,
                                                 std::string file_name) {
  std::unique_ptr<Artifact> artifact(new Artifact(std::move(file_name)));
  ASSIGN_OR_RETURN(artifact->container_, ReadContainer(*artifact, bytes));
  artifact->table_ = std::make_unique<AttributeTable>(*artifact, artifact->container_);
  ASSIGN_OR_RETURN(artifact->top_, ReadIr(artifact->container_));
  if (artifact->top_.size() != 1 || artifact->NameOf(artifact->top_[0]) != "builtin.module") {
    return artifact->ErrorAt(artifact->container_.ir.front().offset(),
                             "the file does not consist of one module");
  }
  RETURN_IF_ERROR(artifact->FindFunctions(artifact->top_[0]));
  return artifact;
}

Status Artifact::FindFunctions(const RawOp& module) {
  if (module.properties) {  // the name, if there is one, and the visibility
    Bytes properties = container_.properties[*module.properties];
    const auto [index, present] = properties.FlaggedVarInt();
    RETURN_IF_ERROR(properties.status());
    if (present && index < container_.attributes.size()) {
      ASSIGN_OR_RETURN(const std::optional<Attribute> name, table_->Get(index));
      if (name) module_name_ = name->text;
    }
  }
  for (const RawRegion& region : module.regions) {
    for (const RawBlock& block : region.blocks) {
      for (const RawOp& op : block.ops) {
        const std::string name = NameOf(op);
        if (name == "vhlo.func_v1") {
          functions_.push_back(&op);
        } else if (name != "sdy.mesh") {  // which chips there are: one, whatever it says
          return RefuseAt(op.offset, fmt::format("operation {} is not supported outside of a "
                                                 "function", name));
        }
      }
    }
  }
  return OkStatus();
}

Result<graph::Function> Artifact::ReadFunction(size_t i) {
  graph::Function function;
  function_ = &function;
  location_ = {};
  operation_ = 0;
  const Status status = ReadBody(*functions_[i], function);
  function_ = nullptr;
  location_ = {};
  RETURN_IF_ERROR(status);
  return function;
}

Status Artifact::ReadBody(const RawOp& raw, graph::Function& function) {
  ASSIGN_OR_RETURN(const Attribute dict, ReadAttributes(raw));
  const Attribute* name = dict.Find({"sym_name"});
  const Attribute* type_of = dict.Find({"function_type"});
  const Attribute* visibility = dict.Find({"sym_visibility"});
  if (name == nullptr || type_of == nullptr) {
    return ErrorAt(raw.offset, "the function has no name or no type");
  }
  function.name = name->text;
  function.is_private = visibility != nullptr && visibility->text == "private";
  ASSIGN_OR_RETURN(const DecodedType type, table_->GetType(static_cast<size_t>(type_of->integer)));
  if (raw.regions.size() != 1 || raw.regions[0].blocks.empty()) {
    return RefuseAt(raw.offset, fmt::format("function @{} has no body", function.name));
  }
  ASSIGN_OR_RETURN(function.body, ReadRegion(raw.regions[0], true));
  ASSIGN_OR_RETURN(const std::vector<Type> declared, ReadTypes(type.outputs, raw.offset));
  const bool returns = !function.body.ops.empty() &&
                       function.body.ops.back().opcode == graph::Opcode::kReturn;
  if (!returns) return ErrorAt(raw.offset, fmt::format("@{} does not return", function.name));
  std::vector<Shape> returned;
  for (const Value value : function.results()) returned.push_back(function.shape(value));
  if (returned != ShapesOf(declared)) {
    return ErrorAt(raw.offset, fmt::format("@{} does not return what it declares", function.name));
  }
  return OkStatus();
}

// The attributes under the names of StableHLO's text. Those that are unset are left out.
Result<Attribute> Artifact::ReadAttributes(const RawOp& op) {
  Attribute dict;
  if (op.attributes) {
    ASSIGN_OR_RETURN(const std::optional<Attribute> read, table_->Get(*op.attributes));
    if (read) dict.entries = read->entries;
  }
  dict.kind = Attribute::Kind::kDict;
  dict.offset = op.offset;
  const std::string_view name = container_.op_names[op.name].name;
  const std::vector<std::string_view>* names = AttributeNames(name);
  if (names == nullptr) {
    return RefuseAt(op.offset, fmt::format("operation {} of {} is not known", NameOf(op),
                                           container_.producer));
  }
  if (!op.properties) {
    if (names->empty()) return dict;
    return ErrorAt(op.offset, fmt::format("{} has no properties", NameOf(op)));
  }
  Bytes properties = container_.properties[*op.properties];
  for (const std::string_view attribute : *names) {
    const size_t index = properties.Index(container_.attributes.size(), "attribute");
    RETURN_IF_ERROR(properties.status());
    ASSIGN_OR_RETURN(std::optional<Attribute> value, table_->Get(index));
    if (value) dict.entries.emplace_back(attribute, *std::move(value));
  }
  RETURN_IF_ERROR(properties.Finish("the properties of an operation"));
  GatherParts(WithoutVersion(name), dict);
  return dict;
}

Result<Region> Artifact::ReadRegion(const RawRegion& raw, bool isolated) {
  if (raw.blocks.size() != 1) {
    return RefuseAt(raw.offset, fmt::format("a region of {} blocks is not supported",
                                            raw.blocks.size()));
  }
  std::vector<std::optional<TypedValue>> outer_values;
  std::vector<size_t> outer_next;
  if (isolated) {
    std::swap(outer_values, values_);
    std::swap(outer_next, next_);
  }
  const size_t base = values_.size();
  values_.resize(base + raw.values);
  next_.push_back(base);
  Region region;
  const Status status = ReadOps(raw, region);
  next_.pop_back();
  values_.resize(base);
  if (isolated) {
    std::swap(outer_values, values_);
    std::swap(outer_next, next_);
  }
  RETURN_IF_ERROR(status);
  return region;
}

Status Artifact::ReadOps(const RawRegion& raw, Region& region) {
  const RawBlock& block = raw.blocks[0];
  ASSIGN_OR_RETURN(const std::vector<Type> types, ReadTypes(block.arguments, raw.offset));
  for (Shape& shape : ShapesOf(types)) {
    region.arguments.push_back(function_->NewValue(std::move(shape)));
  }
  Define(Group(types, region.arguments));
  for (const RawOp& op : block.ops) RETURN_IF_ERROR(ReadOp(op, region));
  return OkStatus();
}

Status Artifact::ReadOp(const RawOp& raw, Region& region) {
  const OpName& name = container_.op_names[raw.name];
  ASSIGN_OR_RETURN(graph::Location location, table_->GetLocation(raw.location));
  ++operation_;
  if (!location.place) {
    location = {operation_, 0,
                std::make_shared<const std::string>(fmt::format("operation {}", operation_))};
  }
  location_ = location;
  if (raw.has_successors) return RefuseAt(raw.offset, "branches between blocks are not supported");
  const std::string_view bare = WithoutVersion(name.name);
  ImportedOp op;
  op.offset = raw.offset;
  if (name.dialect == "vhlo") {
    op.name = fmt::format("{}.{}", bare == "call" ? "func" : "stablehlo", bare);
    ASSIGN_OR_RETURN(op.dict, ReadAttributes(raw));
  } else {  // a sharding or a cast around it: on one chip nothing of its attributes matters
    op.name = NameOf(raw);
    op.dict.offset = raw.offset;
  }
  ASSIGN_OR_RETURN(op.opcode, ChooseOpcode(*this, op.name, raw.offset));
  RETURN_IF_ERROR(ReadOperands(raw, op));
  ASSIGN_OR_RETURN(const std::vector<Type> results, ReadTypes(raw.results, raw.offset));
  op.outputs = ShapesOf(results);
  for (const RawRegion& part : raw.regions) {
    ASSIGN_OR_RETURN(Region read, ReadRegion(part, raw.is_isolated));
    op.regions.push_back(std::move(read));
  }
  location_ = location;
  ASSIGN_OR_RETURN(const std::vector<Value> values, OpEmitter(*this, *function_).Emit(op, region));
  if (values.size() != ShapesOf(results).size()) {
    return ErrorAt(raw.offset, fmt::format("{} gives {} values", op.name, values.size()));
  }
  Define(Group(results, values));
  return OkStatus();
}

Status Artifact::ReadOperands(const RawOp& raw, ImportedOp& op) const {
  for (const size_t operand : raw.operands) {
    if (operand >= values_.size() || !values_[operand]) {
      return ErrorAt(raw.offset, fmt::format("value {} is used before its definition", operand));
    }
    op.AddOperand(*values_[operand]);
  }
  return OkStatus();
}

Result<std::vector<Type>> Artifact::ReadTypes(const std::vector<size_t>& indices, size_t offset) {
  std::vector<Type> types;
  for (const size_t index : indices) {
    ASSIGN_OR_RETURN(Type type, table_->GetValueType(index, offset));
    types.push_back(std::move(type));
  }
  return types;
}

void Artifact::Define(std::vector<TypedValue> values) {
  for (TypedValue& value : values) values_[next_.back()++] = std::move(value);
}

std::string Artifact::NameOf(const RawOp& op) const {
  const OpName& name = container_.op_names[op.name];
  return fmt::format("{}.{}", name.dialect, name.name);
}

graph::Location Artifact::LocationOf(size_t /*offset*/) const { return location_; }

std::string Artifact::Place(size_t offset) const {
  if (!location_.place) return fmt::format("{}: byte {}", file_name_, offset);
  return fmt::format("{}: byte {} ({})", file_name_, offset, *location_.place);
}

Status Artifact::ErrorAt(size_t offset, const std::string& reason) const {
  return InvalidArgument(fmt::format("{}: {}", Place(offset), reason));
}

Status Artifact::RefuseAt(size_t offset, const std::string& reason) const {
  return Unsupported(fmt::format("{}: {}", Place(offset), reason));
}

}  // namespace systolith::import::vhlo
