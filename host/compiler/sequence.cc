#include "host/compiler/sequence.h"

namespace systolith::compiler {
namespace {

template <typename Pointer, typename AnyControl>
std::vector<Pointer> SequencesOf(AnyControl& control) {
  if (auto* loop = std::get_if<Loop>(&control.body)) {
    return {&loop->entry, &loop->condition, &loop->body};
  }
  std::vector<Pointer> sequences;
  for (auto& branch : std::get<Choice>(control.body).branches) sequences.push_back(&branch);
  return sequences;
}

}  // namespace

std::vector<const Sequence*> Control::Sequences() const {
  return SequencesOf<const Sequence*>(*this);
}
std::vector<Sequence*> Control::Sequences() { return SequencesOf<Sequence*>(*this); }

const View& Control::Scalar() const {
  const auto* loop = std::get_if<Loop>(&body);
  return loop != nullptr ? loop->predicate : std::get<Choice>(body).index;
}

}  // namespace systolith::compiler
