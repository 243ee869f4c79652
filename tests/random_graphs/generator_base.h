#ifndef SYSTOLITH_TESTS_RANDOM_GRAPHS_GENERATOR_BASE_H_
#define SYSTOLITH_TESTS_RANDOM_GRAPHS_GENERATOR_BASE_H_

#include <optional>
#include <random>
#include <vector>

#include "host/graph/builder.h"
#include "host/graph/infer.h"
#include "tests/random_graphs/graph_generator.h"

namespace systolith::testing {

using graph::Dims;
using graph::ElementType;
using graph::Literal;
using graph::Op;
using graph::Opcode;
using graph::Shape;
using graph::Value;

// The values there are, and random choices among them. Operations that do not fit their operands
// are not appended: callers propose, inference decides.
class GeneratorBase {
 public:
  GeneratorBase(uint32_t seed, const GraphSize& size) : rng_(seed), size_(size) {
    module_.functions.emplace_back();
    function().name = "main";
  }

 protected:
  graph::Function& function() { return module_.functions[0]; }
  const Shape& shape(Value value) { return function().shape(value); }
  ElementType type(Value value) { return shape(value).type; }

  int64_t Range(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(rng_() % static_cast<uint64_t>(high - low + 1));
  }
  bool Chance(int of) { return Range(1, of) == 1; }
  template <typename T>
  T Pick(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(Range(0, static_cast<int64_t>(choices.size()) - 1))];
  }

  ElementType AnyType();
  int64_t AnySize();
  Dims AnyDims(int64_t max_rank = 4);

  // A value with the property; nullopt if there is none.
  template <typename F>
  std::optional<Value> Find(const F& has) {
    std::vector<Value> fitting;
    for (const Value value : values_) {
      if (has(shape(value))) fitting.push_back(value);
    }
    if (fitting.empty()) return std::nullopt;
    return Pick(fitting);
  }
  Value AnyValue() { return Pick(values_); }
  // A value of the shape: one that is there, made from one that is there, or a constant.
  Value Make(Shape shape);
  Value Constant(Shape shape, int64_t low = -9, int64_t high = 9);
  Value Scalar(ElementType type, double value);

  // Appends the operation if it is valid; its results become values.
  bool Propose(Op op, const std::vector<Shape>& declared = {});
  bool Propose(Opcode opcode, std::vector<Value> operands, graph::Attributes attributes = {},
               const std::vector<Shape>& declared = {});
  Value Last() const { return values_.back(); }

  // A region that takes scalars of these types and returns what `make` makes of them.
  template <typename F>
  graph::Region MakeRegion(const std::vector<Shape>& arguments, const F& make) {
    graph::Region region;
    for (const Shape& shape : arguments) region.arguments.push_back(function().NewValue(shape));
    graph::Builder builder(function(), region.ops);
    builder.Return(make(builder, region.arguments));
    return region;
  }
  // Returns the sum, the larger ... of its two arguments.
  graph::Region Joining(Opcode opcode, ElementType type) {
    return MakeRegion({{type, {}}, {type, {}}}, [&](graph::Builder& builder, const auto& a) {
      return std::vector<Value>{builder.Binary(opcode, a[0], a[1])};
    });
  }
  Opcode AnyJoin(ElementType type);

  std::mt19937 rng_;
  const GraphSize size_;
  graph::Module module_;
  std::vector<Op> ops_;
  std::vector<Value> values_;
};

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_RANDOM_GRAPHS_GENERATOR_BASE_H_
