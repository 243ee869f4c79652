#ifndef SYSTOLITH_HOST_COMPILER_PASSES_INDEX_TABLE_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_INDEX_TABLE_H_

#include <optional>
#include <utility>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/compiler/kernel.h"
#include "host/graph/graph.h"

namespace systolith::compiler {

// Index vectors become one number each, the place of a window: the sum over the vector's components
// and over counting dimensions of index * stride. In a checked table a vector with a component
// outside [0, limit) becomes -1; else components are clamped to [0, limit).
struct IndexTable {
  struct Component {
    int64_t number = 0;  // in the index vector
    int64_t stride = 0;
    int64_t limit = 1;
    bool is_checked = false;
    std::optional<int64_t> moves_along;  // dimension of the table whose number is added
  };
  struct Counting {
    int64_t dimension = 0;  // of the table: its number is the index
    int64_t stride = 0;
  };
  graph::Dims dims;
  graph::Dims batch;  // the table's dimension of each of the indices' without the vector's
  int64_t index_vector_dim = 0;
  std::vector<Component> components;
  std::vector<Counting> counting;

  // A batching dimension of the indices tensor, `index_vector_dim` counted.
  void AddBatching(int64_t indices_dimension, int64_t stride);
  // The table of constant indices.
  graph::Literal Of(const graph::Literal& indices) const;
};

// The least and the largest number of an integer type of up to 32 bits.
int64_t Lowest(graph::ElementType type);
int64_t Highest(graph::ElementType type);

// What the dimensions of a scatter's updates are.
struct ScatterDimensions {
  graph::Dims table;  // sizes of those that have a place each: update scatter dimensions, and
                      // window dimensions along which the indices move the window
  graph::Dims batch;  // which of them are update scatter dimensions
  std::vector<std::pair<int64_t, int64_t>> expanded;  // the others: operand dimension, table's
  graph::Dims window, window_sizes;  // operand dimensions, in which windows begin at 0
  graph::Dims update_order;          // the updates' dimensions: the table's, then the window's
};
ScatterDimensions DimensionsOf(const graph::Op& scatter, const graph::Function& function);

// The part of a scatter's operand that is in the buffer at a time: all places, and of windows as
// much as fits. nullopt: not even that fits.
struct ScatterTile {
  graph::Dims box, strides;  // per dimension of the operand: elements
  int64_t bytes = 0, update_bytes = 0;
};
std::optional<ScatterTile> ChooseScatterTile(const graph::Shape& operand,
                                             const ScatterDimensions& dimensions,
                                             const arch::ChipConfig& chip);

// The steps of a scatter's computation, if the vector unit has them: lane and stream 0 are its
// arguments.
std::optional<std::vector<VectorStep>> CombineSteps(const graph::Op& scatter,
                                                    const graph::Function& function);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_INDEX_TABLE_H_
