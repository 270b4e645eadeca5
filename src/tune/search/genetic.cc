// A genetic algorithm: parents are chosen by tournament, children cross them and mutate, and the
// best of parents and children live on.
#include <algorithm>

#include "tune/search/moves.h"
#include "tune/search/population.h"
#include "tune/search/procedure.h"

namespace burin::tune {
namespace {

constexpr std::size_t kPopulation = 16;
constexpr double kMutation = 0.6;  // of the children; each in one parameter

Procedure genetic(Search& search) {
  std::vector<Point> first = first_population(search, kPopulation);
  const std::vector<double> first_values = co_await search.values_of(first);
  std::vector<Answer> population = joined(std::move(first), first_values);
  while (true) {
    const auto parent = [&]() -> const Point& {
      const std::size_t a = search.random.below(population.size());
      const std::size_t b = search.random.below(population.size());
      return population[population[a].value <= population[b].value ? a : b].point;
    };
    std::vector<Point> children;
    for (std::size_t i = 0; i < kPopulation; ++i) {
      const Point& one = parent();  // in this order, with every compiler
      const Point& other = parent();
      Point child = crossed(search.space(), one, other, search.random);
      if (search.random.chance(kMutation)) {
        child = mutated(search.space(), std::move(child), 1, search.random);
      }
      children.push_back(renewed(search, std::move(child)));
    }
    const std::vector<double> values = co_await search.values_of(children);
    for (Answer& child : joined(std::move(children), values)) {
      population.push_back(std::move(child));
    }
    keep_best(population, kPopulation);
  }
}

}  // namespace

ProposerPtr make_genetic(const Proposing& proposing) {
  return std::make_unique<ProcedureProposer>(proposing, genetic);
}

}  // namespace burin::tune
