// Every point, in the order of the space.
#include "tune/search/proposer.h"

namespace burin::tune {
namespace {

class Exhaustive : public Proposer {
 public:
  explicit Exhaustive(const Proposing& proposing) : history_(proposing.history) {}

  std::optional<Point> propose() override {
    while (next_ < history_.space().size()) {
      Point point = history_.space().at(next_++);
      if (history_.is_new(point)) return point;
    }
    return std::nullopt;
  }

 private:
  History& history_;
  std::uint64_t next_ = 0;
};

}  // namespace

ProposerPtr make_exhaustive(const Proposing& proposing) {
  return std::make_unique<Exhaustive>(proposing);
}

}  // namespace burin::tune
