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

  // Points that need not wait for each other's answers; those that the budget leaves are examined.
  // None: it was not.
  std::vector<std::optional<std::size_t>> look(const std::vector<tune::Point>& points) {
    std::vector<tune::Point> fresh;
    for (const tune::Point& point : points) {
      if (numbers_.contains(point) || spent(options_.most - fresh.size())) continue;
      numbers_.emplace(point, guided_.trials.size() + fresh.size());
      fresh.push_back(point);
    }
    if (!fresh.empty()) examine(fresh);
    std::vector<std::optional<std::size_t>> found;
    for (const tune::Point& point : points) {
      const auto known = numbers_.find(point);
      const bool examined = known != numbers_.end() && known->second < guided_.trials.size();
      found.push_back(examined ? std::optional(known->second) : std::nullopt);
    }
    return found;
  }
  std::optional<std::size_t> look(const tune::Point& point) {
    return look(std::vector<tune::Point>{point}).front();
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
  double expected_of(std::size_t number) const {
    return at(number).works() ? at(number).expected_us() : kNeverEnds;
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
  void examine(const std::vector<tune::Point>& points) {
    Result<std::vector<Examined>> examined = examiner_.examine(points);
    if (!examined) {
      error_ = examined.error();
      return;
    }
    for (std::size_t k = 0; k < points.size(); ++k) {
      guided_.trials.push_back({points[k], std::move((*examined)[k])});
    }
    if (!options_.progress) return;
    const GuidedTrial* best = guided_.best();
    options_.progress(guided_.trials.size(), best == nullptr ? kNeverEnds : best->examined.time_us);
  }

  Examiner& examiner_;
  const GuidedOptions& options_;
  Guided& guided_;
  std::map<tune::Point, std::size_t> numbers_;
  std::optional<Error> error_;
};

}  // namespace burin::model
