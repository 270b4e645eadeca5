// The emulator's causes as a BlamedProfile.
#include <algorithm>

#include "advise/blame/awaited.h"
#include "advise/blame/blame.h"
#include "advise/blame/dependency.h"
#include "advise/blame/paths.h"

namespace burin::advise {
namespace {

// The sum of the causes may differ from the total by rounding.
constexpr double kRounding = 1e-9;

bool only_after_read(const read::Kernel& kernel, std::uint32_t cause, std::uint32_t waits) {
  bool read = false;
  for (const read::Dependence& d : kernel.dependences_of(waits)) {
    if (d.producer != cause) continue;
    if (d.kind == read::Dependence::Kind::kScoreboardWrite) return false;
    read |= d.kind == read::Dependence::Kind::kScoreboardRead;
  }
  return read;
}

launch::StallCycles remainder(const launch::StallCycles& whole, const launch::StallCycles& part) {
  const double least = kRounding * whole.sum();
  const auto left = [&](double of, double taken) { return of - taken > least ? of - taken : 0; };
  return {left(whole.active, part.active), left(whole.latency, part.latency)};
}

}  // namespace

BlamedProfile blame(const read::Kernel& kernel, const timing::Prediction& prediction) {
  BlamedProfile blamed{
      .source = BlamedProfile::Source::kEmulated, .coverage_before = 1, .coverage_after = 1};
  BlamePaths paths(kernel);
  const std::size_t count = prediction.costs.size();
  blamed.issued.resize(count);
  std::vector<std::array<launch::StallCycles, launch::kStalls>> found(count);
  std::vector<timing::Blame> blames = prediction.blames;
  std::ranges::sort(blames, {}, &timing::Blame::waits);
  std::uint32_t towards = read::kNoIndex;
  for (const timing::Blame& each : blames) {
    if (search_of(each.stall) == BlameSearch::kOwn) continue;
    if (towards != each.waits) paths.towards(towards = each.waits);
    found[each.waits][static_cast<std::size_t>(each.stall)] += each.cycles;
    const std::uint32_t cause =
        each.stall == launch::Stall::kWait ? awaited(kernel, each.cause, each.waits) : each.cause;
    const std::uint32_t distance = search_of(each.stall) == BlameSearch::kBefore
                                       ? distance_of_awaited(kernel, cause, each.waits)
                                   : cause == each.waits ? 0
                                                         : paths.from(cause).longest;
    const bool after_read = search_of(each.stall) == BlameSearch::kScoreboard &&
                            only_after_read(kernel, cause, each.waits);
    blamed.stalls.push_back(
        {.cause = cause,
         .waits = each.waits,
         .stall = each.stall,
         .dependency = dependency_of(kernel.instructions[cause], each.stall, after_read),
         .cycles = each.cycles,
         .distance = distance});
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    blamed.issued[i] = prediction.costs[i].issued;
    for (std::size_t s = 0; s < launch::kStalls; ++s) {
      const launch::StallCycles left = remainder(prediction.costs[i].stalls[s], found[i][s]);
      if (left.sum() <= 0) continue;
      blamed.stalls.push_back(uncaused(i, static_cast<launch::Stall>(s), left));
    }
  }
  settle(blamed);
  return blamed;
}

}  // namespace burin::advise
