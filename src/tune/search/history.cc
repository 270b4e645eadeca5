#include "tune/search/history.h"

#include <algorithm>

namespace burin::tune {

void History::open(const Point& point) {
  numbers_.emplace(point, kNone);
  open_.push_back(point);
}

void History::answer(const Point& point, double value, double seconds) {
  // A point that nobody opened is one of an earlier session, or of a driver with ideas of its own.
  const auto [found, is_new] = numbers_.emplace(point, kNone);
  if (found->second != kNone) return;
  const auto opened = std::ranges::find(open_, point);
  if (opened != open_.end()) open_.erase(opened);
  if (!(value < kFailed)) value = kFailed;  // not a number is a failure too
  found->second = answers_.size();
  answers_.push_back({point, value, seconds});
  if (value < kFailed && (best_ == kNone || value < answers_[best_].value)) {
    best_ = answers_.size() - 1;
  }
}

std::optional<double> History::value(const Point& point) const {
  const auto found = numbers_.find(point);
  if (found == numbers_.end() || found->second == kNone) return std::nullopt;
  return answers_[found->second].value;
}

std::optional<Point> History::unseen(Random& random) {
  if (exhausted()) return std::nullopt;
  // As long as every other point is unseen, two draws find one on average.
  while (!listed_ && asked() <= space_->size() / 2) {
    Point point = space_->at(random.below(space_->size()));
    if (is_new(point)) return point;
  }
  if (!listed_) {
    for (std::uint64_t i = 0; i < space_->size(); ++i) {
      if (is_new(space_->at(i))) unseen_.push_back(i);
    }
    listed_ = true;
  }
  while (true) {
    const std::size_t drawn = random.below(unseen_.size());
    Point point = space_->at(unseen_[drawn]);
    if (is_new(point)) return point;
    unseen_[drawn] = unseen_.back();
    unseen_.pop_back();
  }
}

}  // namespace burin::tune
