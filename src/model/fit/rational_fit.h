// A rational function fitted to samples: numerator and denominator are polynomials whose degree in
// each variable is bounded, and which are as small as the samples allow.
//
//   const std::vector<FitPoint> points = …;          // {1024, 32} → 71.5, {2048, 32} → 142.9, …
//   Result<RationalFit> fit = fit_rational({"n", "bx"}, points, {.domain = {{256, 65536}, {32,
//   1024}}}); fit->text           "(0.07 * n + 1.5) / (1 + 0.002 * bx)" fit->degrees        "n 1/0,
//   bx 0/1" fit->held_out       0.012: median |fitted ÷ measured − 1| at sizes that the fit did not
//   see
//
// Solved by least squares on relative errors (model/fit/svd.h), with variables scaled to 1 at the
// end of their domain. A function whose denominator may vanish inside the domain is refused. The
// degrees are those with the smallest error on held-out groups: samples of one group are left out
// together, so that a fit is judged at sizes that it has not seen.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace burin::model {

struct FitPoint {
  std::vector<double> at;  // one value per variable
  double value = 0;
  std::uint32_t group = 0;  // of the held-out rounds: one per problem size
};

struct FitOptions {
  // Per variable, both ends included; empty: that of the samples.
  std::vector<std::pair<double, double>> domain{};
  std::uint32_t max_numerator = 3;    // degree in each variable
  std::uint32_t max_denominator = 1;  // likewise
  std::uint32_t max_total = 4;        // degree of a product of variables
  std::size_t max_rounds = 6;         // held-out rounds at most, the groups being merged
  // Coefficients may not be negative: the function stays positive wherever it is asked.
  bool positive = false;
};

struct RationalFit {
  std::vector<std::string> variables;
  std::vector<std::uint32_t> numerator_degrees;  // per variable
  std::vector<std::uint32_t> denominator_degrees;
  std::vector<std::vector<std::uint32_t>> terms;  // exponents: the numerator's, then the others
  std::size_t numerator_terms = 0;
  std::vector<double> coefficients;  // of `terms`, in unscaled variables; the denominator's 1 is
                                     // not among them
  std::string text;                  // as an expression
  std::string degrees;               // in words
  double held_out = 0;               // median relative error on held-out groups
  double training = 0;               // … on the samples themselves
  std::size_t rank = 0;              // directions of the data that were used
  std::size_t refused = 0;           // functions with a pole in the domain

  double at(std::span<const double> values) const;
};

// An Error for too few samples, or where every function has a pole.
Result<RationalFit> fit_rational(std::vector<std::string> variables,
                                 std::span<const FitPoint> points, const FitOptions& options);

// Whether 1 + Σ coefficient · monomial stays positive on a box; false where it cannot be shown.
bool is_positive(std::span<const std::vector<std::uint32_t>> terms,
                 std::span<const double> coefficients,
                 std::span<const std::pair<double, double>> box);

}  // namespace burin::model
