#ifndef SYSTOLITH_HOST_IMPORT_VHLO_CODES_H_
#define SYSTOLITH_HOST_IMPORT_VHLO_CODES_H_

#include <cstdint>
#include <string_view>

// The first number of an encoded attribute or type. StableHLO and MLIR promise not to change them.
namespace systolith::import::vhlo {

enum class VhloAttribute : uint64_t {
  kArray = 1, kBoolean, kComparisonDirection, kComparisonType, kCustomCallApiVersion, kDictionary,
  kFftType, kFloat, kInteger, kOutputOperandAlias, kPrecision, kRngAlgorithm, kRngDistribution,
  kString, kTensor, kTranspose, kType, kTypeExtensions, kResultAccuracyMode, kResultAccuracy,
};

enum class VhloType : uint64_t {
  kComplex = 1, kFunction = 8, kRankedTensor = 20, kRankedTensorWithEncoding = 21, kToken = 22,
  kTuple = 23, kUniformQuantized = 24, kUnrankedTensor = 25, kWitness = 26,
  kUniformQuantizedPerAxis = 30, kNone = 33, kRankedBuffer = 41, kFuture = 42,
};

enum class BuiltinAttribute : uint64_t {
  kArray, kDictionary, kString, kStringWithType, kFlatSymbolRef, kSymbolRef, kType, kUnit, kInteger,
  kFloat, kCallSiteLocation, kFileLineColumnLocation, kFusedLocation, kFusedLocationWithMetadata,
  kNameLocation, kUnknownLocation, kFileLineColumnRange = 22,
};

enum class BuiltinType : uint64_t {
  kInteger, kIndex, kFunction, kBF16, kF16, kF32, kF64, kNone = 12, kRankedTensor = 13,
};

// The name in StableHLO's text of the element type with that VHLO code; empty if it is none.
std::string_view ElementTypeOfCode(uint64_t code);

// The word that the text has for a value of an enumeration; empty if there is none.
std::string_view EnumerationWord(VhloAttribute enumeration, uint64_t value);

}  // namespace systolith::import::vhlo

#endif  // SYSTOLITH_HOST_IMPORT_VHLO_CODES_H_
