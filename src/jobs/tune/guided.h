// The guided search as a part of `burin tune`: alone (--strategy guided), or to give another
// strategy its first points (--seed-with guided).
//
//   Guidance guidance(request, progress);
//   Result<std::vector<tune::Point>> first = guidance.first_points(target, index, run);
//
// Nothing is measured. docs/guided.md explains it.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "jobs/input/progress.h"
#include "jobs/tune/device.h"
#include "jobs/tune/target.h"
#include "jobs/tune/tune_kernel.h"

namespace burin::jobs {

inline constexpr std::string_view kGuidedStrategy = "guided";

// About what a trial of a short kernel takes on a GPU, compiled while others are measured.
inline constexpr double kGuidedSecondsPerTrial = 0.05;

// Values of --seed-with; "" chooses.
Result<void> check_seed_with(const TuneRequest& request);

// The blocks of a spec's launches are made of these tunables.
std::set<std::string> block_sizes_of(const tune::Spec& spec);

// Predicts what `builder` builds. The second form finds the machine of the device.
Guide make_guide(const TuneRequest& request, const machine::Machine& machine,
                 tune::Builder& builder);
Result<Guide> make_guide(const TuneRequest& request, const TuneDevice& device,
                         tune::Builder& builder);
Error unknown_machine(const std::string& gpu);
Error opencl_is_not_guided();

class Guidance {
 public:
  Guidance(const TuneRequest& request, const Progress& progress)
      : request_(request), progress_(progress) {}

  // The best configurations by prediction, best first; none if the run is not to be guided. Sets
  // `run.guided`. Must be called before the target's lab is asked for.
  Result<std::vector<tune::Point>> first_points(TuneTarget& target, std::size_t index,
                                                TunedRun& run);

  // The strategy that asks for them, and how many trials it makes.
  std::string strategy() const;
  std::optional<std::size_t> trials(std::size_t first_points) const;

 private:
  bool is_strategy() const { return request_.strategy == kGuidedStrategy; }
  // How long it may take; 0 if it is not worth it. What the user asked for may take any time.
  double limit_seconds(const TuneTarget& target, const TunedRun& run) const;

  const TuneRequest& request_;
  const Progress& progress_;
  std::map<std::string, GuidedRun> known_;  // by problem size: seeds of a replay share one
};

}  // namespace burin::jobs
