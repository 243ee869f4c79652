#include "host/tools/random_input.h"

#include <cmath>
#include <random>

namespace systolith::tools {
namespace {

// The natural logarithm of x > 0. The library's own may differ in its last bit from platform to
// platform.
double PortableLog(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // in [0.5, 1), exact
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  // ln m = 2 artanh t with |t| < 0.172: eleven terms reach double precision.
  const double t = (mantissa - 1) / (mantissa + 1);
  const double square = t * t;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return 2 * t * sum + exponent * 0.69314718055994531;
}

class Normal {
 public:
  explicit Normal(std::mt19937_64& bits) : bits_(bits) {}

  // Marsaglia's polar method: two values at a time.
  double Next() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double u, v, s;
    do {
      u = Uniform();
      v = Uniform();
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    const double scale = std::sqrt(-2 * PortableLog(s) / s);
    spare_ = v * scale;
    has_spare_ = true;
    return u * scale;
  }

 private:
  // In [-1, 1), a multiple of 2^-52.
  double Uniform() {
    return std::ldexp(static_cast<double>(static_cast<int64_t>(bits_()) >> 11), -52);
  }

  std::mt19937_64& bits_;
  bool has_spare_ = false;
  double spare_ = 0;
};

}  // namespace

graph::Literal RandomLiteral(const graph::Shape& shape, uint64_t seed, uint64_t index) {
  std::mt19937_64 bits(seed + 0x9e3779b97f4a7c15 * (index + 1));
  Normal normal(bits);
  graph::Literal literal(shape);
  const bool is_real = graph::IsFloat(shape.type);
  const bool is_complex = graph::IsComplex(shape.type);
  if (is_complex) {  // real and imaginary part, f32 each
    for (float& part : std::span(reinterpret_cast<float*>(literal.bytes().data()),
                                 literal.bytes().size() / sizeof(float))) {
      part = static_cast<float>(normal.Next());
    }
    return literal;
  }
  for (int64_t i = 0; i < literal.size(); ++i) {
    if (is_real) {
      literal.SetDouble(i, normal.Next());
    } else if (shape.type == graph::ElementType::kI1) {
      literal.SetInt(i, static_cast<int64_t>(bits() >> 63));
    } else {
      literal.SetInt(i, static_cast<int64_t>(bits()));
    }
  }
  return literal;
}

}  // namespace systolith::tools
