// Consecutive launches that pass data through memory: a fused kernel would keep it in registers.
//
// Fusion saves the traffic of the buffers that are passed on, one write and one read. The time of a
// launch is assumed to be proportional to the bytes of its buffers, so launches that are known not
// to be memory-bound are left out.
#include <algorithm>

#include "advise/rules/all.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"

namespace burin::advise {

namespace {

constexpr double kFarApart_us = 50;
constexpr double kBusy = 0.4;  // utilisation of DRAM or L2 from which a launch is memory-bound

// A buffer may be a memory pool. No launch moves more than the memory system can in its time.
double moved(const NeighbourLaunch& launch, double bytes_per_us, std::uint64_t bytes) {
  return std::min(static_cast<double>(bytes), bytes_per_us * launch.time_us);
}

double all_moved(const NeighbourLaunch& launch, double bytes_per_us) {
  double sum = 0;
  for (const AddressRange& buffer : launch.buffers)
    sum += moved(launch, bytes_per_us, buffer.bytes);
  return sum;
}

std::uint64_t threads(const NeighbourLaunch& launch) {
  return launch.grid.total() * launch.block.total();
}

class KernelFusion final : public Rule {
  std::string_view id() const override { return "kernel-fusion"; }
  std::string_view summary() const override {
    return "consecutive launches that pass data through global memory";
  }

  std::vector<Match> match(const Case& c) const override {
    if (c.neighbours == nullptr || !bound_by_data(c)) return {};
    const std::vector<NeighbourLaunch>& all = c.neighbours->launches;
    const auto passes = [&](std::size_t k) {
      const double gap = all[k + 1].start_us - (all[k].start_us + all[k].time_us);
      return gap < kFarApart_us && passed(all[k], all[k + 1]) > 0 &&
             threads(all[k]) == threads(all[k + 1]);
    };
    std::size_t first = c.neighbours->at;
    std::size_t last = c.neighbours->at;
    while (first > 0 && passes(first - 1)) --first;
    while (last + 1 < all.size() && passes(last)) ++last;
    if (first == last) return {};
    return {of(c, first, last)};
  }

  static bool bound_by_data(const Case& c) {
    if (c.prediction() == nullptr) return true;
    const auto busy = [&](machine::Resource r) {
      return c.prediction()->busy[static_cast<std::size_t>(r)];
    };
    return std::max(busy(machine::Resource::kDram), busy(machine::Resource::kL2)) >= kBusy;
  }

  static Match of(const Case& c, std::size_t first, std::size_t last) {
    const std::vector<NeighbourLaunch>& all = c.neighbours->launches;
    const double rate = c.machine.dram.bandwidth / (c.machine.seconds(1) * 1e6);  // bytes in a us
    double time = 0;
    double saved = 0;
    for (std::size_t k = first; k <= last; ++k) {
      const double bytes = all_moved(all[k], rate);
      double unneeded = 0;
      if (k > first) unneeded += moved(all[k], rate, passed(all[k - 1], all[k]));
      if (k < last) unneeded += moved(all[k], rate, passed(all[k], all[k + 1]));
      time += all[k].time_us;
      if (bytes > 0) saved += all[k].time_us * std::min(0.95, unneeded / bytes);
    }
    Match match;
    match.estimator = Estimator::kGiven;
    match.speedup = time / std::max(time - saved, 0.05 * time);
    // Bounds of a single launch do not apply to several launches.
    for (std::size_t r = 0; r < machine::kResources; ++r) {
      match.relieves.push_back(static_cast<machine::Resource>(r));
    }
    match.text = fmt::format(
        "{} consecutive launches ({} to {}, {} in total) pass their results through global memory "
        "and are memory-bound.",
        with_commas(last - first + 1), short_name(all[first].kernel), short_name(all[last].kernel),
        time_text(time));
    match.hint = fmt::format(
        "Fuse them into one kernel: compute the result of {} where {} uses it, and keep it in "
        "registers.",
        short_name(all[last - 1].kernel), short_name(all[last].kernel));
    return match;
  }
};

}  // namespace

const Rule* kernel_fusion() {
  static const KernelFusion rule;
  return &rule;
}

}  // namespace burin::advise
