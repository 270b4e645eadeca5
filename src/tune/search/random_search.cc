// Random search without replacement.
#include "tune/search/proposer.h"

namespace burin::tune {
namespace {

class RandomSearch : public Proposer {
 public:
  explicit RandomSearch(const Proposing& proposing)
      : history_(proposing.history), random_(proposing.seed) {}

  std::optional<Point> propose() override { return history_.unseen(random_); }

 private:
  History& history_;
  Random random_;
};

}  // namespace

ProposerPtr make_random(const Proposing& proposing) {
  return std::make_unique<RandomSearch>(proposing);
}

}  // namespace burin::tune
