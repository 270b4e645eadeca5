#include "model/fit/svd.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace burin::model {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void rotate(std::span<double> a, std::span<double> b, double cosine, double sine) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double left = a[i];
    a[i] = cosine * left - sine * b[i];
    b[i] = sine * left + cosine * b[i];
  }
}

}  // namespace

SingularValues decompose(const Matrix& a) {
  constexpr int kMaxSweeps = 60;
  constexpr double kOrthogonal = 1e-14;
  const std::size_t columns = a.columns();
  SingularValues found{a, std::vector<double>(columns), Matrix(columns, columns)};
  for (std::size_t i = 0; i < columns; ++i) found.v.at(i, i) = 1;
  // Rotates pairs of columns until all are orthogonal to one another.
  bool rotated = true;
  for (int sweep = 0; sweep < kMaxSweeps && rotated; ++sweep) {
    rotated = false;
    for (std::size_t p = 0; p + 1 < columns; ++p) {
      for (std::size_t q = p + 1; q < columns; ++q) {
        const double pp = dot(found.u.column(p), found.u.column(p));
        const double qq = dot(found.u.column(q), found.u.column(q));
        const double pq = dot(found.u.column(p), found.u.column(q));
        if (std::abs(pq) <= kOrthogonal * std::sqrt(pp * qq)) continue;
        rotated = true;
        const double zeta = (qq - pp) / (2 * pq);
        const double tangent =
            std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double cosine = 1 / std::sqrt(1 + tangent * tangent);
        rotate(found.u.column(p), found.u.column(q), cosine, cosine * tangent);
        rotate(found.v.column(p), found.v.column(q), cosine, cosine * tangent);
      }
    }
  }
  for (std::size_t i = 0; i < columns; ++i) {
    const double length = std::sqrt(dot(found.u.column(i), found.u.column(i)));
    found.values[i] = length;
    if (length == 0) continue;
    for (double& value : found.u.column(i)) value /= length;
  }
  return found;
}

LeastSquares solve_least_squares(const Matrix& a, std::span<const double> b, double truncate) {
  const SingularValues found = decompose(a);
  const double largest = found.values.empty() ? 0 : std::ranges::max(found.values);
  LeastSquares solved{std::vector<double>(a.columns()), 0};
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    if (found.values[i] <= truncate * largest || found.values[i] == 0) continue;
    ++solved.rank;
    const double share = dot(found.u.column(i), b) / found.values[i];
    for (std::size_t j = 0; j < solved.x.size(); ++j) solved.x[j] += share * found.v.at(j, i);
  }
  return solved;
}

}  // namespace burin::model
