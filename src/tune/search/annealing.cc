// Simulated annealing: a random neighbour is taken if it is better, and if it is worse with a
// probability that falls with the loss and over time. Losses are relative, so that one temperature
// serves kernels of every duration.
#include <cmath>

#include "tune/search/moves.h"
#include "tune/search/population.h"
#include "tune/search/procedure.h"
#include "tune/search/real.h"

namespace burin::tune {
namespace {

constexpr double kHot = 0.5;       // a loss of 50 % is taken with probability 1 / e at first
constexpr double kCold = 0.005;    // the walk restarts from the best, hot again, below this
constexpr double kCooling = 0.96;  // per step

Procedure simulated_annealing(Search& search) {
  while (true) {
    const std::vector<Point> first = search.start();
    const std::vector<double> first_values = co_await search.values_of(first);
    Answer here = best_of(first, first_values);
    double temperature = kHot;
    while (temperature > kCold) {
      std::vector<Point> steps;
      for (std::size_t i = 0; i < search.ahead; ++i) {
        steps.push_back(mutated(search.space(), here.point, 1, search.random));
      }
      const std::vector<double> values = co_await search.values_of(steps);
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const double loss = here.ok() ? (values[i] - here.value) / std::abs(here.value) : -1;
        if (loss <= 0 || search.random.chance(real_exp(-loss / temperature))) {
          here = {.point = steps[i], .value = values[i]};
        }
        temperature *= kCooling;
      }
    }
  }
}

}  // namespace

ProposerPtr make_annealing(const Proposing& proposing) {
  return std::make_unique<ProcedureProposer>(proposing, simulated_annealing);
}

}  // namespace burin::tune
