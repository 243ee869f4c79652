#ifndef SYSTOLITH_HOST_IMPORT_VHLO_ATTRIBUTES_H_
#define SYSTOLITH_HOST_IMPORT_VHLO_ATTRIBUTES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/import/attribute.h"
#include "host/import/source.h"
#include "host/import/type.h"
#include "host/import/vhlo/container.h"

namespace systolith::import::vhlo {

// What an entry of the table of types is.
struct DecodedType {
  enum class Kind {
    kValue,     // type: a tensor, a tuple or a token
    kElement,   // name
    kFunction,  // inputs, outputs
    kNone,      // the value of an attribute that is not set
    kRefused,   // name: why
  };
  Kind kind = Kind::kRefused;
  Type type;
  size_t cost = 1;                      // of a copy
  std::string name;                     // "f32", as StableHLO's text has it
  std::vector<size_t> inputs, outputs;  // types
};

// Decodes attributes, types and locations when they are asked for, each once.
class AttributeTable {
 public:
  AttributeTable(const Source& source, const Container& container);

  // An attribute as the text of StableHLO gives it: a number is kInteger, #vhlo.tensor_v1 is
  // kDense, an enumeration is kKeyword. nullopt stands for one that is not set.
  Result<std::optional<Attribute>> Get(size_t index);
  Result<DecodedType> GetType(size_t index);
  // The type of a value; Unsupported if the graph has no such values.
  Result<Type> GetValueType(size_t index, size_t offset);
  Result<graph::Location> GetLocation(size_t index);

  // Decodes all, so that nothing of the file stays unread.
  Status DecodeAll();

 private:
  // An attribute as it is kept. The copies that one file may ask for are limited in total, since an
  // attribute of a few bytes may stand for many that stand for many.
  struct Decoded {
    Attribute value;
    bool unset = false;
    size_t cost = 1;  // of a copy
    graph::Location location;
  };
  Result<const Decoded*> Decode(size_t index);
  Status DecodeVhlo(Bytes& bytes, Decoded& into);
  Status DecodeBuiltin(Bytes& bytes, Decoded& into);
  Status DecodeArray(Bytes& bytes, Decoded& into);
  Status DecodeDictionary(Bytes& bytes, Decoded& into);
  Status DecodeNumber(Bytes& bytes, Decoded& into);
  Status DecodeTensor(Bytes& bytes, Decoded& into);
  Status DecodeType(Bytes& bytes, Decoded& into);
  Status DecodeLocation(uint64_t code, Bytes& bytes, Decoded& into);
  Status CopyInto(size_t index, size_t offset, Attribute& to, Decoded& owner);
  Status Pay(size_t cost, size_t offset);

  Result<const DecodedType*> DecodeType(size_t index);
  Status DecodeVhloType(Bytes& bytes, DecodedType& type);
  Status DecodeBuiltinType(Bytes& bytes, DecodedType& type);
  Status DecodeFunctionType(Bytes& bytes, DecodedType& type);
  Status DecodeTupleType(Bytes& bytes, DecodedType& type);
  Status DecodeTensorType(Bytes& bytes, bool encoding, DecodedType& type);

  const Source& source_;
  const Container& container_;
  std::vector<std::unique_ptr<Decoded>> attributes_;
  std::vector<std::unique_ptr<DecodedType>> types_;
  std::vector<bool> open_attributes_, open_types_;  // being decoded: a cycle comes back to one
  int depth_ = 0;
  size_t budget_;
  int64_t splat_bytes_ = 0;
};

}  // namespace systolith::import::vhlo

#endif  // SYSTOLITH_HOST_IMPORT_VHLO_ATTRIBUTES_H_
