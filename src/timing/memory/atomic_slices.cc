#include "timing/memory/atomic_slices.h"

#include <algorithm>
#include <cmath>

namespace burin::timing {

namespace {

// Standard deviations by which the fullest of many slices exceeds the mean by chance.
constexpr double kFullestDeviations = 2;

// Cycles of an L2 slice for the atomics of a request. `same`: all blocks have the same address.
double slice_cycles(const Request& request, bool same, const machine::Machine& machine) {
  const AtomicPasses& p = request.passes;
  const double each = machine.l2.atomic_gap;
  const double parts = p.alone + p.other;
  const double turns =
      same || request.collisions > 1 ? request.collisions * machine.l2.atomic_real : 0;
  switch (p.operation) {
    case AtomicPasses::Operation::kF32:
      return std::max(parts * each + p.full * machine.l2.atomic_full, turns);
    case AtomicPasses::Operation::kF64:
      return std::max((parts + p.full) * machine.l2.atomic_wide, turns);
    case AtomicPasses::Operation::kSwap:
      return p.alone * each + (p.other + p.full) * machine.l2.atomic_wide;
    case AtomicPasses::Operation::kInteger:
      break;
  }
  return parts * each + p.full * machine.l2.atomic_full;
}

std::uint64_t lines_of(double bytes) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / kLineBytes);
}

bool follows_from_index(const Strides& s) {
  return s.kind == Strides::Kind::kAffine || s.kind == Strides::Kind::kDrifting;
}

}  // namespace

AtomicSlices::AtomicSlices(const machine::Machine& machine, const StrideTable& strides)
    : strides_(strides),
      passes_(std::max<std::size_t>(1, static_cast<std::size_t>(machine.l2.slices))),
      slice_lines_(lines_of(machine.l2.slice_interleave)),
      stretch_lines_(lines_of(machine.l2.slice_stretch)) {}

void AtomicSlices::restart() {
  std::fill(passes_.begin(), passes_.end(), 0.0);
  all_passes_ = most_passes_ = all_free_ = 0;
}

std::size_t AtomicSlices::slice_of(std::uint64_t line) const {
  const std::uint64_t stretch = line / stretch_lines_;
  const std::uint64_t pairs = std::max<std::uint64_t>(1, passes_.size() / 2);
  return (stretch ^ stretch >> 7) % pairs * 2 % passes_.size() +
         (passes_.size() > 1 ? line / slice_lines_ % 2 : 0);
}

void AtomicSlices::count(std::uint64_t line, double passes) {
  double& here = passes_[slice_of(line)];
  here += passes;
  all_passes_ += passes;
  most_passes_ = std::max(most_passes_, here);
}

// The number of slices that work at the same time, from the distribution of the SMs' atomics over
// the slices: the fullest slice limits it. SMs that move from slice to slice together drift apart,
// since one that waited at a slice arrives later at the next. For irregular addresses the sampled
// addresses of this SM are not enough, and the extent of all addresses counts too.
double AtomicSlices::concurrent_slices(const AtomicRequest& atomic, double passes,
                                       const machine::Machine& machine) {
  const Strides& s = strides_.of[atomic.instruction];
  count(atomic.line, passes);
  if (follows_from_index(s)) {
    const std::int64_t own = s.shift(atomic.requester.own);
    for (const BlockStep& step : atomic.requester.others) {
      const std::int64_t lines = (s.shift(step) - own) / static_cast<std::int64_t>(kLineBytes);
      count(atomic.line + static_cast<std::uint64_t>(lines), passes);
    }
  }
  // Minus the excess that chance alone explains.
  const double most =
      most_passes_ - kFullestDeviations * std::sqrt(most_passes_ * machine.l2.atomic_gap);
  const auto limited = [&](double slices) { return std::clamp(slices, 1.0, machine.l2.slices); };
  const double seen = limited(all_passes_ / std::max(most, 1e-9));
  if (s.kind != Strides::Kind::kIrregular) return seen;
  const double stretches =
      static_cast<double>(s.high - s.low) / static_cast<double>(stretch_lines_ * kLineBytes);
  return std::sqrt(seen * limited(2 * stretches));
}

AtomicSlices::Turn AtomicSlices::take(double now, const AtomicRequest& atomic,
                                      const machine::Machine& machine) {
  const double all = static_cast<double>(atomic.requester.others.size() + 1);
  const Strides& s = strides_.of[atomic.instruction];
  const Request& request = atomic.request;
  const double passes =
      slice_cycles(request, s.kind == Strides::Kind::kSame, machine) / request.lines;
  const double lanes = static_cast<double>(request.lanes) / request.lines;
  Turn turn{.begin = std::max(now, all_free_), .cycles = all * passes / machine.l2.slices};
  const double sent = lanes / machine.l2.atomic_bandwidth;
  const double slices = concurrent_slices(atomic, passes, machine);
  turn.busy = all * std::max(passes / slices, sent);
  all_free_ = turn.begin + turn.busy;
  return turn;
}

}  // namespace burin::timing
