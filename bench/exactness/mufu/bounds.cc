#include "mufu/bounds.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace burin {
namespace {

using Number = long double;

constexpr Number kBox = 1e9L;      // no coefficient is larger
constexpr Number kSlack = 1e-12L;  // what rounding may break
constexpr std::size_t kFirstRows = 32;
constexpr std::size_t kAddedRows = 12;

// a · x ≤ b
struct HalfSpace {
  std::vector<Number> a;
  Number b = 0;
};

Number dot(const std::vector<Number>& a, const std::vector<Number>& x) {
  Number sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * x[k];
  return sum;
}

std::optional<std::vector<Number>> maximise_one(const std::vector<HalfSpace>& halves,
                                                Number objective) {
  Number low = -kBox;
  Number high = kBox;
  for (const HalfSpace& h : halves) {
    if (std::fabs(h.a[0]) < 1e-18L) {
      if (h.b < -kSlack) return std::nullopt;
    } else if (h.a[0] > 0) {
      high = std::min(high, h.b / h.a[0]);
    } else {
      low = std::max(low, h.b / h.a[0]);
    }
  }
  if (low > high + kSlack * std::max<Number>(1, std::fabs(low))) return std::nullopt;
  return std::vector<Number>{objective >= 0 ? high : low};
}

// The point of all half-spaces furthest along `objective`, found by adding one after the other (in
// random order, after Seidel): where the point so far breaks the next, the new one lies on that
// one's edge, which is the same problem with one unknown less.
std::optional<std::vector<Number>> maximise(std::vector<HalfSpace> halves,
                                            const std::vector<Number>& objective,
                                            std::mt19937& random) {
  const std::size_t unknowns = objective.size();
  if (unknowns == 1) return maximise_one(halves, objective[0]);
  std::ranges::shuffle(halves, random);
  std::vector<Number> best(unknowns);
  for (std::size_t k = 0; k < unknowns; ++k) best[k] = objective[k] >= 0 ? kBox : -kBox;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const HalfSpace& edge = halves[i];
    if (dot(edge.a, best) <= edge.b + kSlack) continue;
    const auto largest =
        std::ranges::max_element(edge.a, {}, [](Number value) { return std::fabs(value); });
    const auto gone = static_cast<std::size_t>(largest - edge.a.begin());
    if (std::fabs(*largest) < 1e-18L) return std::nullopt;
    // On the edge the unknown `gone` is a function of the others.
    const auto without = [&](const std::vector<Number>& a) {
      std::vector<Number> rest;
      for (std::size_t k = 0; k < unknowns; ++k)
        if (k != gone) rest.push_back(a[k] - a[gone] / *largest * edge.a[k]);
      return rest;
    };
    std::vector<HalfSpace> inside;
    for (std::size_t j = 0; j < i; ++j) {
      inside.push_back({without(halves[j].a), halves[j].b - halves[j].a[gone] / *largest * edge.b});
    }
    const auto on_edge = maximise(std::move(inside), without(objective), random);
    if (!on_edge) return std::nullopt;
    Number rest = edge.b;
    for (std::size_t k = 0, from = 0; k < unknowns; ++k) {
      if (k == gone) continue;
      best[k] = (*on_edge)[from++];
      rest -= edge.a[k] * best[k];
    }
    best[gone] = rest / *largest;
  }
  return best;
}

Number value_at(const Row& row, const Coefficients& c) {
  return c[0] * row.basis[0] + c[1] * row.basis[1] + c[2] * row.basis[2];
}

}  // namespace

CurveBounds::CurveBounds(const std::vector<Row>& rows) : rows_(&rows) {
  const std::size_t first = std::min(kFirstRows, rows.size());
  for (std::size_t i = 0; i < first; ++i) active_.push_back(i * (rows.size() - 1) / (first - 1));
}

void CurveBounds::fix(std::size_t coefficient, long double value) {
  fixed_[coefficient] = value;
}

std::optional<Interval> CurveBounds::of(std::size_t coefficient) {
  const auto high = furthest(coefficient, true);
  const auto low = furthest(coefficient, false);
  if (!low || !high) return std::nullopt;
  return Interval{(*low)[coefficient], (*high)[coefficient]};
}

std::optional<Coefficients> CurveBounds::furthest(std::size_t coefficient, bool up) {
  std::mt19937 random(1);
  for (;;) {
    std::vector<HalfSpace> halves;
    std::vector<Number> objective;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!fixed_[k]) objective.push_back(k != coefficient ? 0 : up ? 1 : -1);
    }
    for (const std::size_t i : active_) {
      const Row& row = (*rows_)[i];
      HalfSpace below{{}, row.upper};
      HalfSpace above{{}, -row.lower};
      for (std::size_t k = 0; k < 3; ++k) {
        if (fixed_[k]) {
          below.b -= *fixed_[k] * row.basis[k];
          above.b += *fixed_[k] * row.basis[k];
        } else {
          below.a.push_back(row.basis[k]);
          above.a.push_back(-row.basis[k]);
        }
      }
      halves.push_back(std::move(below));
      halves.push_back(std::move(above));
    }
    const auto found = maximise(std::move(halves), objective, random);
    if (!found) return std::nullopt;
    Coefficients c{};
    for (std::size_t k = 0, from = 0; k < 3; ++k) c[k] = fixed_[k] ? *fixed_[k] : (*found)[from++];
    if (add_broken(c) == 0) return c;
  }
}

// Of the rows that `c` breaks, the worst and some others are looked at from now on.
std::size_t CurveBounds::add_broken(const Coefficients& c) {
  constexpr Number kBroken = 1e-7L;
  std::vector<std::pair<Number, std::size_t>> broken;
  for (std::size_t i = 0; i < rows_->size(); ++i) {
    const Row& row = (*rows_)[i];
    const Number value = value_at(row, c);
    const Number by = std::max(row.lower - value, value - row.upper);
    if (by > kBroken) broken.emplace_back(by, i);
  }
  std::ranges::sort(broken, std::greater<>{});
  const std::size_t step = std::max<std::size_t>(1, broken.size() / kAddedRows);
  for (std::size_t i = 0; i < broken.size(); i += step) active_.push_back(broken[i].second);
  return broken.size();
}

}  // namespace burin
