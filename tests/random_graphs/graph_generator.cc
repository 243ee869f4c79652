#include "tests/random_graphs/graph_generator.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "host/graph/rewrite.h"
#include "tests/random_graphs/structured_generator.h"

namespace systolith::testing {
namespace {

class Generator : public StructuredGenerator {
 public:
  using StructuredGenerator::StructuredGenerator;

  graph::Module Run() {
    const int64_t arguments = Range(1, 4);
    for (int64_t i = 0; i < arguments; ++i) {
      const Value value = function().NewValue({AnyType(), AnyDims()});
      function().body.arguments.push_back(value);
      values_.push_back(value);
    }
    int done = 0;
    for (int attempts = 0; done < size_.operations && attempts < 20 * size_.operations;
         ++attempts) {
      done += Step() ? 1 : 0;
    }
    Return();
    return std::move(module_);
  }

 private:
  bool Step() {
    switch (Range(0, 15)) {
      case 0:
      case 1: return Unary();
      case 2:
      case 3: return Binary();
      case 4: return Choose();
      case 5: return Convert();
      case 6:
      case 7: return Move();
      case 8: return Place();
      case 9: return Dynamic();
      case 10: return Product();
      case 11: return Fold();
      case 12: return Windows();
      case 13: return GatherOrScatter();
      case 14: return Sort();
      default: return Control();
    }
  }

  bool Unary() {
    const Value x = AnyValue();
    std::vector<Opcode> choices = {Opcode::kNegate, Opcode::kAbs, Opcode::kSign};
    if (graph::IsFloat(type(x))) {
      choices = {Opcode::kAbs,     Opcode::kCbrt,
                 Opcode::kCeil,    Opcode::kCosine,
                 Opcode::kErf,     Opcode::kExponential,
                 Opcode::kFloor,   Opcode::kExponentialMinusOne,
                 Opcode::kLog,     Opcode::kIsFinite,
                 Opcode::kLogistic, Opcode::kLogPlusOne,
                 Opcode::kNegate,  Opcode::kRoundNearestAfz,
                 Opcode::kRsqrt,   Opcode::kRoundNearestEven,
                 Opcode::kSign,    Opcode::kSine,
                 Opcode::kSqrt,    Opcode::kTan,
                 Opcode::kTanh};
    } else if (type(x) == ElementType::kI1) {
      choices = {Opcode::kNot};
    } else if (Chance(2)) {
      choices = {Opcode::kNot, Opcode::kPopcnt, Opcode::kCountLeadingZeros};
    }
    return Propose(Pick(choices), {x});
  }

  bool Binary() {
    const Value x = AnyValue();
    const Value y = Make(shape(x));
    std::vector<Opcode> choices = {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply,
                                   Opcode::kMaximum, Opcode::kMinimum, Opcode::kDivide,
                                   Opcode::kRemainder};
    if (graph::IsFloat(type(x))) {
      choices.insert(choices.end(), {Opcode::kPower, Opcode::kAtan2});
    } else if (type(x) == ElementType::kI1) {
      choices = {Opcode::kAnd, Opcode::kOr, Opcode::kXor};
    } else {
      choices.insert(choices.end(), {Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kShiftLeft,
                                     Opcode::kShiftRightLogical, Opcode::kShiftRightArithmetic});
    }
    return Propose(Pick(choices), {x, y});
  }

  bool Choose() {
    const Value x = AnyValue();
    const Value y = Make(shape(x));
    if (Chance(3) && type(x) != ElementType::kI1) {
      const Value low = Chance(2) ? Scalar(type(x), -1) : Make(shape(x));
      const Value high = shape(low).dims.empty() ? Scalar(type(x), 2) : y;
      return Propose(Opcode::kClamp, {low, x, high});
    }
    const auto direction = static_cast<graph::CompareDirection>(Range(0, 5));
    if (!Propose(Opcode::kCompare, {x, y}, graph::CompareAttributes{direction, false})) {
      return false;
    }
    if (Chance(3)) return true;
    const Value predicate = Last();
    const Value z = Make({AnyType(), shape(x).dims});
    return Propose(Opcode::kSelect, {predicate, z, Make(shape(z))});
  }

  bool Convert() {
    const Value x = AnyValue();
    if (Chance(4) && graph::IsFloat(type(x))) {
      return Propose(Opcode::kReducePrecision, {x},
                     graph::ReducePrecisionAttributes{static_cast<int>(Range(2, 8)),
                                                      static_cast<int>(Range(1, 23))});
    }
    if (Chance(4)) {
      const ElementType to = AnyType();
      if (graph::BitWidth(to) != graph::BitWidth(type(x))) return false;
      return Propose(Opcode::kBitcastConvert, {x}, {}, {{to, shape(x).dims}});
    }
    return Propose(Opcode::kConvert, {x}, {}, {{AnyType(), shape(x).dims}});
  }

  bool Move() {
    const Value x = AnyValue();
    const Dims dims = shape(x).dims;
    const auto rank = static_cast<int64_t>(dims.size());
    switch (Range(0, 5)) {
      case 0: {
        Dims order(dims.size());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), rng_);
        return Propose(Opcode::kTranspose, {x}, graph::DimensionsAttributes{order});
      }
      case 1: {
        Dims to = dims;
        if (to.size() > 1 && Chance(2)) {  // two dimensions become one
          const auto at = static_cast<size_t>(Range(0, rank - 2));
          to[at] *= to[at + 1];
          to.erase(to.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        } else if (to.size() == 1 && to[0] % 2 == 0) {
          to = {2, to[0] / 2};
        } else {
          to.insert(to.begin() + Range(0, rank), 1);
        }
        return Propose(Opcode::kReshape, {x}, {}, {{type(x), to}});
      }
      case 2: {
        graph::SliceAttributes slice;
        for (const int64_t dim : dims) {
          slice.start.push_back(Range(0, dim));
          slice.limit.push_back(Range(slice.start.back(), dim));
          slice.stride.push_back(Range(1, 3));
        }
        return Propose(Opcode::kSlice, {x}, slice);
      }
      case 3: {
        Dims to = dims;
        to.insert(to.begin() + Range(0, rank), AnySize());
        Dims where;
        const auto added = static_cast<size_t>(
            std::mismatch(dims.begin(), dims.end(), to.begin()).first - dims.begin());
        for (size_t d = 0; d < dims.size(); ++d) {
          where.push_back(static_cast<int64_t>(d < added ? d : d + 1));
        }
        return Propose(Opcode::kBroadcastInDim, {x}, graph::DimensionsAttributes{where},
                       {{type(x), to}});
      }
      case 4: {
        Dims reversed;
        for (int64_t d = 0; d < rank; ++d) {
          if (Chance(2)) reversed.push_back(d);
        }
        return Propose(Opcode::kReverse, {x}, graph::DimensionsAttributes{reversed});
      }
      default: {
        if (rank == 0) return false;
        return Propose(Opcode::kIota, {}, graph::DimensionAttributes{Range(0, rank - 1)},
                       {{AnyType(), dims}});
      }
    }
  }

  bool Place() {
    const Value x = AnyValue();
    const Dims dims = shape(x).dims;
    if (dims.empty()) return false;
    if (Chance(2)) {
      const int64_t dimension = Range(0, static_cast<int64_t>(dims.size()) - 1);
      std::vector<Value> parts = {x};
      for (int64_t i = Range(0, 2); i > 0; --i) {
        Shape part = shape(x);
        part.dims[static_cast<size_t>(dimension)] = AnySize();
        if (part.ElementCount() > size_.elements) return false;
        parts.push_back(Make(part));
      }
      return Propose(Opcode::kConcatenate, parts, graph::DimensionAttributes{dimension});
    }
    graph::PadAttributes pad;
    for (size_t d = 0; d < dims.size(); ++d) {
      pad.low.push_back(Range(-1, 2));
      pad.high.push_back(Range(-1, 2));
      pad.interior.push_back(Chance(3) ? Range(1, 2) : 0);
    }
    return Propose(Opcode::kPad, {x, Make({type(x), {}})}, pad);
  }

  // Returns what nobody uses, the last results first.
  void Return() {
    std::set<Value> used;
    for (const Op& op : ops_) {
      used.insert(op.operands.begin(), op.operands.end());
      for (const Value value : graph::Captures(op)) used.insert(value);
    }
    constexpr size_t kMostResults = 5;
    std::vector<Value> results;
    for (size_t i = values_.size(); i-- > 0 && results.size() < kMostResults;) {
      if (!used.contains(values_[i])) results.push_back(values_[i]);
    }
    Op ret;
    ret.opcode = Opcode::kReturn;
    ret.operands = results;
    ops_.push_back(std::move(ret));
    function().body.ops = std::move(ops_);
    graph::EraseDeadOps(function());
  }
};

}  // namespace

graph::Module RandomGraph(uint32_t seed, const GraphSize& size) {
  return Generator(seed, size).Run();
}

}  // namespace systolith::testing
