// A search strategy: it asks for points and is told what they are worth. It sees the space and the
// answers, never a kernel, a device or a model.
//
//   std::unique_ptr<Strategy> search = make_strategy("ensemble", space, {.seed = 7});
//   while (std::optional<Point> point = search->ask()) search->tell(*point, objective_of(*point));
//
// A strategy is deterministic: the same seed, the same answers in the same order, and the same
// number of points asked for ahead of their answers give the same points. A session is therefore
// resumed by answering from its recorded trials.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tune/space/space.h"

namespace burin::tune {

class Strategy {
 public:
  virtual ~Strategy() = default;

  // The next point to measure; never one that was asked for before. Empty when every point of the
  // space was asked for, or when the strategy needs an answer first (see finished()).
  virtual std::optional<Point> ask() = 0;

  // The objective of a point: lower is better, infinite if it failed. Answers come in the order in
  // which the points were asked for; up to SearchOptions::ahead points may be open at once.
  // `seconds` is what the trial cost, compiling and measuring; 0 if it is not known. Of two points
  // that promise the same, a strategy may then prefer the one that is tried sooner.
  virtual void tell(const Point& point, double objective, double seconds = 0) = 0;

  // True if ask() will never return a point again.
  virtual bool finished() const = 0;
};

struct SearchOptions {
  std::uint64_t seed = 0;
  std::size_t ahead = 1;       // points asked for before the first of them is answered
  std::vector<Point> first{};  // tried first, in this order: given by the user or by a model
  std::optional<std::size_t>
      budget{};  // the number of points that will be measured, if it is known
};

struct StrategyKind {
  std::string_view name;     // "ensemble"
  std::string_view summary;  // for --help
};
std::span<const StrategyKind> strategies();

// A usage Error, with the closest name, if there is no such strategy.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const Space& space,
                                                const SearchOptions& options);

}  // namespace burin::tune
