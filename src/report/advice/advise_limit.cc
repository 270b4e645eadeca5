// What limits a launch, without changing anything.
#include <algorithm>

#include "base/format.h"
#include "base/numbers.h"
#include "machine/timing_class.h"
#include "report/advice/advise.h"
#include "report/launch/explain.h"

namespace burin::report {
namespace {

constexpr double kFull = 0.6;   // of the time: a unit that needs so much of it limits
constexpr double kChain = 0.5;  // … and one warp's chain of waits

// In the order of Stall.
constexpr std::string_view kStallWords[launch::kStalls] = {
    "memory dependency (long_scoreboard)",
    "shared memory or MUFU dependency (short_scoreboard)",
    "fixed-latency dependency (wait)",
    "block barrier (barrier)",
    "math pipe busy (math_pipe_throttle)",
    "MIO queue full (mio_throttle)",
    "local/global queue full (lg_throttle)",
    "ready but not selected (not_selected)",
    "instruction fetch (no_instruction)",
    "branch resolution (branch_resolving)",
    "dispatch stall (dispatch_stall)",
    "constant cache miss (imc_miss)",
    "memory fence (membar)",
    "nanosleep (sleeping)",
    "store drain at exit (drain)",
    "warpgroup MMA (gmma)",
    "other (misc)",
};

// The bound of a unit with the largest time; null where none is a unit's.
const analyze::Bound* fullest(const std::vector<analyze::Bound>& bounds, machine::Resource& of) {
  for (const analyze::Bound& bound : bounds) {
    for (std::size_t r = 0; r < machine::kResources; ++r) {
      of = static_cast<machine::Resource>(r);
      if (machine::name(of) == bound.name) return &bound;
    }
  }
  return nullptr;
}

std::string most_waited(const advise::BlamedProfile& blamed) {
  std::array<double, launch::kStalls> sums{};
  for (const advise::BlamedStall& stall : blamed.stalls) {
    sums[static_cast<std::size_t>(stall.stall)] += stall.cycles.sum();
  }
  const auto most = std::ranges::max_element(sums);
  if (blamed.total <= 0 || *most <= 0) return "";
  return fmt::format("top stall: {}, {} of warp time", kStallWords[most - sums.begin()],
                     percent(*most / blamed.total));
}

std::string as_sentence(std::string text) {
  if (text.empty()) return text;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

}  // namespace

std::string limit_sentence(const advise::Case& c, const std::vector<analyze::Bound>& bounds) {
  const std::string waits = most_waited(c.blamed);
  const std::string behind = waits.empty() ? "" : "; " + waits;
  const timing::Prediction* p = c.prediction();
  machine::Resource unit = machine::Resource::kIssue;
  const analyze::Bound* const most = fullest(bounds, unit);
  if (p == nullptr || most == nullptr || p->time_us <= 0) return as_sentence(waits);
  const double share = most->time_us / p->time_us;
  if (share >= kFull) {
    return as_sentence(
        fmt::format("limited by {} throughput: its lower bound is {}, {} of the predicted time{}",
                    words_of(unit), time_text(most->time_us), percent(share), behind));
  }
  const auto chain = std::ranges::find(bounds, "chain", &analyze::Bound::name);
  if (chain != bounds.end() && chain->time_us >= kChain * p->time_us) {
    return as_sentence(
        fmt::format("latency-bound: the dependency chain of one warp alone takes {}, {} of the "
                    "predicted time{}",
                    time_text(chain->time_us), percent(chain->time_us / p->time_us), behind));
  }
  return as_sentence(fmt::format("no unit is saturated (busiest: {}, {} of the predicted time){}",
                                 words_of(unit), percent(share), behind));
}

}  // namespace burin::report
