#include "tune/search/procedure.h"

#include <algorithm>

namespace burin::tune {

bool Search::needs_no_answer() {
  constexpr std::size_t kMaxIdlePoints = 64;
  const bool known = std::ranges::all_of(
      awaited_, [&](const Point& point) { return history.value(point).has_value(); });
  if (known) idle_ += awaited_.size();
  if (known && idle_ <= kMaxIdlePoints) return true;
  if (known) {
    const std::optional<Point> unseen = history.unseen(random);
    if (unseen) wanted_.push_back(*unseen);
  }
  for (const Point& point : awaited_) {
    if (history.is_new(point)) wanted_.push_back(point);
  }
  idle_ = 0;
  return false;
}

std::vector<double> Search::awaited_values() const {
  std::vector<double> values;
  values.reserve(awaited_.size());
  for (const Point& point : awaited_) values.push_back(history.value(point).value_or(kFailed));
  return values;
}

std::optional<Point> ProcedureProposer::propose() {
  while (!search_.history.exhausted()) {
    while (!search_.wanted_.empty()) {
      Point point = std::move(search_.wanted_.front());
      search_.wanted_.pop_front();
      if (search_.history.is_new(point)) return point;
    }
    const bool answered = std::ranges::all_of(search_.awaited_, [&](const Point& point) {
      return search_.history.value(point).has_value();
    });
    if (!answered) return std::nullopt;
    if (procedure_.done()) return search_.history.unseen(search_.random);
    procedure_.resume();
  }
  return std::nullopt;
}

}  // namespace burin::tune
