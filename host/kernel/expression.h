#ifndef SYSTOLITH_HOST_KERNEL_EXPRESSION_H_
#define SYSTOLITH_HOST_KERNEL_EXPRESSION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "host/base/status.h"
#include "host/kernel/syntax.h"

// Compile-time arithmetic of the kernel language.
namespace systolith::kernel {

// An integer, or a number with a fraction. One of each gives a number with a fraction.
using Number = std::variant<int64_t, double>;

// The value of a name, or an error that says that there is none.
using NameLookup = std::function<Result<Number>(const Token& name)>;

Result<Number> Evaluate(const Expression& expression, const NameLookup& lookup);

// The expression itself if its function exists and takes so many arguments.
Result<Expression> CheckFunction(const Expression& call);

// 32 bits of a lane: an integer that fits s32 or u32, or the nearest f32.
Result<uint32_t> LaneBits(const Number& number, const Location& location);

// Where an integer is wanted.
Result<int64_t> Integer(const Number& number, const Location& location);

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_EXPRESSION_H_
