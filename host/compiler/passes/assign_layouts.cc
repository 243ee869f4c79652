// Which dimension of an intermediate tensor is innermost in memory. A convolution that writes
// features before pixels, for another convolution, writes features innermost instead, and the
// elementwise work in between follows; what others see is a transposed view. Arguments and results
// keep their order.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "host/compiler/passes/passes.h"
#include "host/compiler/passes/support.h"
#include "host/graph/builder.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

using graph::Dims;
using graph::Op;
using graph::Opcode;
using graph::Value;

struct Twin {
  Value value;  // the same elements, features innermost
  Dims order;   // of the original's dimensions
};

Dims Inverse(const Dims& order) {
  Dims inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

bool IsElementwise(const Op& op) {
  return IsVectorOperation(op.opcode) && op.regions.empty() && op.results.size() == 1 &&
         op.opcode != Opcode::kIota && op.opcode != Opcode::kBitcastConvert;
}

class LayoutPass {
 public:
  explicit LayoutPass(graph::Function& function)
      : function_(function), users_(graph::Users(function)) {}

  void Run() {
    std::vector<Op>& body = function_.body.ops;
    feeds_convolution_.resize(users_.size());
    for (auto op = body.rbegin(); op != body.rend(); ++op) {
      for (const Value result : op->results) {
        const auto& users = users_[static_cast<size_t>(result.id)];
        feeds_convolution_[static_cast<size_t>(result.id)] =
            std::any_of(users.begin(), users.end(), [&](const Op* user) {
              return user->opcode == Opcode::kConvolution
                         ? user->operands[0] == result
                         : IsElementwise(*user) && FeedsConvolution(user->result());
            });
      }
    }
    std::vector<Op> ops;
    graph::Builder builder(function_, ops);
    for (Op& op : body) {
      builder.SetLocation(op.location);
      std::optional<Twin> twin;
      if (op.results.size() == 1 && FeedsConvolution(op.result())) twin = MakeTwin(op, builder);
      if (!twin) {
        ops.push_back(op);  // users_ points into the old list
        continue;
      }
      Op back;
      back.opcode = Opcode::kTranspose;
      back.operands = {twin->value};
      back.results = op.results;
      back.attributes = graph::DimensionsAttributes{Inverse(twin->order)};
      back.location = op.location;
      ops.push_back(std::move(back));
      twins_[op.result()] = std::move(*twin);
    }
    body = std::move(ops);
  }

 private:
  bool FeedsConvolution(Value value) const {
    return feeds_convolution_[static_cast<size_t>(value.id)];
  }

  graph::Shape Ordered(Value value, const Dims& order) const {
    graph::Shape shape = function_.shape(value);
    const Dims dims = shape.dims;
    for (size_t i = 0; i < order.size(); ++i) shape.dims[i] = dims[static_cast<size_t>(order[i])];
    return shape;
  }

  std::optional<Twin> MakeTwin(const Op& op, graph::Builder& builder) {
    Op copy = op;
    copy.results.clear();
    Dims order;
    if (op.opcode == Opcode::kConvolution) {
      auto& conv = copy.As<graph::ConvolutionAttributes>();
      const auto rank = static_cast<int64_t>(function_.shape(op.result()).dims.size());
      if (conv.output_feature == rank - 1 || conv.feature_group_count > 1) return std::nullopt;
      order.push_back(conv.output_batch);
      order.insert(order.end(), conv.output_spatial.begin(), conv.output_spatial.end());
      order.push_back(conv.output_feature);
      conv.output_batch = 0;
      for (size_t i = 0; i < conv.output_spatial.size(); ++i) {
        conv.output_spatial[i] = static_cast<int64_t>(i) + 1;
      }
      conv.output_feature = rank - 1;
    } else {
      if (!IsElementwise(op)) return std::nullopt;
      for (const Value operand : op.operands) {
        const auto found = twins_.find(operand);
        if (order.empty() && found != twins_.end()) order = found->second.order;
      }
      if (order.empty()) return std::nullopt;
      for (Value& operand : copy.operands) {
        const auto found = twins_.find(operand);
        if (found != twins_.end() && found->second.order == order) {
          operand = found->second.value;
        } else if (function_.shape(operand).dims.size() == order.size()) {
          operand = builder.Transpose(operand, order);
        }
      }
    }
    return Twin{builder.Append(std::move(copy), {Ordered(op.result(), order)}).result(), order};
  }

  graph::Function& function_;
  const std::vector<std::vector<const Op*>> users_;
  std::vector<bool> feeds_convolution_;
  std::map<Value, Twin> twins_;
};

}  // namespace

Status AssignLayouts(Compilation& compilation) {
  LayoutPass(compilation.function()).Run();
  return OkStatus();
}

}  // namespace systolith::compiler
