#include <algorithm>

#include "tests/kernels/kernel_test.h"

namespace systolith::kernels {
namespace {

constexpr size_t kInstance = 0;  // loops
constexpr size_t kGroup = 5;

// One instruction over `instances` instances of `rows` rows each, from row `first` on.
void RunRows(KernelProgram& program, const kernel::Kernel& kernel, int64_t first,
             int64_t instances, int64_t rows, RowStream in, int64_t in_address, RowStream out,
             int64_t out_address, const std::vector<arch::Stream>& others, arch::Vector vector) {
  const int64_t sublanes = program.chip().vpu_sublanes;
  std::vector<arch::Stream> streams = others;
  for (RowStream* rows_of : {&in, &out}) {
    rows_of->row_loop = kGroup;
    rows_of->rows = rows;
    arch::Stream stream = Describe(*rows_of, program.chip());
    const int64_t row_bytes = rows_of->pitch * BytesOf(rows_of->type);
    stream.strides[kInstance] = static_cast<int32_t>(rows * row_bytes);
    const int64_t base = (rows_of == &in ? in_address : out_address) + first * row_bytes;
    const auto add = [&](StreamIndex index, int64_t ahead) {
      stream.index = index;
      stream.y_base = static_cast<int32_t>(ahead);
      vector.bases[index] = static_cast<int32_t>(base + ahead * row_bytes);
      streams.push_back(stream);
    };
    if (rows_of == &out) {
      add(out.index, -sublanes);
    } else {
      add(kIn0, 0);
      add(kIn1, sublanes);
    }
  }
  vector.kernel_level = 1;
  vector.counts[kInstance] = static_cast<uint32_t>(instances);
  vector.counts[kGroup] = static_cast<uint32_t>((rows + sublanes - 1) / sublanes + 1);
  program.Run(kernel, streams, vector);
}

}  // namespace

void RunRowPipeline(KernelProgram& program, const kernel::Kernel& kernel, int64_t rows,
                    const RowStream& in, int64_t in_address, const RowStream& out,
                    int64_t out_address, const std::vector<arch::Stream>& others,
                    const arch::Vector& vector) {
  const int64_t sublanes = program.chip().vpu_sublanes;
  const int64_t full_groups = rows / sublanes;
  const int64_t groups = std::max<int64_t>(full_groups / arch::kVectorThreads, 1);
  const int64_t instances = full_groups / groups;
  const int64_t done = instances * groups * sublanes;
  if (instances > 0) {
    RunRows(program, kernel, 0, instances, groups * sublanes, in, in_address, out, out_address,
            others, vector);
  }
  if (done < rows) {
    RunRows(program, kernel, done, 1, rows - done, in, in_address, out, out_address, others,
            vector);
  }
}

}  // namespace systolith::kernels
