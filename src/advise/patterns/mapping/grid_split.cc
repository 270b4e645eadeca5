#include "advise/patterns/mapping/grid_split.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/lanes.h"
#include "advise/patterns/code/slack.h"
#include "advise/patterns/reductions/carried.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMaxWarpsPerSm = 12;  // per SM; fewer are too few to hide memory latency
// If more of the SMs have a block, there is little to gain, unless they have very few warps.
constexpr double kMaxUsedSms = 0.75;
constexpr double kFewWarpsPerSm = 6;
constexpr double kTargetWarpsPerSm = 32;  // target after the split
constexpr double kMinLoopWork = 0.7;      // of the issued instructions, in the loop
constexpr double kMinTripsOfPart = 16;    // iterations per part, or fewer …
constexpr double kMinIssued = 320;        // … if they have this many instructions in total
constexpr double kFullLanes = 0.9;        // lanes that leave the loop early have unequal work

// Whether lanes of a load are far apart: sharing rows among lanes is then the better change.
bool walks_apart(const Case& c, std::uint32_t loop) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.places.in_loop(i, loop) || !touches_global(c.at(i)) || c.accesses.empty()) continue;
    const AccessCount& count = c.accesses[i];
    if (count.ideal_sectors > 0 && count.sectors > 4 * count.ideal_sectors) return true;
  }
  return false;
}

bool stores_in(const Case& c, std::uint32_t loop) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (c.places.in_loop(i, loop) && c.executed(i) && touches_global(c.at(i)) &&
        c.at(i).opcode->stores) {
      return true;
    }
  }
  return false;
}

// Whether the loop loads from an array that it also stores to: an iteration may need the result of
// an earlier one.
bool may_read_own_results(const Case& c, std::uint32_t loop) {
  const Origins origins(c.kernel);
  std::set<std::uint32_t> loaded;
  std::set<std::uint32_t> stored;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.places.in_loop(i, loop) || !c.executed(i) || !touches_global(c.at(i))) continue;
    if (read::is_atomic(c.at(i))) continue;
    (c.at(i).opcode->stores ? stored : loaded).merge(origins.address_parameters(i));
  }
  return std::ranges::any_of(stored, [&](std::uint32_t p) { return loaded.contains(p); });
}

}  // namespace

std::optional<GridSplit> independent_loop(const Case& c) {
  if (c.study == nullptr) return std::nullopt;
  const Slack slack(c);
  double all = 0;
  for (const double issued : c.blamed.issued) all += issued;
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l) {
    if (c.kernel.loops[l].parent != read::kNoIndex || slack.has_barrier(l)) continue;
    double inside = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (c.places.in_loop(i, l)) inside += c.blamed.issued[i];
    }
    if (inside < kMinLoopWork * all) continue;
    const CarriedValues carried(c, l);
    if (!carried.only_reductions() || (carried.any() && stores_in(c, l))) continue;
    if (may_read_own_results(c, l)) continue;
    return GridSplit{.loop = l, .reduces = carried.any(), .chooses = carried.chooses()};
  }
  return std::nullopt;
}

std::optional<GridSplit> grid_split(const Case& c) {
  if (c.study == nullptr) return std::nullopt;
  const auto warps = static_cast<double>(c.grid.total() * ((c.block.total() + 31) / 32));
  GridSplit split{.warps_per_sm = warps / c.machine.sm.count};
  const double used = static_cast<double>(c.grid.total()) / c.machine.sm.count;
  if (split.warps_per_sm >= kMaxWarpsPerSm) return std::nullopt;
  if (used >= kMaxUsedSms && split.warps_per_sm > kFewWarpsPerSm) return std::nullopt;
  const Slack slack(c);
  const std::vector<LaneMean> lanes = lanes_of(*c.study);
  double all = 0;
  for (const double issued : c.blamed.issued) all += issued;
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l) {
    if (c.kernel.loops[l].parent != read::kNoIndex) continue;
    double inside = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (c.places.in_loop(i, l)) inside += c.blamed.issued[i];
    }
    if (inside < kMinLoopWork * all) continue;
    const std::uint32_t first = c.kernel.blocks[c.kernel.loops[l].header].first;
    const double iteration = inside / std::max(1.0, slack.issued(c.kernel.loops[l].header));
    const double least = std::clamp(std::ceil(kMinIssued / iteration), 1.0, kMinTripsOfPart);
    const double possible = std::floor(slack.trips(l) / least);
    if (possible < 2 || slack.has_barrier(l) || lanes[first].active < kFullLanes * 32 ||
        walks_apart(c, l))
      continue;
    const CarriedValues carried(c, l);
    if (!carried.only_reductions() || (carried.any() && stores_in(c, l))) continue;
    if (may_read_own_results(c, l)) continue;
    split.loop = l;
    split.reduces = carried.any();
    split.chooses = carried.chooses();
    // Short parts are worth it while SMs are idle.
    const double trips = slack.trips(l);
    const auto idle_sms = [&] { return split.parts * used < 1 && 2 * split.parts <= trips; };
    while ((split.parts * split.warps_per_sm < kTargetWarpsPerSm && 2 * split.parts <= possible) ||
           idle_sms()) {
      split.parts *= 2;
    }
    if (split.parts > 1) return split;
  }
  return std::nullopt;
}

}  // namespace burin::advise
