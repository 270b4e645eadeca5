// The list of strategies, and the frame that is common to them.
#include <algorithm>
#include <array>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "tune/search/proposer.h"
#include "tune/search/strategy.h"

namespace burin::tune {
namespace {

using Make = ProposerPtr (*)(const Proposing&);

constexpr std::array<std::pair<StrategyKind, Make>, 9> kStrategies{{
    {{"ensemble", "a bandit over the best of the others (default)"}, make_ensemble},
    {{"surrogate", "points that a model of the answers so far predicts to be fast"},
     make_surrogate},
    {{"local", "iterated local search"}, make_local},
    {{"annealing", "simulated annealing"}, make_annealing},
    {{"genetic", "genetic algorithm"}, make_genetic},
    {{"differential", "differential evolution"}, make_differential},
    {{"swarm", "particle swarm optimisation"}, make_swarm},
    {{"random", "random search without replacement"}, make_random},
    {{"exhaustive", "every configuration, in order"}, make_exhaustive},
}};

// First the points that were given, then those of the proposer, and unseen ones where it has none.
class ProposingStrategy : public Strategy {
 public:
  ProposingStrategy(const Space& space, const SearchOptions& options, Make make)
      : history_(space), random_(splitmix64(options.seed)), first_(options.first) {
    proposer_ = make({history_, options.seed, std::max<std::size_t>(1, options.ahead)});
    std::erase_if(first_, [&](const Point& point) { return !space.contains(point); });
    std::ranges::reverse(first_);
  }

  std::optional<Point> ask() override {
    std::optional<Point> point = next();
    if (point) history_.open(*point);
    return point;
  }

  void tell(const Point& point, double objective, double seconds) override {
    history_.answer(point, objective, seconds);
  }

  bool finished() const override { return history_.exhausted(); }

 private:
  std::optional<Point> next() {
    if (history_.exhausted()) return std::nullopt;
    while (!first_.empty()) {
      Point point = std::move(first_.back());
      first_.pop_back();
      if (history_.is_new(point)) return point;
      started_ = false;
    }
    // The proposer begins with all answers to the points that were given.
    if (!started_ && history_.asked() > 0 && !history_.open_points().empty()) return std::nullopt;
    started_ = true;
    std::optional<Point> point = proposer_->propose();
    if (point || !history_.open_points().empty()) return point;
    return history_.unseen(random_);
  }

  History history_;
  Random random_;
  std::vector<Point> first_;  // the last one comes first
  ProposerPtr proposer_;
  bool started_ = false;
};

}  // namespace

std::span<const StrategyKind> strategies() {
  static const auto kinds = [] {
    std::array<StrategyKind, kStrategies.size()> list;
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = kStrategies[i].first;
    return list;
  }();
  return kinds;
}

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const Space& space,
                                                const SearchOptions& options) {
  std::vector<std::string> names;
  for (const auto& [kind, make] : kStrategies) {
    if (kind.name == name) {
      return std::unique_ptr<Strategy>(std::make_unique<ProposingStrategy>(space, options, make));
    }
    names.emplace_back(kind.name);
  }
  const std::string close = closest(name, names);
  return Error{fmt::format("unknown strategy '{}': {}", name,
                           close.empty() ? "choose one of " + list_of(names, names.size())
                                         : "did you mean " + close + "?"),
               Exit::kUsage};
}

}  // namespace burin::tune
