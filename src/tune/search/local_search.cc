// Iterated local search: descend to a point that no neighbour beats, change a few parameters of the
// best such point at random, and descend again.
#include <algorithm>

#include "tune/search/moves.h"
#include "tune/search/population.h"
#include "tune/search/procedure.h"

namespace burin::tune {
namespace {

constexpr std::size_t kKicksPerStart = 8;  // without improvement, then from a random point again

Procedure iterated_local_search(Search& search) {
  std::vector<Point> first = search.start();
  while (true) {
    const std::vector<double> first_values = co_await search.values_of(first);
    Answer best = best_of(first, first_values);
    Answer here = best;
    for (std::size_t kicks = 0; kicks < kKicksPerStart; ++kicks) {
      // To the first neighbour found that is better, until there is none.
      bool better = true;
      while (better) {
        better = false;
        std::vector<Point> neighbours =
            search.space().neighbours(here.point, Neighbourhood::kAnyValue);
        search.random.shuffle(neighbours);
        for (std::size_t i = 0; i < neighbours.size() && !better; i += search.ahead) {
          const std::size_t end = std::min(i + search.ahead, neighbours.size());
          const std::vector<Point> batch(neighbours.begin() + static_cast<std::ptrdiff_t>(i),
                                         neighbours.begin() + static_cast<std::ptrdiff_t>(end));
          const std::vector<double> values = co_await search.values_of(batch);
          const Answer next = best_of(batch, values);
          better = next.value < here.value;
          if (better) here = next;
        }
      }
      if (here.value < best.value) {
        best = here;
        kicks = 0;
      }
      here.point = mutated(search.space(), best.point, 2 + search.random.below(2), search.random);
      here.value = co_await search.value_of(here.point);
    }
    first = {search.any()};
  }
}

}  // namespace

ProposerPtr make_local(const Proposing& proposing) {
  return std::make_unique<ProcedureProposer>(proposing, iterated_local_search);
}

}  // namespace burin::tune
