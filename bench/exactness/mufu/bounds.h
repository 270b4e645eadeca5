// How far the coefficients of a curve can go that passes through given windows.
//
// Row i says lower ≤ c[0] b[0] + c[1] b[1] + c[2] b[2] ≤ upper. A linear program of three unknowns
// and some hundred thousand rows: it is solved for a few of the rows, those that the solution
// breaks are added, and so on until none does.
//
//   CurveBounds bounds(rows);
//   bounds.of(2)              the smallest and largest c[2] that some c[0] and c[1] go with
//   bounds.fix(2, 1013)       from here on c[2] is that
//   bounds.of(1)              …
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace burin {

using Coefficients = std::array<long double, 3>;

struct Row {
  Coefficients basis{};
  long double lower = 0, upper = 0;
};

struct Interval {
  long double low = 0, high = 0;
};

class CurveBounds {
 public:
  // `rows` must outlive this; three of them at least, with different bases.
  explicit CurveBounds(const std::vector<Row>& rows);

  std::optional<Interval> of(std::size_t coefficient);  // nothing where no curve passes all windows
  void fix(std::size_t coefficient, long double value);

 private:
  std::optional<Coefficients> furthest(std::size_t coefficient, bool up);
  std::size_t add_broken(const Coefficients& c);

  const std::vector<Row>* rows_;
  std::vector<std::size_t> active_;
  std::array<std::optional<long double>, 3> fixed_;
};

}  // namespace burin
