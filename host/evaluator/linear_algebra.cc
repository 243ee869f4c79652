// triangular_solve and cholesky, matrix by matrix, in double with one rounding at the end.
#include <cmath>
#include <limits>
#include <vector>

#include "host/evaluator/kernels.h"

namespace systolith::evaluator {
namespace {

// How many matrices a stack of them holds.
int64_t MatrixCount(const Dims& dims) { return graph::Product({dims.begin(), dims.end() - 2}); }

}  // namespace

Literal EvalTriangularSolve(const Op& op, const Literal& a, const Literal& b) {
  const auto& solve = op.As<graph::TriangularSolveAttributes>();
  const int64_t n = a.dims().back();
  const int64_t rows = b.dims()[b.dims().size() - 2], columns = b.dims().back();
  const int64_t systems = solve.left_side ? columns : rows;
  const bool transposed = solve.transpose_a != graph::TransposeA::kNoTranspose;
  // x * op(a) = b is op(a)^T * x^T = b^T: the right side transposes once more.
  const bool flip = transposed == solve.left_side;
  const bool forward = solve.lower != flip;  // whether the first unknown stands alone
  Literal result(b.shape());
  std::vector<double> x(static_cast<size_t>(n));
  for (int64_t matrix = 0; matrix < MatrixCount(a.dims()); ++matrix) {
    const auto coefficient = [&](int64_t i, int64_t j) {
      return a.GetDouble(matrix * n * n + (flip ? j * n + i : i * n + j));
    };
    for (int64_t system = 0; system < systems; ++system) {
      const auto position = [&](int64_t i) {
        return matrix * rows * columns +
               (solve.left_side ? i * columns + system : system * columns + i);
      };
      for (int64_t step = 0; step < n; ++step) {
        const int64_t i = forward ? step : n - 1 - step;
        double sum = b.GetDouble(position(i));
        for (int64_t known = 0; known < step; ++known) {
          const int64_t j = forward ? known : n - 1 - known;
          sum -= coefficient(i, j) * x[static_cast<size_t>(j)];
        }
        x[static_cast<size_t>(i)] = solve.unit_diagonal ? sum : sum / coefficient(i, i);
        result.SetDouble(position(i), x[static_cast<size_t>(i)]);
      }
    }
  }
  return result;
}

Literal EvalCholesky(const Op& op, const Literal& a) {
  const bool lower = op.As<graph::CholeskyAttributes>().lower;
  const int64_t n = a.dims().back();
  Literal result(a.shape());
  std::vector<double> l(static_cast<size_t>(n * n));
  const auto at = [&](int64_t i, int64_t j) -> double& {
    return l[static_cast<size_t>(i * n + j)];
  };
  for (int64_t matrix = 0; matrix < MatrixCount(a.dims()); ++matrix) {
    const int64_t base = matrix * n * n;
    bool is_positive = true;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        double sum = a.GetDouble(base + (lower ? i * n + j : j * n + i));
        for (int64_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
        if (i == j) is_positive = is_positive && sum > 0;
        at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        result.SetDouble(base + (lower ? i * n + j : j * n + i),
                         is_positive ? at(i, j) : std::numeric_limits<double>::quiet_NaN());
      }
    }
  }
  return result;
}

}  // namespace systolith::evaluator
