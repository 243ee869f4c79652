#ifndef SYSTOLITH_HOST_TOOLS_TENSOR_FILES_H_
#define SYSTOLITH_HOST_TOOLS_TENSOR_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/base/npy.h"
#include "host/base/status.h"
#include "host/graph/literal.h"
#include "host/tools/options.h"

namespace systolith::tools {

struct Arguments {
  std::vector<graph::Literal> values;
  std::optional<uint64_t> seed;  // if any of them is random
};

// The program's arguments, from the files that the options name; the rest is random if a seed is
// given, or if no file is. A file that is malformed, has another shape or type, or belongs to no
// argument is InvalidArgument that names the file, what is expected and what was found.
Result<Arguments> ReadArguments(const std::vector<graph::Shape>& shapes, const Options& options);

// bf16 may be "V2" or "u2"; every other element type has one dtype.
Result<graph::Literal> LiteralFromNpy(const NpyArray& array, const graph::Shape& shape,
                                      const std::string& name);
// bf16 becomes "V2", as ml_dtypes writes it.
NpyArray NpyFromLiteral(const graph::Literal& literal);

// Writes result0, result1 ... at once.
Status WriteResults(const std::string& path, const std::vector<graph::Literal>& results);

// How many rows (all dimensions but the last) of `scores` have their largest entry, the first of
// equals, where `labels` says.
struct Accuracy {
  int64_t correct = 0, total = 0;
};
Result<Accuracy> CompareWithLabels(const graph::Literal& scores, const std::string& labels_path);

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_TENSOR_FILES_H_
