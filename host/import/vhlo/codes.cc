#include "host/import/vhlo/codes.h"

#include <array>
#include <span>

namespace systolith::import::vhlo {

std::string_view ElementTypeOfCode(uint64_t code) {
  constexpr std::array<std::string_view, 41> kNames = {
      "i1", "", "bf16", "f16", "f32", "f64", "f8E4M3FN", "f8E5M2", "", "index",
      "i4", "i8", "i16", "i32", "i64", "ui4", "ui8", "ui16", "ui32", "ui64",
      "", "", "", "", "", "", "", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ",
      "", "i2", "ui2", "", "tf32", "f8E4M3", "f8E3M4", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN",
      "f8E8M0FNU",
  };
  return code < kNames.size() ? kNames[code] : std::string_view();
}

std::string_view EnumerationWord(VhloAttribute enumeration, uint64_t value) {
  static constexpr std::array<std::string_view, 6> kDirections = {"EQ", "NE", "GE",
                                                                  "GT", "LE", "LT"};
  static constexpr std::array<std::string_view, 5> kComparisons = {"NOTYPE", "FLOAT", "TOTALORDER",
                                                                   "SIGNED", "UNSIGNED"};
  static constexpr std::array<std::string_view, 5> kApiVersions = {
      "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
      "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
  static constexpr std::array<std::string_view, 4> kFfts = {"FFT", "IFFT", "RFFT", "IRFFT"};
  static constexpr std::array<std::string_view, 3> kPrecisions = {"DEFAULT", "HIGH", "HIGHEST"};
  static constexpr std::array<std::string_view, 3> kAlgorithms = {"DEFAULT", "THREE_FRY", "PHILOX"};
  static constexpr std::array<std::string_view, 3> kDistributions = {"", "UNIFORM", "NORMAL"};
  static constexpr std::array<std::string_view, 4> kTransposes = {"TRANSPOSE_INVALID",
                                                                  "NO_TRANSPOSE", "TRANSPOSE",
                                                                  "ADJOINT"};
  static constexpr std::array<std::string_view, 3> kAccuracies = {"DEFAULT", "HIGHEST",
                                                                  "TOLERANCE"};
  std::span<const std::string_view> words;
  switch (enumeration) {
    case VhloAttribute::kComparisonDirection: words = kDirections; break;
    case VhloAttribute::kComparisonType: words = kComparisons; break;
    case VhloAttribute::kCustomCallApiVersion: words = kApiVersions; break;
    case VhloAttribute::kFftType: words = kFfts; break;
    case VhloAttribute::kPrecision: words = kPrecisions; break;
    case VhloAttribute::kRngAlgorithm: words = kAlgorithms; break;
    case VhloAttribute::kRngDistribution: words = kDistributions; break;
    case VhloAttribute::kTranspose: words = kTransposes; break;
    case VhloAttribute::kResultAccuracyMode: words = kAccuracies; break;
    default: break;
  }
  return value < words.size() ? words[value] : std::string_view();
}

}  // namespace systolith::import::vhlo
