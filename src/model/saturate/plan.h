// What `burin saturate` measures, from a spec: which sizes, which configurations, how much work.
//
//   Result<SizePlan> plan = plan_sizes(spec, {.vary = SizeRange{"n", 1024, 65536, 2}});
//   plan->varied, plan->sizes            "n", {n=1024} … {n=65536}; the last one is the target
//   Result<WorkUnits> work = WorkUnits::of(spec, std::nullopt, plan->varied);
//   work->at(names)                      2.1e9
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/saturate/sizes.h"
#include "tune/spec.h"

namespace burin::model {

struct PlanOptions {
  std::optional<SizeRange> vary{};                               // instead of what the spec says
  std::optional<std::pair<std::string, std::int64_t>> target{};  // NAME, value
};

struct SizePlan {
  std::string varied{};                 // the name that differs between the sizes
  std::vector<formula::Names> sizes{};  // ascending; the last one is the target

  std::int64_t value(std::size_t size) const;  // of the varied name
};

// The sizes come from `vary`, else from [saturation] from and to, else from the sizes of [problem],
// which must differ in one name. The Error says how to give them.
Result<SizePlan> plan_sizes(const tune::Spec& spec, const PlanOptions& options);

// Units of work of a configuration at a size.
class WorkUnits {
 public:
  // `given`, else [saturation] work, else the objective if it is a rate (inversely proportional to
  // time_us), else the varied size.
  static Result<WorkUnits> of(const tune::Spec& spec, const std::optional<std::string>& given,
                              const std::string& varied);

  // `names` of a configuration: sizes, tunables, derived names. An Error if it is not positive.
  Result<double> at(const formula::Names& names) const;

  const std::string& text() const { return expression_.text(); }  // "2*n*n*n"
  // Of work per second: "GFLOP/s" of the objective; "" if the work is an expression of the user.
  const std::string& unit() const { return unit_; }
  bool is_assumed() const { return assumed_; }  // nothing said what the work is

 private:
  formula::Expression expression_{};
  std::string unit_{};
  bool from_objective_ = false;
  bool assumed_ = false;
};

// The configuration to measure unless the user names one: that of the spec's [saturation]; else
// the one that launches the blocks of [reference], where that is the tuned kernel itself; else the
// first of the space. Coarsening and unrolling are off as far as the space allows.
Result<tune::Point> default_point(const tune::Spec& spec, const formula::Names& size,
                                  const tune::Space& space);

// `base` with the values of "A=1,B=2".
Result<tune::Point> changed_point(const tune::Space& space, const tune::Point& base,
                                  const std::string& text);

// The number of original threads that one thread of a configuration does the work of.
std::int64_t thread_coarsening(const tune::Space& space, const tune::Point& point);

struct CoarsenedPoint {
  std::int64_t factor = 1;
  tune::Point point;
};
// For each factor of thread coarsening above 1, ascending, a valid configuration that differs from
// `base` in nothing else. Empty if the space has no such axis.
std::vector<CoarsenedPoint> coarsened_points(const tune::Space& space, const tune::Point& base);

}  // namespace burin::model
