// The bottleneck of a launch and its top stall.
#include <algorithm>

#include "base/format.h"
#include "base/numbers.h"
#include "report/advice/advise.h"
#include "report/launch/limit_sentence.h"

namespace burin::report {
namespace {

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

}  // namespace

std::string limit_text(const advise::Case& c, const analyze::Limits& limits) {
  const std::string waits = most_waited(c.blamed);
  if (limits.rows.empty()) return waits.empty() ? "" : capital(waits) + ".";
  return limit_sentence(limits) + (waits.empty() ? "" : " " + capital(waits) + ".");
}

}  // namespace burin::report
