// Which resource the time follows, and whether its latency or its throughput: each is made slower
// by a step, alone, and the launch replayed. The share of a resource is (ΔT/T) / (ΔX/X): 1 where
// the time follows it fully, 0 where it does not matter.
//
//   dram    throughput   58 %   loop at 41-44 51 %, code at 12-20 4 %, interaction 3 %
//   l2      latency      12 %
//   issue   throughput    7 %
//
// Shares need not add up to 1: where two resources are in each other's way, either alone, or only
// both together may matter.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analyze/change.h"
#include "analyze/regions.h"
#include "analyze/study.h"

namespace burin::analyze {

struct RegionShare {
  std::size_t region = 0;  // in Regions::list
  double share = 0;        // of the whole launch's time
  std::vector<RegionShare> inside{};
  double interaction = 0;  // its share, less what those inside add up to
};

struct Sensitivity {
  machine::Resource resource = machine::Resource::kIssue;
  Mode mode = Mode::kLatency;
  double share = 0;
  double uncertainty = 0;              // a standard deviation of the share, by chance
  bool replayed = false;               // else it is 0 since the launch hardly uses it
  std::vector<RegionShare> regions{};  // where they were asked for and the share is large enough
  double interaction = 0;              // share, less what the regions add up to
};

struct SensitivityOptions {
  double step = 0.1;  // 0.1: 10 % slower. Below 0: faster
};

// For all resources and both modes, the largest share first.
std::vector<Sensitivity> sensitivities(const Study& study, const SensitivityOptions& options = {});

// Splits the rows whose share is worth it over the regions: the change is confined to each in turn,
// and regions that have a large part of it are divided further.
void split_over_regions(const Study& study, const Regions& regions,
                        const SensitivityOptions& options, std::span<Sensitivity> rows);

// The standard deviation of the largest shares: chance has a part in every replay (study.h).
double uncertainty(const Study& study, const SensitivityOptions& options);

// How many rows from the first on are so close to it that it cannot be said which one limits.
std::size_t near_ties(std::span<const Sensitivity> rows);

}  // namespace burin::analyze
