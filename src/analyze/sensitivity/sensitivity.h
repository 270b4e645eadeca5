// Sensitivity of the launch's time to each resource's latency and throughput. Each is made slower
// by one step, alone, and the launch is replayed. The share of a resource is (ΔT/T) / (ΔX/X): 1
// where the time is proportional to it, 0 where it does not matter.
//
// Replays are noisy, and the effect of a small step disappears in the noise. Every resource that
// the launch uses is therefore replayed with a step of 20 %. Resources with the largest potential
// are replayed alone. The others are replayed in groups, and the rows of a group that slows the
// launch down are replayed alone. Every row whose share may be worth naming is replayed again, with
// other warp starts and a step of 12 %, until it is precise or the time is used up
// (share_sampling.h). explain takes at most about 8 times as long as a prediction.
//
//   dram    throughput   58 %   loop at 41-44 51 %, code at 12-20 4 %, interaction 3 %
//   l2      latency      12 %
//   issue   throughput    7 %
//
// Shares need not add up to 1: if two resources interact, either of the two may matter on its
// own, or only both together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analyze/code/regions.h"
#include "analyze/study/change.h"
#include "analyze/study/study.h"

namespace burin::analyze {

struct RegionShare {
  std::size_t region = 0;  // index into Regions::list
  double share = 0;        // fraction of the whole launch's time
  std::vector<RegionShare> inside{};
  double interaction = 0;  // share minus the sum of the shares inside
};

struct Sensitivity {
  machine::Resource resource = machine::Resource::kIssue;
  Mode mode = Mode::kLatency;
  double share = 0;               // `measured`, at least 0 and at most 1
  double measured = 0;            // mean of the samples
  double uncertainty = 0;         // standard deviation of the share, from replay noise
  std::vector<double> samples{};  // from replays of this row alone, …
  std::vector<double> steps{};    // … each with this step
  bool replayed = false;          // false: share is 0 because the launch hardly uses the resource
  std::vector<RegionShare> regions{};  // if requested and the share is large enough
  double interaction = 0;              // share minus the sum over the regions
};

struct SensitivityOptions {
  double step = 0.2;  // 0.2: 20 % slower; negative: faster
};
inline constexpr double kSmallerStep = 0.6;  // of the step; a share is the mean for both, …
inline constexpr double kLargerStep = 1.5;   // … or, where replays are noisy, from steps so large

// Returns one row for each resource and mode, largest share first.
std::vector<Sensitivity> sensitivities(const Study& study, const SensitivityOptions& options = {});

// Splits rows with a large enough share over the regions: the change is confined to each region in
// turn, and regions with a large part of the share are split further. The parts come from light
// replays (study.h) and are scaled to the share of the whole row.
void split_over_regions(const Study& study, const Regions& regions,
                        const SensitivityOptions& options, std::span<Sensitivity> rows);

// Returns the number of leading rows whose shares are equal within 15 %, or within their
// uncertainties: they cannot be ranked.
std::size_t near_ties(std::span<const Sensitivity> rows);

}  // namespace burin::analyze
