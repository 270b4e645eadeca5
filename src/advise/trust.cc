#include "advise/trust.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/format.h"

namespace burin {

namespace {

constexpr double kTimeAgrees = 0.2;    // |predicted - measured| / measured, at most
constexpr double kMixAgrees = 0.6;     // overlap of the two profiles' stalls, at least
constexpr double kMostUnknown = 0.25;  // of the emulated time
// No launch keeps a unit busy all the time: this is what burin's own streaming and arithmetic
// kernels come to.
constexpr double kMostBusy = 0.94;
constexpr double kSteadySamples = 30;  // matched samples that are worth half of all trust

// How alike the reasons are for which the samples and the emulator's warps wait: 1 is the same mix.
double mix_overlap(const BlamedProfile& blamed, const Prediction& prediction) {
  std::array<double, kStalls> sampled{};
  for (const BlamedStall& s : blamed.stalls) {
    sampled[static_cast<std::size_t>(s.stall)] += s.cycles.sum();
  }
  double overlap = 0;
  double stalled = 0;
  for (std::size_t s = 0; s < kStalls; ++s) {
    const double share = sampled[s] / blamed.total;
    stalled += share;
    overlap += std::min(share, prediction.stalls[s].sum() / prediction.warp_cycles);
  }
  return overlap + std::min(1 - stalled, prediction.issued / prediction.warp_cycles);
}

// The bounds, and what the emulated units were really busy with: rows missed, turns between reads
// and writes.
std::vector<Bound> reachable_bounds(const Study& study) {
  std::vector<Bound> all = bounds(study);
  const Prediction& p = study.base();
  for (std::size_t r = 0; r < kResources; ++r) {
    const std::string_view unit = name(static_cast<Resource>(r));
    all.push_back({std::string(unit), p.time_us * std::min(1.0, p.busy[r] / kMostBusy)});
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Bound::time_us);
  return all;
}

bool too_much_unknown(const Prediction& p) {
  return p.unknown_share > kMostUnknown;
}

// What the hardware is known to need at least. Where too much rests on Unknown values nothing is;
// and what is longer than the launch took cannot be.
std::vector<Bound> known_bounds(const Case& c, bool believed) {
  if (!believed && too_much_unknown(c.study->base())) return {};
  std::vector<Bound> all = reachable_bounds(*c.study);
  if (c.time_measured && c.time_us) {
    std::erase_if(all, [&](const Bound& b) { return !believed && b.time_us > *c.time_us; });
  }
  return all;
}

// How many times as long as the emulator thinks took what a match leaves. Where emulated and
// measured time differ, the samples tell whether that goes with the matched stalls or stays: their
// shares are held against the emulator's at the same instructions, for the same reasons.
double rest_ratio(const Case& c, const Match& match) {
  const Prediction& p = c.study->base();
  const double whole = *c.time_us / p.time_us;
  using Key = std::pair<std::uint32_t, Stall>;
  std::map<Key, double> all;
  std::map<Key, double> gone;
  for (const BlamedStall& s : c.blamed.stalls) all[{s.waits, s.stall}] += s.cycles.sum();
  for (const MatchedStall& m : match.stalls) {
    const BlamedStall& s = c.blamed.stalls[m.stall];
    gone[{s.waits, s.stall}] += s.cycles.sum() * m.weight;
  }
  double sampled = 0;
  double emulated = 0;
  for (const auto& [key, cycles] : gone) {
    sampled += cycles;
    const StallCycles& of = p.costs[key.first].stalls[static_cast<std::size_t>(key.second)];
    if (all[key] > 0) emulated += of.sum() * cycles / all[key];
  }
  const double left = 1 - emulated / p.warp_cycles;
  if (left <= 0) return std::min(1.0, whole);
  // No part was more wrong than that it alone explains it all.
  return std::clamp(whole * (1 - sampled / c.blamed.total) / left, std::min(1.0, whole),
                    std::max(1.0, whole));
}

}  // namespace

bool agrees(double emulated_us, double measured_us) {
  return std::abs(emulated_us / measured_us - 1) <= kTimeAgrees;
}

Belief belief_in_emulation(const Case& c) {
  if (c.study == nullptr) return {false, "there is nothing to emulate the launch with"};
  const Prediction& p = c.study->base();
  if (too_much_unknown(p)) {
    return {false, fmt::format("{:.0f} % of the emulated time rests on values that are not known",
                               100 * p.unknown_share)};
  }
  if (c.time_measured && c.time_us) {
    const double off = p.time_us / *c.time_us - 1;
    if (!agrees(p.time_us, *c.time_us)) {
      return {false, fmt::format("the emulated time is {:.0f} % {} than the measured one",
                                 100 * std::abs(off), off > 0 ? "longer" : "shorter")};
    }
  }
  if (c.blamed.source == BlamedProfile::Source::kEmulated || c.blamed.total <= 0) {
    return {true, "the launch was emulated again without the cause"};
  }
  const double overlap = mix_overlap(c.blamed, p);
  const bool agree = overlap >= kMixAgrees;
  return {agree, fmt::format("emulated and sampled stalls {} ({:.0f} % in common)",
                             agree ? "agree" : "differ", 100 * overlap)};
}

Grounds grounds_of(const Case& c) {
  Grounds grounds;
  if (c.blamed.source == BlamedProfile::Source::kSamples) grounds.samples = c.blamed.total;
  Belief belief = belief_in_emulation(c);
  grounds.emulation = belief.yes;
  grounds.why = std::move(belief.why);
  if (c.study == nullptr) return grounds;
  grounds.unknown_share = c.study->base().unknown_share;
  grounds.guessed = too_much_unknown(c.study->base());
  grounds.time_us = c.study->base().time_us;
  if (!grounds.emulation && c.time_measured && c.time_us) grounds.time_us = *c.time_us;
  grounds.bounds = known_bounds(c, grounds.emulation);
  return grounds;
}

std::optional<Roof> roof_of(const Grounds& grounds, const Match& match) {
  if (grounds.time_us <= 0) return std::nullopt;
  for (const Bound& bound : grounds.bounds) {  // the largest first
    // Whatever hides or removes a wait shortens the chain of waits.
    if (bound.name == "chain") continue;
    // The fullest SM's share: less work for a unit lowers it, other blocks spread it anew.
    if (bound.name == "tail" &&
        (!match.relieves.empty() || match.estimator == Estimator::kParallel)) {
      continue;
    }
    // Starting and ending the kernel: gone where its launch is.
    if (bound.name == "launch" && std::ranges::count(match.relieves, Resource::kDispatch) > 0) {
      continue;
    }
    const bool relieved = std::ranges::any_of(
        match.relieves, [&](Resource r) { return name(r) == std::string_view(bound.name); });
    if (relieved) continue;
    return Roof{std::max(1.0, grounds.time_us / bound.time_us), bound.name};
  }
  return std::nullopt;
}

void settle(const Case& c, const Grounds& grounds, const Match& match, Finding& finding) {
  const bool emulated = finding.speedup_emulated.has_value();
  const bool trusted = emulated && grounds.emulation;
  finding.speedup = trusted ? *finding.speedup_emulated : finding.speedup_paper;
  // Beside a measurement: what stays, as measured, and what changes, as emulated.
  if (trusted && grounds.samples > 0 && c.time_measured && !match.stalls.empty()) {
    const double faster = finding.speedup * *c.time_us / c.study->base().time_us;
    finding.speedup = std::max(std::min(1.0, finding.speedup), faster / rest_ratio(c, match));
  }
  if (trusted) {
    finding.trust = "the emulated estimate: " + grounds.why;
  } else if (emulated) {
    finding.trust = "the profile's estimate: " + grounds.why;
  } else if (match.estimator == Estimator::kGiven) {
    finding.trust = "computed from the launch itself";
  } else {
    const bool none = c.study == nullptr || grounds.guessed;
    finding.trust = "the profile's estimate: " +
                    (none ? grounds.why : std::string("this change cannot be emulated"));
  }
  // A launch of another shape was emulated whole: it keeps to the bounds by itself.
  const bool reshaped = trusted && match.estimator == Estimator::kParallel;
  const std::optional<Roof> roof = reshaped ? std::nullopt : roof_of(grounds, match);
  if (roof && finding.speedup > roof->speedup) {
    finding.speedup = roof->speedup;
    finding.trust += fmt::format("; held down to what {} allows", roof->name);
  }

  double sure = trusted || match.estimator == Estimator::kGiven ? 0.9 : 0.7;
  if (emulated) {
    const double low = std::min(*finding.speedup_emulated, finding.speedup_paper);
    const double high = std::max(*finding.speedup_emulated, finding.speedup_paper);
    sure *= 0.6 + 0.4 * low / high;
  }
  if (grounds.samples > 0) {
    const double seen = finding.share * grounds.samples;
    sure *= seen / (seen + kSteadySamples);
  }
  finding.confidence = sure * (1 - grounds.unknown_share);
}

}  // namespace burin
