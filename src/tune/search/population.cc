#include "tune/search/population.h"

#include <algorithm>

#include "tune/search/moves.h"

namespace burin::tune {

std::vector<Point> first_population(Search& search, std::size_t count) {
  std::vector<Answer> known(search.history.answers().begin(), search.history.answers().end());
  keep_best(known, count / 2);
  std::vector<Point> population;
  for (Answer& answer : known) {
    if (answer.ok()) population.push_back(std::move(answer.point));
  }
  if (population.empty()) population = search.start();
  const std::size_t possible = std::min<std::uint64_t>(count, search.space().size());
  for (std::size_t draws = 0; population.size() < possible && draws < 16 * count; ++draws) {
    Point point = search.any();
    if (std::ranges::find(population, point) == population.end()) {
      population.push_back(std::move(point));
    }
  }
  return population;
}

Point renewed(Search& search, Point point) {
  constexpr int kMaxMutations = 4;
  for (int i = 0; i < kMaxMutations && !search.history.is_new(point); ++i) {
    point = mutated(search.space(), std::move(point), 1, search.random);
  }
  return point;
}

std::vector<Answer> joined(std::vector<Point> points, const std::vector<double>& values) {
  std::vector<Answer> population;
  for (std::size_t i = 0; i < points.size(); ++i) {
    population.push_back({.point = std::move(points[i]), .value = values[i]});
  }
  return population;
}

Answer best_of(const std::vector<Point>& points, const std::vector<double>& values) {
  const auto best = std::ranges::min_element(values) - values.begin();
  const auto number = static_cast<std::size_t>(best);
  return {.point = points[number], .value = values[number]};
}

void keep_best(std::vector<Answer>& population, std::size_t count) {
  std::ranges::stable_sort(population, [](const Answer& a, const Answer& b) {
    return a.value != b.value ? a.value < b.value : a.point < b.point;
  });
  const auto repeated = std::ranges::unique(population, {}, &Answer::point);
  population.erase(repeated.begin(), repeated.end());
  if (population.size() > count) population.resize(count);
}

}  // namespace burin::tune
