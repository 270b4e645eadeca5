// The part of a strategy that decides: what point to try next, given the history. A strategy has
// one; the ensemble has several that share its history.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tune/search/history.h"
#include "tune/search/random.h"

namespace burin::tune {

// What proposers are made from. The history outlives them.
struct Proposing {
  History& history;
  std::uint64_t seed = 0;
  std::size_t ahead = 1;  // points that are measured at once
};

class Proposer {
 public:
  virtual ~Proposer() = default;

  // A new point of the space (History::is_new). Empty if the proposer must wait for the answer to
  // an open point, or has nothing to propose any more.
  virtual std::optional<Point> propose() = 0;
};

using ProposerPtr = std::unique_ptr<Proposer>;

// One for each strategy, each in its own file.
ProposerPtr make_exhaustive(const Proposing& proposing);
ProposerPtr make_random(const Proposing& proposing);
ProposerPtr make_local(const Proposing& proposing);
ProposerPtr make_annealing(const Proposing& proposing);
ProposerPtr make_genetic(const Proposing& proposing);
ProposerPtr make_differential(const Proposing& proposing);
ProposerPtr make_swarm(const Proposing& proposing);
ProposerPtr make_surrogate(const Proposing& proposing);
ProposerPtr make_ensemble(const Proposing& proposing);

}  // namespace burin::tune
