// A search that follows the bottleneck of each configuration, after the model-driven search of the
// SAAKE paper (section 5, Algorithms 2 and 3). It measures nothing.
//
//   Result<Guided> found = guided_search(space, axes, examiner, {});
//   found->best()->point, found->best()->examined.time_us
//   found->path[0].text
//     "dram latency limits it at 128 threads (busy 41 %): tile_y 1 → 4 keeps it busier"
//
// From the current configuration it tries a unit stride along each axis, then moves:
//
//   latency-bound      along the axis that raises the bottleneck's utilization most, by the least
//                      factor that extrapolates it to 1
//   throughput-bound   to the configuration with the least traffic to the bottleneck among those
//                      that keep the occupancy below which its latency would show
//
// until a lower level of occupancy is no better than the one before. The print of the algorithms
// has slips; what is meant is done here:
//
//   - Algorithm 2 never assigns `curr`; each step starts from where the one before ended.
//   - Algorithm 3 extrapolates from U_GM; the utilization of the bottleneck is meant, whatever it
//   is.
//   - `olist` counts k × blocks for k < threads; it is k blocks of so many threads that are
//   resident.
//   - Algorithm 1's utilization counts a resource as used while any of its results is in flight,
//   which
//     is 1 for any chain of dependent accesses. Here it is the share of the time for which the
//     resource is busy: accesses times gap (Examined::utilization).
//   - When Algorithm 2 stops it returns the best of the occupancy level before; here it is the best
//     of all that were examined.
//
// Where the emulator has shown something better, it is done instead (bench/guided has the figures):
//
//   - A stride that makes the bottleneck busier and the kernel slower has added work, not
//     concurrency (accesses that are no longer coalesced): it is not taken.
//   - The ladder of occupancies needs no emulation: warps_needed() follows from the bounds.
//   - Switches (texts and booleans, which have no direction) are tried first, one after the other:
//     whether a transpose stages its tiles in shared memory matters more than the size of a tile.
//     They are tried again where the path ends. Where a restriction excludes one (interleaved
//     copies, while there is one copy), another parameter is changed with it.
//   - Following the bottleneck takes at most a part of the examinations. The others go to a
//     surrogate of the predicted times that knows all configurations examined so far: a bottleneck
//     says what to do next, and cannot say which of two neighbours near the optimum is the faster
//     one. It also gets a few points far from the path, and asks for four at a time, which are
//     compiled and predicted at once.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/guided/axes.h"
#include "model/guided/examined.h"
#include "tune/space/space.h"

namespace burin::model {

struct GuidedOptions {
  std::size_t most = 60;               // configurations examined, each of which is compiled
  std::optional<tune::Point> start{};  // none: plain_point()
  double following = 0.5;              // the share of `most` that may go to following bottlenecks
  std::uint32_t registers_per_sm = 65536;
  std::uint64_t seed = 0;  // of the surrogate
  std::function<bool()> interrupted{};
  std::function<void(std::size_t examined, double best_us)> progress{};
};

struct GuidedTrial {
  tune::Point point{};
  Examined examined{};
};

// A decision of the search, in words, and the configuration to which it led.
struct GuidedMove {
  std::size_t trial = 0;  // index of Guided::trials
  std::string text{};
};

struct Guided {
  std::vector<GuidedTrial> trials{};  // in the order in which they were examined
  std::vector<GuidedMove> path{};     // the first is the start

  // Those that work, the one with the least Examined::expected_us() first.
  std::vector<const GuidedTrial*> ranked() const;
  const GuidedTrial* best() const;  // null if none works
};

// The Error of the examiner, if it has one.
Result<Guided> guided_search(const tune::Space& space, const std::vector<Axis>& axes,
                             Examiner& examiner, const GuidedOptions& options);

}  // namespace burin::model
