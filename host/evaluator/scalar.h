#ifndef SYSTOLITH_HOST_EVALUATOR_SCALAR_H_
#define SYSTOLITH_HOST_EVALUATOR_SCALAR_H_

#include <cstdint>

#include "host/graph/attributes.h"
#include "host/graph/element_type.h"
#include "host/graph/opcode.h"

// The arithmetic of single elements. The rules, those of the vector unit (rtl/arch/README.md) where
// it has them:
//  - f32 arithmetic is IEEE, but a subnormal operand counts as zero of its sign, and so does
//    a result below the normal range before it is rounded; maximum, minimum, negate, abs,
//    comparisons, rounding to integers and selection keep subnormals.
//  - bf16 and f16 widen to f32, compute there, and round once. f64 is plain IEEE.
//  - A computed NaN is the positive quiet one without payload.
//  - Functions such as exp are computed in double and rounded.
//  - Integers wrap modulo 2^width; x / 0 = -1, x % 0 = x; a shift by the width or more shifts
//    everything out.
namespace systolith::evaluator {

// f32 and f64 operations with two operands; the opcode is one of IsElementwiseBinary on floats.
float BinaryF32(graph::Opcode opcode, float a, float b);
double BinaryF64(graph::Opcode opcode, double a, double b);

// Operations with one operand and a result of the same type.
float UnaryF32(graph::Opcode opcode, float a);
double UnaryF64(graph::Opcode opcode, double a);

// The neighbour of `a` in the direction of `b`, on the bits of a 16-bit float.
uint16_t NextAfter16(uint16_t a, uint16_t b, graph::ElementType type);

// Integers of `type`, widened; the result is yet to be wrapped. i1 is 0 or 1.
int64_t BinaryInteger(graph::Opcode opcode, int64_t a, int64_t b, graph::ElementType type);
int64_t UnaryInteger(graph::Opcode opcode, int64_t a, graph::ElementType type);

// Subnormals become zero of their sign.
float FlushF32(float value);

// One rounding to f32; what is below the normal range before it becomes zero of its sign.
float RoundF32(double value);

// Rounds to a float of `exponent_bits` and `mantissa_bits`; what is below its normal range becomes
// zero, what is above infinity.
double ReducePrecision(double value, int exponent_bits, int mantissa_bits);

}  // namespace systolith::evaluator

#endif  // SYSTOLITH_HOST_EVALUATOR_SCALAR_H_
