// What a search has asked for and been told. All parts of a search share one.
//
//   history.open(point);               // it will be measured
//   history.answer(point, 412.0);      // and was
//   history.unseen(random)             // a point nobody has asked for, each with equal probability
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tune/search/random.h"
#include "tune/space/space.h"

namespace burin::tune {

inline constexpr double kFailed = std::numeric_limits<double>::infinity();

struct Answer {
  Point point;
  double value = kFailed;  // lower is better
  double seconds = 0;      // what it cost to find out; 0 if unknown
  bool ok() const { return value < kFailed; }
};

class History {
 public:
  explicit History(const Space& space) : space_(&space) {}

  const Space& space() const { return *space_; }

  void open(const Point& point);
  void answer(const Point& point, double value, double seconds = 0);

  bool is_new(const Point& point) const { return !numbers_.contains(point); }
  std::optional<double> value(const Point& point) const;  // empty until it is answered

  std::span<const Answer> answers() const { return answers_; }  // in the order they came
  std::span<const Point> open_points() const { return open_; }
  std::size_t asked() const { return numbers_.size(); }
  bool exhausted() const { return numbers_.size() == space_->size(); }

  // The best answer; null if there is none, or none but failures.
  const Answer* best() const { return best_ == kNone ? nullptr : &answers_[best_]; }

  // A point that was never asked for; empty if there is none.
  std::optional<Point> unseen(Random& random);

 private:
  struct PointHash {
    std::size_t operator()(const Point& point) const {
      std::uint64_t hash = 0;
      for (const std::uint16_t value : point) hash = hash_combine(hash, value);
      return static_cast<std::size_t>(splitmix64(hash));
    }
  };
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  const Space* space_;
  std::unordered_map<Point, std::size_t, PointHash> numbers_;  // in answers_; kNone while open
  std::vector<Answer> answers_;
  std::vector<Point> open_;
  std::size_t best_ = kNone;
  std::vector<std::uint64_t> unseen_;  // once most were seen: indices of all that may be unseen
  bool listed_ = false;
};

}  // namespace burin::tune
