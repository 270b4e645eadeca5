// What a guided search has examined so far, and what it may still examine.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/guided/search.h"

namespace burin::model {

inline constexpr double kNeverEnds = std::numeric_limits<double>::infinity();

class Journal {
 public:
  Journal(Examiner& examiner, const GuidedOptions& options, Guided& guided)
      : examiner_(examiner), options_(options), guided_(guided) {}

  // None: nothing more may be examined.
  std::optional<std::size_t> look(const tune::Point& point) {
    if (const auto known = numbers_.find(point); known != numbers_.end()) return known->second;
    if (spent(options_.most)) return std::nullopt;
    Result<Examined> examined = examiner_.examine(point);
    if (!examined) {
      error_ = examined.error();
      return std::nullopt;
    }
    const std::size_t number = guided_.trials.size();
    guided_.trials.push_back({point, std::move(*examined)});
    numbers_.emplace(point, number);
    if (options_.progress) {
      const GuidedTrial* best = guided_.best();
      options_.progress(number + 1, best == nullptr ? kNeverEnds : best->examined.time_us);
    }
    return number;
  }

  // The compiler may work on all of these while the first is examined.
  void expect(const std::vector<tune::Point>& points) {
    for (const tune::Point& point : points) {
      if (!numbers_.contains(point)) examiner_.expect(point);
    }
  }

  bool spent(std::size_t most) const {
    return error_ || guided_.trials.size() >= std::min(most, options_.most) ||
           (options_.interrupted && options_.interrupted());
  }
  const Examined& at(std::size_t number) const { return guided_.trials[number].examined; }
  const tune::Point& point(std::size_t number) const { return guided_.trials[number].point; }
  double time_of(std::size_t number) const {
    return at(number).works() ? at(number).time_us : kNeverEnds;
  }
  std::optional<std::size_t> best() const {
    const GuidedTrial* best = guided_.best();
    if (best == nullptr) return std::nullopt;
    return static_cast<std::size_t>(best - guided_.trials.data());
  }
  void moved(std::size_t number, std::string text) {
    guided_.path.push_back({number, std::move(text)});
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  Examiner& examiner_;
  const GuidedOptions& options_;
  Guided& guided_;
  std::map<tune::Point, std::size_t> numbers_;
  std::optional<Error> error_;
};

}  // namespace burin::model
