// A bandit over strategies, as in OpenTuner: each arm proposes points, all learn from all answers,
// and the next slot goes to the arm whose proposals improved the best answer lately, or that was
// seldom tried.
//
// The credit of an arm is the area under the curve of its improvements: over its last proposals, a
// new best counts more the more recent it is. All arms but the model begin with a number of
// failures: a run may be as short as ten trials, and nothing else is as good then.
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <vector>

#include "tune/search/proposer.h"
#include "tune/search/real.h"
#include "tune/search/surrogate_model.h"

namespace burin::tune {
namespace {

constexpr std::size_t kWindow = 50;    // proposals of an arm that count
constexpr std::size_t kHandicap = 10;  // failures with which all but the first arm begin
constexpr double kExploration = 0.05;  // weight of having been seldom tried

// The most promising point of all.
class ModelArm : public Proposer {
 public:
  explicit ModelArm(SurrogateModel& model) : model_(model) {}
  std::optional<Point> propose() override { return model_.propose(); }

 private:
  SurrogateModel& model_;
};

// Local search that the model leads: the neighbour of the best point that should be the best; of
// the second best, when all of its neighbours were tried; and so on.
class DescentArm : public Proposer {
 public:
  DescentArm(const History& history, SurrogateModel& model) : history_(history), model_(model) {}

  std::optional<Point> propose() override {
    if (!model_.ready()) return std::nullopt;
    const std::span<const Answer> answers = history_.answers();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].ok()) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return answers[i].value; });
    for (const std::size_t i : order) {
      std::optional<Point> point =
          model_.best_of(history_.space().neighbours(answers[i].point, Neighbourhood::kAnyValue));
      if (point) return point;
    }
    return std::nullopt;
  }

 private:
  const History& history_;
  SurrogateModel& model_;
};

class Ensemble : public Proposer {
 public:
  explicit Ensemble(const Proposing& proposing)
      : history_(proposing.history), model_(proposing.history, proposing.seed) {
    arms_.push_back({std::make_unique<ModelArm>(model_)});
    const std::deque<bool> failures(kHandicap, false);
    arms_.push_back({std::make_unique<DescentArm>(history_, model_), failures});
    Proposing own = proposing;
    for (const auto make : {make_annealing, make_genetic}) {
      own.seed = splitmix64(own.seed + kGoldenRatio);
      arms_.push_back({make(own), failures});
    }
  }

  std::optional<Point> propose() override {
    give_credit();
    std::vector<std::size_t> order(arms_.size());
    for (std::size_t a = 0; a < order.size(); ++a) order[a] = a;
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t a) { return merit(a); });
    for (const std::size_t a : order) {
      std::optional<Point> point = arms_[a].proposer->propose();
      if (!point) continue;
      open_.push_back({*point, a});
      return point;
    }
    return std::nullopt;
  }

 private:
  struct Arm {
    ProposerPtr proposer;
    std::deque<bool> improved{};  // by its last proposals, the oldest first
  };
  struct Slot {
    Point point;
    std::size_t arm;
  };

  void give_credit() {
    for (; seen_ < history_.answers().size(); ++seen_) {
      const Answer& answer = history_.answers()[seen_];
      const bool improved = answer.value < best_;
      if (improved) best_ = answer.value;
      const auto slot = std::ranges::find(open_, answer.point, &Slot::point);
      if (slot == open_.end()) continue;
      std::deque<bool>& window = arms_[slot->arm].improved;
      window.push_back(improved);
      if (window.size() > kWindow) window.pop_front();
      open_.erase(slot);
    }
  }

  double merit(std::size_t a) const {
    const std::deque<bool>& window = arms_[a].improved;
    const auto proposals = static_cast<double>(window.size());
    if (window.empty()) return kFailed;
    double area = 0;
    for (std::size_t i = 0; i < window.size(); ++i) {
      if (window[i]) area += static_cast<double>(i + 1);
    }
    area /= proposals * (proposals + 1) / 2;
    const double answers = static_cast<double>(seen_) + 1;
    return area + kExploration * std::sqrt(2 * real_log(answers) / proposals);
  }

  History& history_;
  SurrogateModel model_;
  std::vector<Arm> arms_;
  std::vector<Slot> open_;
  std::size_t seen_ = 0;  // answers that were credited
  double best_ = kFailed;
};

}  // namespace

ProposerPtr make_ensemble(const Proposing& proposing) {
  return std::make_unique<Ensemble>(proposing);
}

}  // namespace burin::tune
