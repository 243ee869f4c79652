#ifndef SYSTOLITH_HOST_COMPILER_EXPAND_WIDE_ARITHMETIC_H_
#define SYSTOLITH_HOST_COMPILER_EXPAND_WIDE_ARITHMETIC_H_

#include <optional>
#include <vector>

#include "host/compiler/expand/expansion.h"

namespace systolith::compiler {

// A 64-bit integer as two u32 words of its shape.
struct WordPair {
  Value low, high;
};

inline bool IsWide(ElementType type) {
  return type == ElementType::kS64 || type == ElementType::kU64;
}

// Of a tensor of 64 bits: strided views of its words, and back.
WordPair SplitWords(Value wide, Expansion& to);
Value JoinWords(const WordPair& words, ElementType type, Expansion& to);

// An operand of an elementwise operation: either of both.
struct WideOperand {
  Value narrow;
  std::optional<WordPair> words;
};

// What an elementwise operation on 64-bit integers, or a convert to or from them, makes of words.
// `narrow` is the result where that has no 64 bits. nullopt: there is no rule (division,
// remainder, power, floats).
struct WideResult {
  std::optional<WordPair> words;
  Value narrow;
};
bool HasWideRule(const Op& op, ElementType operand, ElementType result);
WideResult ApplyWide(const Op& op, const std::vector<WideOperand>& operands, ElementType operand,
                     ElementType result, Expansion& to);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_EXPAND_WIDE_ARITHMETIC_H_
