#ifndef SYSTOLITH_HOST_BASE_NPY_H_
#define SYSTOLITH_HOST_BASE_NPY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/base/status.h"

// NumPy's .npy and .npz files.
namespace systolith {

// One array in C order, little-endian.
struct NpyArray {
  std::string dtype;           // "f4", "f8", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8",
                               // "b1", or "V2" (bf16 as ml_dtypes writes it)
  std::vector<int64_t> dims;
  std::vector<std::byte> data;

  bool operator==(const NpyArray&) const = default;
};

using NamedArrays = std::vector<std::pair<std::string, NpyArray>>;  // in file order

// Bytes per element of a dtype above; 0 for any other.
int NpyItemSize(const std::string& dtype);

// Parsing accepts both byte orders' marks that mean little-endian ('<', '|', '='), C and Fortran
// order. A file that is truncated, malformed or of another dtype is InvalidArgument that names
// `name` (the file or member), the offset and the reason.
Result<NpyArray> ParseNpy(std::span<const std::byte> bytes, const std::string& name);
std::vector<std::byte> FormatNpy(const NpyArray& array);

// The members of a .npz without their ".npy"; stored and deflated ones.
Result<NamedArrays> ParseNpz(std::span<const std::byte> bytes, const std::string& name);
std::vector<std::byte> FormatNpz(const NamedArrays& arrays);  // deflated

Result<NpyArray> ReadNpy(const std::string& path);
Status WriteNpy(const std::string& path, const NpyArray& array);
Result<NamedArrays> ReadNpz(const std::string& path);
Status WriteNpz(const std::string& path, const NamedArrays& arrays);

}  // namespace systolith

#endif  // SYSTOLITH_HOST_BASE_NPY_H_
