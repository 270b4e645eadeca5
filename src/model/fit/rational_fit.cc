#include "model/fit/rational_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "base/format.h"
#include "model/fit/svd.h"

namespace burin::model {
namespace {

using Exponents = std::vector<std::uint32_t>;

double monomial(std::span<const double> at, const Exponents& exponents) {
  double value = 1;
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    for (std::uint32_t k = 0; k < exponents[i]; ++k) value *= at[i];
  }
  return value;
}

// All products of powers up to `degrees`, of at most `total` factors, the constant first.
std::vector<Exponents> monomials(const Exponents& degrees, std::uint32_t total) {
  std::vector<Exponents> found = {Exponents(degrees.size(), 0)};
  for (std::size_t variable = 0; variable < degrees.size(); ++variable) {
    const std::size_t before = found.size();
    for (std::uint32_t power = 1; power <= degrees[variable]; ++power) {
      for (std::size_t i = 0; i < before; ++i) {
        Exponents next = found[i];
        next[variable] = power;
        if (std::accumulate(next.begin(), next.end(), 0u) <= total) found.push_back(next);
      }
    }
  }
  return found;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Errors at left-out samples.
struct HeldOut {
  std::vector<double> errors;

  void add(double error) { errors.push_back(error); }
  double median() const { return median_of(errors); }
  // What degrees are chosen by: the mean, in which one wild error does not count more than 1.
  double mean() const {
    double sum = 0;
    for (const double error : errors) sum += std::min(error, 1.0);
    return sum / static_cast<double>(errors.size());
  }
};

class Fitter {
 public:
  Fitter(std::vector<std::string> variables, std::span<const FitPoint> points,
         const FitOptions& options)
      : variables_(std::move(variables)), points_(points), options_(options) {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      std::pair<double, double> range = {points[0].at[i], points[0].at[i]};
      for (const FitPoint& point : points) {
        range.first = std::min(range.first, point.at[i]);
        range.second = std::max(range.second, point.at[i]);
      }
      distinct_.push_back(distinct_values(i));
      // The whole domain must be free of poles; the scale is that of the samples.
      scale_.push_back(range.second != 0 ? std::abs(range.second) : 1);
      if (!options.domain.empty()) range = options.domain[i];
      box_.emplace_back(range.first / scale_[i], range.second / scale_[i]);
    }
  }

  Result<RationalFit> best() {
    if (candidate_count() <= kMaxCandidates) {
      for (const auto& [numerator, denominator] : candidates()) consider(numerator, denominator);
    } else {
      step_by_step();
    }
    if (!best_) {
      return Error{"no rational function fits the samples: there are too few, or all have a pole"};
    }
    best_->refused = refused_;
    finish(*best_);
    return std::move(*best_);
  }

 private:
  static constexpr double kMaxCandidates = 1100;

  // Takes the function with these degrees if it is better at held-out samples than the best so far.
  bool consider(const Exponents& numerator, const Exponents& denominator) {
    const std::optional<HeldOut> held_out = cross_validate(numerator, denominator);
    if (!held_out) {
      ++refused_;
      return false;
    }
    // A larger function has to be clearly better.
    constexpr double kClearly = 0.9;
    if (best_ && held_out->mean() > best_mean_ * kClearly) return false;
    std::optional<RationalFit> fit = solve(numerator, denominator, points_);
    if (!fit) {
      ++refused_;
      return false;
    }
    fit->held_out = held_out->median();
    best_mean_ = held_out->mean();
    best_ = std::move(*fit);
    return true;
  }

  // With many variables: from the constant, the one degree more that helps most, again and again.
  void step_by_step() {
    Exponents numerator(variables_.size(), 0);
    Exponents denominator(variables_.size(), 0);
    consider(numerator, denominator);
    for (bool better = true; better;) {
      better = false;
      const Exponents from_numerator = numerator;
      const Exponents from_denominator = denominator;
      for (std::size_t i = 0; i < 3 * variables_.size(); ++i) {
        // One more above, below, or in both: what levels off needs both.
        Exponents above = from_numerator;
        Exponents below = from_denominator;
        const std::size_t variable = i / 3;
        if (i % 3 != 1 && ++above[variable] > most_of(variable, true)) continue;
        if (i % 3 != 0 && ++below[variable] > most_of(variable, false)) continue;
        if (!consider(above, below)) continue;
        numerator = above;
        denominator = below;
        better = true;
      }
    }
  }

  // A variable with k values carries degree k − 1.
  std::uint32_t most_of(std::size_t variable, bool in_numerator) const {
    const auto carried = static_cast<std::uint32_t>(distinct_[variable] - 1);
    return std::min(in_numerator ? options_.max_numerator : options_.max_denominator, carried);
  }
  double candidate_count() const {
    double count = 1;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      count *= (most_of(i, true) + 1.0) * (most_of(i, false) + 1.0);
    }
    return count;
  }

  std::size_t distinct_values(std::size_t variable) const {
    std::set<double> values;
    for (const FitPoint& point : points_) values.insert(point.at[variable]);
    return values.size();
  }

  // Degrees per variable, small functions first.
  std::vector<std::pair<Exponents, Exponents>> candidates() const {
    std::vector<Exponents> numerators = {{}};
    std::vector<Exponents> denominators = {{}};
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      extend(numerators, most_of(i, true));
      extend(denominators, most_of(i, false));
    }
    std::vector<std::pair<Exponents, Exponents>> all;
    for (const Exponents& numerator : numerators) {
      for (const Exponents& denominator : denominators) all.emplace_back(numerator, denominator);
    }
    std::ranges::stable_sort(all, {}, [&](const auto& pair) {
      return monomials(pair.first, options_.max_total).size() +
             monomials(pair.second, options_.max_total).size();
    });
    return all;
  }
  static void extend(std::vector<Exponents>& all, std::uint32_t most) {
    std::vector<Exponents> longer;
    for (const Exponents& exponents : all) {
      for (std::uint32_t degree = 0; degree <= most; ++degree) {
        longer.push_back(exponents);
        longer.back().push_back(degree);
      }
    }
    all = std::move(longer);
  }

  std::vector<double> scaled(const FitPoint& point) const {
    std::vector<double> at = point.at;
    for (std::size_t i = 0; i < at.size(); ++i) at[i] /= scale_[i];
    return at;
  }

  // None where the samples are too few or the function has a pole.
  std::optional<RationalFit> solve(const Exponents& numerator, const Exponents& denominator,
                                   std::span<const FitPoint> points) const {
    RationalFit fit;
    fit.numerator_degrees = numerator;
    fit.denominator_degrees = denominator;
    fit.terms = monomials(numerator, options_.max_total);
    fit.numerator_terms = fit.terms.size();
    std::vector<Exponents> below = monomials(denominator, options_.max_total);
    fit.terms.insert(fit.terms.end(), below.begin() + 1, below.end());
    const std::size_t terms = fit.terms.size();
    if (points.size() < terms) return std::nullopt;

    // numerator − value · (denominator − 1) = value, divided by the value; then again, divided by
    // the denominator that came out, which is what makes the errors those of the function.
    constexpr int kRounds = 2;
    std::vector<double> divisors(points.size(), 1);
    for (int round = 0; round < kRounds; ++round) {
      Matrix a(points.size(), terms);
      std::vector<double> b(points.size());
      for (std::size_t row = 0; row < points.size(); ++row) {
        const std::vector<double> at = scaled(points[row]);
        const double value = std::max(std::abs(points[row].value), 1e-9);
        for (std::size_t t = 0; t < terms; ++t) {
          const double m = monomial(at, fit.terms[t]) / divisors[row];
          a.at(row, t) = t < fit.numerator_terms ? m / value : -m * points[row].value / value;
        }
        b[row] = points[row].value / value / divisors[row];
      }
      const LeastSquares solved = solve_least_squares(a, b);
      fit.coefficients = solved.x;
      fit.rank = solved.rank;
      if (options_.positive) drop_negative(a, b, fit);
      if (terms == fit.numerator_terms) break;
      const std::span<const Exponents> lower(fit.terms.begin() + fit.numerator_terms,
                                             fit.terms.end());
      const std::span<const double> factors(fit.coefficients.begin() + fit.numerator_terms,
                                            fit.coefficients.end());
      if (!is_positive(lower, factors, box_)) return std::nullopt;
      for (std::size_t row = 0; row < points.size(); ++row) {
        const std::vector<double> at = scaled(points[row]);
        divisors[row] = 1;
        for (std::size_t t = 0; t < lower.size(); ++t) {
          divisors[row] += factors[t] * monomial(at, lower[t]);
        }
      }
    }
    return fit;
  }

  // Terms whose coefficient came out negative are left out, the most negative first.
  static void drop_negative(const Matrix& a, std::span<const double> b, RationalFit& fit) {
    std::vector<std::size_t> kept(a.columns());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    std::vector<double> x = fit.coefficients;
    while (!kept.empty() && std::ranges::min(x) < 0) {
      kept.erase(kept.begin() + (std::ranges::min_element(x) - x.begin()));
      Matrix fewer(a.rows(), kept.size());
      for (std::size_t i = 0; i < kept.size(); ++i) {
        std::ranges::copy(a.column(kept[i]), fewer.column(i).begin());
      }
      const LeastSquares solved = solve_least_squares(fewer, b);
      x = solved.x;
      fit.rank = solved.rank;
    }
    std::ranges::fill(fit.coefficients, 0.0);
    for (std::size_t i = 0; i < kept.size(); ++i) fit.coefficients[kept[i]] = x[i];
  }

  double value_of(const RationalFit& fit, const FitPoint& point) const {
    const std::vector<double> at = scaled(point);
    double above = 0;
    double below = 1;
    for (std::size_t t = 0; t < fit.terms.size(); ++t) {
      (t < fit.numerator_terms ? above : below) += fit.coefficients[t] * monomial(at, fit.terms[t]);
    }
    return above / below;
  }
  double error_of(const RationalFit& fit, const FitPoint& point) const {
    const double value = std::max(std::abs(point.value), 1e-9);
    return std::abs(value_of(fit, point) - point.value) / value;
  }

  // Errors where each group in turn is left out; none where a round has no fit.
  std::optional<HeldOut> cross_validate(const Exponents& numerator,
                                        const Exponents& denominator) const {
    std::set<std::uint32_t> groups;
    for (const FitPoint& point : points_) groups.insert(point.group);
    const std::size_t rounds = std::min(groups.size(), options_.max_rounds);
    const std::vector<std::uint32_t> order(groups.begin(), groups.end());
    // Two sizes leave one to fit, which tells nothing: the fewest terms that reach the samples win.
    if (rounds < 3) {
      const std::optional<RationalFit> fit = solve(numerator, denominator, points_);
      if (!fit) return std::nullopt;
      HeldOut found;
      for (const FitPoint& point : points_) found.add(error_of(*fit, point));
      return found;
    }
    HeldOut found;
    for (std::size_t round = 0; round < rounds; ++round) {
      std::vector<FitPoint> kept;
      std::vector<const FitPoint*> left_out;
      for (const FitPoint& point : points_) {
        const auto place =
            static_cast<std::size_t>(std::ranges::lower_bound(order, point.group) - order.begin());
        if (place % rounds == round) {
          left_out.push_back(&point);
        } else {
          kept.push_back(point);
        }
      }
      const std::optional<RationalFit> fit = solve(numerator, denominator, kept);
      if (!fit) return std::nullopt;
      for (const FitPoint* point : left_out) found.add(error_of(*fit, *point));
    }
    return found;
  }

  void finish(RationalFit& fit) const {
    std::vector<double> errors;
    for (const FitPoint& point : points_) errors.push_back(error_of(fit, point));
    fit.training = median_of(errors);
    fit.variables = variables_;
    for (std::size_t t = 0; t < fit.terms.size(); ++t) {
      for (std::size_t i = 0; i < variables_.size(); ++i) {
        fit.coefficients[t] /= std::pow(scale_[i], fit.terms[t][i]);
      }
    }
    std::string above = sum_text(fit, 0, fit.numerator_terms);
    if (above.empty()) above = "0";
    const std::string below = sum_text(fit, fit.numerator_terms, fit.terms.size());
    fit.text = below.empty() ? above : fmt::format("({}) / (1 + {})", above, below);
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      fit.degrees += fmt::format("{}{} {}/{}", i > 0 ? ", " : "", variables_[i],
                                 fit.numerator_degrees[i], fit.denominator_degrees[i]);
    }
  }

  std::string sum_text(const RationalFit& fit, std::size_t first, std::size_t last) const {
    std::string text;
    for (std::size_t t = first; t < last; ++t) {
      if (fit.coefficients[t] == 0) continue;
      std::string term = fmt::format("{:.9g}", fit.coefficients[t]);
      for (std::size_t i = 0; i < variables_.size(); ++i) {
        for (std::uint32_t k = 0; k < fit.terms[t][i]; ++k) term += " * " + variables_[i];
      }
      text += (text.empty() ? "" : " + ") + term;
    }
    return text;
  }

  std::vector<std::string> variables_;
  std::span<const FitPoint> points_;
  const FitOptions& options_;
  std::vector<std::size_t> distinct_;
  std::vector<double> scale_;
  std::vector<std::pair<double, double>> box_;  // scaled
  std::optional<RationalFit> best_;
  double best_mean_ = 0;
  std::size_t refused_ = 0;
};

}  // namespace

bool is_positive(std::span<const std::vector<std::uint32_t>> terms,
                 std::span<const double> coefficients,
                 std::span<const std::pair<double, double>> box) {
  // Bounds from below by monomials at the ends of the box, which is halved where that is not
  // enough. Values are not negative.
  constexpr int kMaxBoxes = 4000;
  // Relative to the constant 1; a smaller denominator counts as a pole.
  constexpr double kMinDenominator = 0.02;
  std::vector<std::vector<std::pair<double, double>>> open = {{box.begin(), box.end()}};
  for (int looked = 0; !open.empty(); ++looked) {
    if (looked > kMaxBoxes) return false;
    const std::vector<std::pair<double, double>> here = std::move(open.back());
    open.pop_back();
    std::vector<double> low(here.size());
    std::vector<double> high(here.size());
    for (std::size_t i = 0; i < here.size(); ++i) std::tie(low[i], high[i]) = here[i];
    double least = 1;
    double corner = 1;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      least += coefficients[t] * monomial(coefficients[t] > 0 ? low : high, terms[t]);
      corner += coefficients[t] * monomial(high, terms[t]);
    }
    if (least > kMinDenominator) continue;
    if (corner <= kMinDenominator) return false;  // a value, not a bound
    std::size_t widest = 0;
    for (std::size_t i = 1; i < here.size(); ++i) {
      if (high[i] - low[i] > high[widest] - low[widest]) widest = i;
    }
    if (here.empty() || high[widest] - low[widest] < 1e-6) return false;
    const double middle = (low[widest] + high[widest]) / 2;
    open.push_back(here);
    open.back()[widest].second = middle;
    open.push_back(here);
    open.back()[widest].first = middle;
  }
  return true;
}

double RationalFit::at(std::span<const double> values) const {
  double above = 0;
  double below = 1;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    (t < numerator_terms ? above : below) += coefficients[t] * monomial(values, terms[t]);
  }
  return above / below;
}

Result<RationalFit> fit_rational(std::vector<std::string> variables,
                                 std::span<const FitPoint> points, const FitOptions& options) {
  if (points.empty()) return Error{"there are no samples to fit"};
  for (const FitPoint& point : points) {
    if (!std::isfinite(point.value)) return Error{"a sample has no finite value"};
  }
  return Fitter(std::move(variables), points, options).best();
}

}  // namespace burin::model
