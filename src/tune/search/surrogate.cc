// Asks for the point that a model of the answers so far finds most promising.
#include "tune/search/proposer.h"
#include "tune/search/surrogate_model.h"

namespace burin::tune {
namespace {

class Surrogate : public Proposer {
 public:
  explicit Surrogate(const Proposing& proposing) : model_(proposing.history, proposing.seed) {}

  std::optional<Point> propose() override { return model_.propose(); }

 private:
  SurrogateModel model_;
};

}  // namespace

ProposerPtr make_surrogate(const Proposing& proposing) {
  return std::make_unique<Surrogate>(proposing);
}

}  // namespace burin::tune
