#include "advise/blame/blame.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "advise/blame/dependency.h"

namespace burin::advise {

double BlamedProfile::total_of(std::uint32_t instruction) const {
  if (instruction < totals.size()) return totals[instruction];
  double sum = issued[instruction];
  for (const BlamedStall& stall : stalls)
    if (stall.waits == instruction) sum += stall.cycles.sum();
  return sum;
}

double BlamedProfile::blamed_on(std::uint32_t instruction) const {
  double sum = 0;
  for (const BlamedStall& stall : stalls)
    if (stall.cause == instruction) sum += stall.cycles.sum();
  return sum;
}

namespace {

// Merges stalls with the same cause, waiting instruction and reason; the largest comes first.
void merge(std::vector<BlamedStall>& stalls) {
  const auto place = [](const BlamedStall& s) {
    return std::tuple(s.waits, s.cause, s.stall, s.dependency);
  };
  std::ranges::sort(stalls, {}, place);
  std::size_t kept = 0;
  for (std::size_t k = 1; k < stalls.size(); ++k) {
    if (place(stalls[k]) == place(stalls[kept])) {
      stalls[kept].cycles += stalls[k].cycles;
    } else {
      stalls[++kept] = stalls[k];
    }
  }
  if (!stalls.empty()) stalls.resize(kept + 1);
  std::ranges::sort(stalls, [&](const BlamedStall& a, const BlamedStall& b) {
    if (a.cycles.sum() != b.cycles.sum()) return a.cycles.sum() > b.cycles.sum();
    return place(a) < place(b);
  });
}

}  // namespace

void settle(BlamedProfile& profile) {
  merge(profile.stalls);
  merge(profile.unpruned);
  profile.active = std::accumulate(profile.issued.begin(), profile.issued.end(), 0.0);
  profile.total = profile.active + profile.unattributed;
  profile.totals = profile.issued;
  for (const BlamedStall& stall : profile.stalls) {
    profile.totals[stall.waits] += stall.cycles.sum();
    profile.active += stall.cycles.active;
    profile.total += stall.cycles.sum();
  }
}

namespace {

struct Waiting {
  std::uint32_t waits;
  launch::Stall stall;
  auto operator<=>(const Waiting&) const = default;
};
struct Causes {
  double sum = 0;
  std::map<std::uint32_t, double> by_cause;
};

std::map<Waiting, Causes> by_waiting(const BlamedProfile& profile) {
  std::map<Waiting, Causes> all;
  for (const BlamedStall& stall : profile.stalls) {
    if (stall.dependency == Dependency::kOwn) continue;
    // Samples show barrier waits where the warp has arrived, which the emulator does not model.
    const bool placed = search_of(stall.stall) != BlameSearch::kSynchronization;
    Causes& causes = all[{placed ? stall.waits : read::kNoIndex, stall.stall}];
    causes.sum += stall.cycles.sum();
    // An unknown cause never equals another cause, known or unknown.
    if (stall.has_cause()) causes.by_cause[stall.cause] += stall.cycles.sum();
  }
  return all;
}

}  // namespace

BlameAgreement compare(const BlamedProfile& first, const BlamedProfile& second) {
  const std::map<Waiting, Causes> mine = by_waiting(first);
  const std::map<Waiting, Causes> others = by_waiting(second);
  double all = 0;
  double compared = 0;
  double same = 0;
  for (const auto& [waiting, causes] : mine) {
    all += causes.sum;
    const auto other = others.find(waiting);
    if (other == others.end() || causes.sum <= 0 || other->second.sum <= 0) continue;
    compared += causes.sum;
    double overlap = 0;
    for (const auto& [cause, weight] : causes.by_cause) {
      const auto found = other->second.by_cause.find(cause);
      if (found == other->second.by_cause.end()) continue;
      overlap += std::min(weight / causes.sum, found->second / other->second.sum);
    }
    same += overlap * causes.sum;
  }
  return {compared > 0 ? same / compared : 0, all > 0 ? compared / all : 0};
}

}  // namespace burin::advise
