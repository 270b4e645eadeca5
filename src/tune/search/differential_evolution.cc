// Differential evolution: a member is challenged by a point that is the best one plus the
// difference of two others in some parameters, moved to a valid point.
#include <cmath>

#include "tune/search/moves.h"
#include "tune/search/population.h"
#include "tune/search/procedure.h"

namespace burin::tune {
namespace {

constexpr std::size_t kMembers = 16;
constexpr double kWeight = 0.8;     // of the difference
constexpr double kCrossover = 0.7;  // share of the parameters that change

Procedure differential_evolution(Search& search) {
  std::vector<Point> first = first_population(search, kMembers);
  const std::vector<double> first_values = co_await search.values_of(first);
  std::vector<Answer> population = joined(std::move(first), first_values);
  while (true) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < population.size(); ++i) {
      if (population[i].value < population[best].value) best = i;
    }
    std::vector<Point> challengers;
    for (const Answer& member : population) {
      // Between the best and another member: every second challenger explores.
      const std::size_t base =
          search.random.chance(0.5) ? best : search.random.below(population.size());
      const Point& from = population[base].point;
      const Point& plus = population[search.random.below(population.size())].point;
      const Point& minus = population[search.random.below(population.size())].point;
      std::vector<double> wanted(member.point.begin(), member.point.end());
      for (std::size_t p = 0; p < wanted.size(); ++p) {
        if (!search.random.chance(kCrossover)) continue;
        const double difference = static_cast<double>(plus[p]) - static_cast<double>(minus[p]);
        wanted[p] = static_cast<double>(from[p]) + kWeight * difference;
      }
      Point challenger = towards(search.space(), member.point, wanted, search.random);
      challengers.push_back(renewed(search, std::move(challenger)));
    }
    const std::vector<double> values = co_await search.values_of(challengers);
    for (std::size_t i = 0; i < population.size(); ++i) {
      if (values[i] <= population[i].value)
        population[i] = {.point = challengers[i], .value = values[i]};
    }
  }
}

}  // namespace

ProposerPtr make_differential(const Proposing& proposing) {
  return std::make_unique<ProcedureProposer>(proposing, differential_evolution);
}

}  // namespace burin::tune
