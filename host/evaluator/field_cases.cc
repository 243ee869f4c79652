#include "host/evaluator/field_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "host/base/bfloat16.h"

namespace systolith::evaluator {
namespace {

using graph::Dims;
using graph::ElementType;
using graph::Literal;
using graph::Shape;

constexpr ElementType kF32 = ElementType::kF32, kBF16 = ElementType::kBF16;
constexpr ElementType kS8 = ElementType::kS8, kS16 = ElementType::kS16, kS32 = ElementType::kS32;

Literal Tensor(ElementType type, Dims dims, const std::vector<double>& values) {
  Literal literal(Shape{type, std::move(dims)});
  for (size_t i = 0; i < values.size(); ++i) literal.SetDouble(static_cast<int64_t>(i), values[i]);
  return literal;
}

Literal Ones(ElementType type, Dims dims) { return Literal::Full(Shape{type, std::move(dims)}, 1); }

// Small integers without a pattern.
Literal Mixed(ElementType type, Dims dims, uint32_t seed) {
  Literal literal(Shape{type, std::move(dims)});
  for (int64_t i = 0; i < literal.size(); ++i) {
    seed = seed * 1664525 + 1013904223;
    literal.SetInt(i, static_cast<int64_t>(seed >> 24) % 17 - 8);
  }
  return literal;
}

// A function of those arguments (%arg0, %arg1 ...); `body` defines %r of `result`.
std::string Program(const std::vector<Literal>& arguments, const std::string& result,
                    const std::string& body) {
  std::vector<std::string> list;
  for (size_t i = 0; i < arguments.size(); ++i) {
    list.push_back(fmt::format("%arg{}: {}", i, arguments[i].shape().ToString()));
  }
  return fmt::format("func.func public @main({}) -> {} {{\n{}  return %r : {}\n}}\n",
                     fmt::join(list, ", "), result, body, result);
}

struct Conv {
  std::string window;
  int64_t groups = 1;
};

FieldCase Convolution(const std::string& name, Literal input, Literal kernel, const Shape& output,
                      const Conv& conv, std::vector<double> expected) {
  const bool flat = output.rank() == 3;
  const std::string body = fmt::format(
      "  %r = stablehlo.convolution(%arg0, %arg1) dim_numbers = {}, window = {{{}}} "
      "{{batch_group_count = 1 : i64, feature_group_count = {} : i64}} : ({}, {}) -> {}\n",
      flat ? "[b, 0, f]x[0, i, o]->[b, 0, f]" : "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
      conv.window, conv.groups, input.shape().ToString(), kernel.shape().ToString(),
      output.ToString());
  std::vector<Literal> arguments = {std::move(input), std::move(kernel)};
  const std::string program = Program(arguments, output.ToString(), body);
  return {name, program, std::move(arguments), std::move(expected)};
}

FieldCase Product(const std::string& name, Literal a, Literal b, ElementType type,
                  std::vector<double> expected) {
  const Shape result{type, {a.dims()[0], b.dims()[1]}};
  const std::string body =
      fmt::format("  %r = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : "
                  "({}, {}) -> {}\n",
                  a.shape().ToString(), b.shape().ToString(), result.ToString());
  std::vector<Literal> arguments = {std::move(a), std::move(b)};
  const std::string program = Program(arguments, result.ToString(), body);
  return {name, program, std::move(arguments), std::move(expected)};
}

void AddStrides(std::vector<FieldCase>& cases) {
  cases.push_back(Convolution("A01 stride 3 above kernel 1",
                              Tensor(kF32, {1, 5, 1}, {10, 11, 12, 13, 14}), Ones(kF32, {1, 1, 1}),
                              {kF32, {1, 2, 1}}, {"stride = [3]"}, {10, 13}));
  cases.push_back(Convolution("A01 stride 3 above kernel 2", Tensor(kF32, {1, 4, 1}, {1, 2, 3, 4}),
                              Ones(kF32, {2, 1, 1}), {kF32, {1, 2, 1}},
                              {"stride = [3], pad = [[0, 1]]"}, {3, 4}));
  // Kernel 3, stride 2, SAME: nothing is padded before the first row of an even size.
  for (const int64_t size : {8, 6, 7}) {
    const int64_t out = (size + 1) / 2, low = size % 2;
    std::vector<double> expected;
    for (int64_t y = 0; y < out; ++y) {
      for (int64_t x = 0; x < out; ++x) {
        const auto taps = [&](int64_t at) {
          const int64_t first = 2 * at - low;
          return std::min(first + 3, size) - std::max<int64_t>(first, 0);
        };
        expected.push_back(static_cast<double>(taps(y) * taps(x)));
      }
    }
    cases.push_back(Convolution(
        fmt::format("A01 same padding of {} x {}", size, size), Ones(kF32, {1, size, size, 1}),
        Ones(kF32, {3, 3, 1, 1}), {kF32, {1, out, out, 1}},
        {fmt::format("stride = [2, 2], pad = [[{0}, 1], [{0}, 1]]", low)}, expected));
  }
}

void AddDepthwise(std::vector<FieldCase>& cases) {
  for (const int64_t size : {20, 21}) {
    const int64_t out = (size - 7) / 2 + 1;  // 7 and 8
    const Literal x = Mixed(kF32, {1, size, size, 5}, 1), w = Mixed(kF32, {3, 3, 1, 5}, 2);
    std::vector<double> expected;
    for (int64_t oy = 0; oy < out; ++oy) {
      for (int64_t ox = 0; ox < out; ++ox) {
        for (int64_t c = 0; c < 5; ++c) {
          double sum = 0;
          for (int64_t k = 0; k < 9; ++k) {
            const int64_t y = 2 * oy + 3 * (k / 3), column = 2 * ox + 3 * (k % 3);
            sum += x.GetDouble((y * size + column) * 5 + c) * w.GetDouble(k * 5 + c);
          }
          expected.push_back(sum);
        }
      }
    }
    cases.push_back(Convolution(fmt::format("A02 depthwise of {} x {}", size, size), x, w,
                                {kF32, {1, out, out, 5}},
                                {"stride = [2, 2], rhs_dilate = [3, 3]", 5}, expected));
  }
}

void AddGroups(std::vector<FieldCase>& cases) {
  const Literal x = Tensor(kS8, {1, 1, 1, 6}, {-2, -1, 0, 1, 2, 3});
  // Every kernel element of output o is o + 1, and 100 where a tap falls into the padding.
  const auto kernel = [](int64_t taps, int64_t inputs) {
    Literal w = Literal::Full(Shape{kS8, {taps, taps, inputs, 6}}, 100);
    for (int64_t i = 0; i < inputs * 6; ++i) {
      w.SetInt(taps * taps / 2 * inputs * 6 + i, i % 6 + 1);
    }
    return w;
  };
  const std::vector<double> two = {-3, -6, -9, 24, 30, 36}, three = {-3, -6, 3, 4, 25, 30};
  const Shape out{kS32, {1, 1, 1, 6}};
  const std::string padded = "pad = [[1, 1], [1, 1]]";
  cases.push_back(Convolution("A03 two groups", x, kernel(1, 3), out, {"", 2}, two));
  cases.push_back(Convolution("A03 three groups", x, kernel(1, 2), out, {"", 3}, three));
  cases.push_back(Convolution("A03 two groups, 3 x 3", x, kernel(3, 3), out, {padded, 2}, two));
  cases.push_back(Convolution("A03 three groups, 3 x 3", x, kernel(3, 2), out, {padded, 3}, three));
}

void AddTransposed(std::vector<FieldCase>& cases) {
  std::vector<double> square;
  for (int i = 0; i < 100; ++i) {
    const bool edge_y = i / 10 == 0 || i / 10 == 9, edge_x = i % 10 == 0 || i % 10 == 9;
    square.push_back(edge_y && edge_x ? 3 : edge_y || edge_x ? 6 : 12);
  }
  for (const ElementType type : {kF32, kS8}) {
    cases.push_back(Convolution("A05 transposed 4 x 4", Ones(type, {1, 5, 5, 3}),
                                Ones(type, {4, 4, 3, 1}),
                                {type == kS8 ? kS32 : kF32, {1, 10, 10, 1}},
                                {"pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2]"}, square));
  }
  // Kernel 3 x 5, stride (2, 1), padding 1: each of 25 inputs adds its kernel, cut at the edge.
  std::vector<double> oblong(9 * 7, 0);
  for (int i = 0; i < 25 * 15; ++i) {
    const int y = 2 * (i / 15 / 5) + i % 15 / 5 - 1, x = i / 15 % 5 + i % 5 - 1;
    if (y >= 0 && y < 9 && x >= 0 && x < 7) oblong[static_cast<size_t>(y * 7 + x)] += 1;
  }
  cases.push_back(Convolution("A05 transposed 3 x 5", Ones(kF32, {1, 5, 5, 1}),
                              Ones(kF32, {3, 5, 1, 1}), {kF32, {1, 9, 7, 1}},
                              {"pad = [[1, 1], [3, 3]], lhs_dilate = [2, 1]"}, oblong));
}

void AddRounding(std::vector<FieldCase>& cases) {
  const double b07 = FloatFromBfloat16(0x3fa1);
  cases.push_back(Product("B07 products round and are not cut", Literal::Full({kBF16, {1, 4}}, b07),
                          Literal::Full({kBF16, {4, 1}}, b07), kBF16, {FloatFromBfloat16(0x40cb)}));
  Literal growing = Ones(kBF16, {1, 301});
  growing.SetDouble(0, 256);
  cases.push_back(Product("B08 long sums grow", growing, Ones(kBF16, {301, 1}), kBF16, {556}));

  Literal bits(Shape{kF32, {7}});
  const std::vector<uint32_t> patterns = {0x7f800001, 0x7fffffff, 0xff800001, 0x7f7fffff,
                                          0x7f7f7fff, 0xff800000, 0x3f808000};
  std::copy(patterns.begin(), patterns.end(), bits.As<uint32_t>().begin());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  cases.push_back({"B10 f32 to bf16",
                   Program({bits}, "tensor<7xbf16>",
                           "  %r = stablehlo.convert %arg0 : (tensor<7xf32>) -> tensor<7xbf16>\n"),
                   {bits},
                   {nan, nan, nan, infinity, FloatFromBfloat16(0x7f7f), -infinity, 1}});
  // Toward zero; beyond the range its nearest end; NaN 0.
  const Literal floats = Tensor(kF32, {7}, {nan, infinity, -infinity, 3e9, -3e9, 127.5, -128.6});
  const auto to = [&](const std::string& type, std::vector<double> expected) {
    cases.push_back({"B10 f32 to " + type,
                     Program({floats}, fmt::format("tensor<7x{}>", type),
                             fmt::format("  %r = stablehlo.convert %arg0 : (tensor<7xf32>) -> "
                                         "tensor<7x{}>\n", type)),
                     {floats},
                     std::move(expected)});
  };
  to("i32", {0, 2147483647, -2147483648.0, 2147483647, -2147483648.0, 127, -128});
  to("i8", {0, 127, -128, 127, -128, 127, -128});
}

// acc * multiplier * 2^(shift - 31) in 64 bits, rounded twice or once (docs/numerics.md).
void AddRequantization(std::vector<FieldCase>& cases) {
  const std::vector<Literal> arguments = {
      Tensor(kS32, {4}, {1154, -7190, 3800, -11226}),
      Tensor(kS32, {4}, {2143270065, 2083534306, 1835530321, 1518065413}),
      Tensor(kS32, {4}, {8, 7, 5, 9})};  // bits to the right
  const std::string head =
      "  %a = stablehlo.convert %arg0 : (tensor<4xi32>) -> tensor<4xi64>\n"
      "  %m = stablehlo.convert %arg1 : (tensor<4xi32>) -> tensor<4xi64>\n"
      "  %s = stablehlo.convert %arg2 : (tensor<4xi32>) -> tensor<4xi64>\n"
      "  %p = stablehlo.multiply %a, %m : tensor<4xi64>\n"
      "  %zero = stablehlo.constant dense<0> : tensor<4xi64>\n"
      "  %one = stablehlo.constant dense<1> : tensor<4xi64>\n";
  const std::string tail = "  %r = stablehlo.convert %q : (tensor<4xi64>) -> tensor<4xi32>\n";
  const std::string twice =
      "  %up = stablehlo.constant dense<1073741824> : tensor<4xi64>\n"
      "  %down = stablehlo.constant dense<-1073741823> : tensor<4xi64>\n"
      "  %n = stablehlo.compare GE, %p, %zero : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>\n"
      "  %d = stablehlo.select %n, %up, %down : tensor<4xi1>, tensor<4xi64>\n"
      "  %e = stablehlo.add %p, %d : tensor<4xi64>\n"
      "  %f = stablehlo.constant dense<2147483648> : tensor<4xi64>\n"
      "  %h = stablehlo.divide %e, %f : tensor<4xi64>\n"
      "  %g = stablehlo.shift_left %one, %s : tensor<4xi64>\n"
      "  %k = stablehlo.subtract %g, %one : tensor<4xi64>\n"
      "  %rest = stablehlo.and %h, %k : tensor<4xi64>\n"
      "  %t = stablehlo.shift_right_arithmetic %k, %one : tensor<4xi64>\n"
      "  %below = stablehlo.compare LT, %h, %zero : (tensor<4xi64>, tensor<4xi64>) -> "
      "tensor<4xi1>\n"
      "  %below1 = stablehlo.convert %below : (tensor<4xi1>) -> tensor<4xi64>\n"
      "  %u = stablehlo.add %t, %below1 : tensor<4xi64>\n"
      "  %more = stablehlo.compare GT, %rest, %u : (tensor<4xi64>, tensor<4xi64>) -> "
      "tensor<4xi1>\n"
      "  %more1 = stablehlo.convert %more : (tensor<4xi1>) -> tensor<4xi64>\n"
      "  %v = stablehlo.shift_right_arithmetic %h, %s : tensor<4xi64>\n"
      "  %q = stablehlo.add %v, %more1 : tensor<4xi64>\n";
  const std::string once =
      "  %c30 = stablehlo.constant dense<30> : tensor<4xi64>\n"
      "  %b = stablehlo.add %s, %c30 : tensor<4xi64>\n"
      "  %half = stablehlo.shift_left %one, %b : tensor<4xi64>\n"
      "  %e = stablehlo.add %p, %half : tensor<4xi64>\n"
      "  %b1 = stablehlo.add %b, %one : tensor<4xi64>\n"
      "  %q = stablehlo.shift_right_arithmetic %e, %b1 : tensor<4xi64>\n";
  cases.push_back({"C13 requantization rounded twice",
                   Program(arguments, "tensor<4xi32>", head + twice + tail), arguments,
                   {5, -55, 102, -16}});
  cases.push_back({"C13 requantization rounded once",
                   Program(arguments, "tensor<4xi32>", head + once + tail), arguments,
                   {4, -54, 101, -15}});
}

// A mean over windows of integers: the sum in 32 bits, then one division by the number of elements
// that are there, half away from zero.
FieldCase AveragePool(const std::string& name, Literal image, int64_t taps, int64_t pad,
                      std::vector<double> expected) {
  const Dims& dims = image.dims();
  const auto outputs = [&](int64_t size, int64_t padding) {
    return (size + padding - taps) / taps + 1;
  };
  const Shape wide{kS32, dims};
  const Shape out{kS32, {dims[0], outputs(dims[1], 0), outputs(dims[2], pad), dims[3]}};
  const Shape narrow{image.type(), out.dims};
  const std::string w = wide.ToString(), o = out.ToString();
  const std::string predicate = Shape{ElementType::kI1, out.dims}.ToString();
  const auto sum = [&](const std::string& result, const std::string& operand) {
    return fmt::format(
        "  %{0} = \"stablehlo.reduce_window\"(%{1}, %zero) ({{\n"
        "  ^bb0(%x: tensor<i32>, %y: tensor<i32>):\n"
        "    %z = stablehlo.add %x, %y : tensor<i32>\n"
        "    stablehlo.return %z : tensor<i32>\n"
        "  }}) {{window_dimensions = array<i64: 1, {2}, {2}, 1>, window_strides = "
        "array<i64: 1, {2}, {2}, 1>, padding = dense<[[0, 0], [0, 0], [0, {3}], [0, 0]]> : "
        "tensor<4x2xi64>}} : ({4}, tensor<i32>) -> {5}\n",
        result, operand, taps, pad, w, o);
  };
  const std::string body =
      fmt::format("  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
                  "  %image = stablehlo.convert %arg0 : ({0}) -> {1}\n"
                  "  %ones = stablehlo.constant dense<1> : {1}\n",
                  image.shape().ToString(), w) +
      sum("sum", "image") + sum("count", "ones") +
      fmt::format("  %none = stablehlo.constant dense<0> : {0}\n"
                  "  %two = stablehlo.constant dense<2> : {0}\n"
                  "  %minus = stablehlo.negate %count : {0}\n"
                  "  %below = stablehlo.compare LT, %sum, %none : ({0}, {0}) -> {1}\n"
                  "  %half = stablehlo.select %below, %minus, %count : {1}, {0}\n"
                  "  %sum2 = stablehlo.multiply %sum, %two : {0}\n"
                  "  %count2 = stablehlo.multiply %count, %two : {0}\n"
                  "  %top = stablehlo.add %sum2, %half : {0}\n"
                  "  %mean = stablehlo.divide %top, %count2 : {0}\n"
                  "  %r = stablehlo.convert %mean : ({0}) -> {2}\n",
                  o, predicate, narrow.ToString());
  std::vector<Literal> arguments = {std::move(image)};
  const std::string program = Program(arguments, narrow.ToString(), body);
  return {name, program, std::move(arguments), std::move(expected)};
}

void AddPools(std::vector<FieldCase>& cases) {
  cases.push_back(AveragePool("C14 means round half away from zero",
                              Tensor(kS8, {1, 2, 6, 1}, {-3, -3, 3, 3, 1, 1,  //
                                                         -2, -2, 2, 2, 1, 1}),
                              2, 0, {-3, 3, 1}));
  cases.push_back(AveragePool("C14 the border divides by what is there",
                              Tensor(kS8, {1, 2, 3, 1}, {-3, -3, 7, -2, -2, 8}), 2, 1, {-3, 8}));
  cases.push_back(AveragePool("C14 sums of 16 bits do not overflow",
                              Literal::Full({kS16, {1, 17, 17, 1}}, 32767), 17, 0, {32767}));
}

void AddIntegerSums(std::vector<FieldCase>& cases) {
  const auto dot = [&](int64_t k, int value, double expected) {
    cases.push_back(Product(fmt::format("C16 {} products of {}", k, value),
                            Literal::Full({kS8, {1, k}}, value),
                            Literal::Full({kS8, {k, 1}}, value), kS32, {expected}));
  };
  dot(1, 100, 10000);
  dot(16, 127, 258064);
  dot(131071, -128, 2147467264);
  dot(131072, -128, -2147483648.0);  // wraps
}

void AddSizes(std::vector<FieldCase>& cases) {
  for (const int64_t size : {63, 66, 67}) {
    const Literal a = Mixed(kF32, {size}, 3), b = Mixed(kF32, {size}, 4);
    std::vector<double> sum;
    for (int64_t i = 0; i < size; ++i) sum.push_back(a.GetDouble(i) + b.GetDouble(i));
    const std::string type = a.shape().ToString();
    cases.push_back({fmt::format("D17 vectors of {}", size),
                     Program({a, b}, type,
                             fmt::format("  %r = stablehlo.add %arg0, %arg1 : {}\n", type)),
                     {a, b}, sum});
  }
  const std::vector<double> zeros(12, 0);
  cases.push_back(Product("D19 no rows", Literal(Shape{kF32, {0, 32}}),
                          Mixed(kF32, {32, 4}, 5), kF32, {}));
  cases.push_back(Product("D19 no terms", Literal(Shape{kF32, {3, 0}}),
                          Literal(Shape{kF32, {0, 4}}), kF32, zeros));
  cases.push_back(Product("D19 no terms of integers", Literal(Shape{kS8, {3, 0}}),
                          Literal(Shape{kS8, {0, 4}}), kS32, zeros));
  const std::vector<Literal> biased = {Literal(Shape{kF32, {3, 0}}), Literal(Shape{kF32, {0, 4}}),
                                       Tensor(kF32, {4}, {1, 2, 3, 4})};
  cases.push_back({"D19 no terms and a bias",
                   Program(biased, "tensor<3x4xf32>",
                           "  %p = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x "
                           "[0] : (tensor<3x0xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>\n"
                           "  %b = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<4xf32>) "
                           "-> tensor<3x4xf32>\n"
                           "  %r = stablehlo.add %p, %b : tensor<3x4xf32>\n"),
                   biased, {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}});
  const Literal row(Shape{kF32, {1, 0, 32}}), layer = Mixed(kF32, {32, 8}, 6);
  cases.push_back({"D19 a linear layer of nothing",
                   Program({row, layer}, "tensor<1x0x8xf32>",
                           "  %r = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x "
                           "[0] : (tensor<1x0x32xf32>, tensor<32x8xf32>) -> tensor<1x0x8xf32>\n"),
                   {row, layer}, {}});
  const Literal two = Literal::Scalar(kF32, 2), four = Tensor(kF32, {4}, {1, 2, 3, 4});
  cases.push_back({"D19 scalars",
                   Program({two}, "tensor<f32>",
                           "  %r = stablehlo.add %arg0, %arg0 : tensor<f32>\n"),
                   {two}, {4}});
  cases.push_back({"D19 an empty slice",
                   Program({four}, "tensor<0xf32>",
                           "  %r = stablehlo.slice %arg0 [2:2] : (tensor<4xf32>) -> "
                           "tensor<0xf32>\n"),
                   {four}, {}});
  cases.push_back(Convolution("D19 a batch of none", Literal(Shape{kF32, {0, 5, 5, 1}}),
                              Mixed(kF32, {3, 3, 1, 2}, 7), {kF32, {0, 3, 3, 2}}, {""}, {}));
}

}  // namespace

std::vector<FieldCase> FieldCases() {
  std::vector<FieldCase> cases;
  AddStrides(cases);
  AddDepthwise(cases);
  AddGroups(cases);
  AddTransposed(cases);
  AddRounding(cases);
  AddRequantization(cases);
  AddPools(cases);
  AddIntegerSums(cases);
  AddSizes(cases);
  return cases;
}

std::vector<FieldCase> ProductsAroundTheArray(int64_t size) {
  const int64_t more = size * 3 / 2;
  std::vector<Dims> sizes = {{more, size, size}, {size, more, size}, {size, size, more},
                             {16, 8, 32}};
  const Dims edges = {1, 3, size - 1, size, size + 1};
  for (const int64_t m : edges) {
    for (const int64_t n : edges) {
      for (const int64_t k : edges) sizes.push_back({m, n, k});
    }
  }
  std::vector<FieldCase> cases;
  for (const Dims& mnk : sizes) {
    const int64_t m = mnk[0], n = mnk[1], k = mnk[2];
    const Literal a = Mixed(kBF16, {m, k}, 8), b = Mixed(kBF16, {k, n}, 9);
    std::vector<double> expected;
    for (int64_t i = 0; i < m * n; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < k; ++j) {
        sum += a.GetDouble(i / n * k + j) * b.GetDouble(j * n + i % n);
      }
      expected.push_back(sum);
    }
    cases.push_back(Product(fmt::format("D17 {} x {} by {}", m, n, k), a, b, kF32, expected));
  }
  return cases;
}

std::vector<double> FlatValues(const std::vector<Literal>& results) {
  std::vector<double> values;
  for (const Literal& result : results) {
    for (int64_t i = 0; i < result.size(); ++i) values.push_back(result.GetDouble(i));
  }
  return values;
}

}  // namespace systolith::evaluator
