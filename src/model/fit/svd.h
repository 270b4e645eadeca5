// Least squares by the singular value decomposition, for the small dense matrices of a fit.
//
//   Matrix a(3, 2);                              rows of {1, x}
//   LeastSquares line = solve_least_squares(a, y);
//   line.x                                       {intercept, slope}
//   line.rank                                    1 where all x are equal: then the shortest x
//
// Directions of the data that are weaker than `truncate` times the strongest one are left out: they
// are noise, and would make the coefficients huge.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace burin::model {

class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), values_(rows * columns) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double& at(std::size_t row, std::size_t column) { return values_[column * rows_ + row]; }
  double at(std::size_t row, std::size_t column) const { return values_[column * rows_ + row]; }
  std::span<double> column(std::size_t index) { return {values_.data() + index * rows_, rows_}; }
  std::span<const double> column(std::size_t index) const {
    return {values_.data() + index * rows_, rows_};
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> values_;  // column by column
};

// a = u · diag(values) · vᵀ, with as many values as `a` has columns, in no order.
struct SingularValues {
  Matrix u;  // columns of length 1, or of length 0 where the value is 0
  std::vector<double> values;
  Matrix v;
};
SingularValues decompose(const Matrix& a);  // by one-sided Jacobi rotations

struct LeastSquares {
  std::vector<double> x;
  std::size_t rank = 0;
};
inline constexpr double kTruncate = 1e-9;
LeastSquares solve_least_squares(const Matrix& a, std::span<const double> b,
                                 double truncate = kTruncate);

}  // namespace burin::model
