#include "advise/case/trust.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "advise/case/rework.h"
#include "base/format.h"
#include "timing/code/timed_code.h"

namespace burin::advise {

namespace {

constexpr double kTimeAgrees = 0.2;        // |predicted - measured| / measured, at most
constexpr double kMixAgrees = 0.6;         // overlap of the two profiles' stalls, at least
constexpr double kMaxUnknownShare = 0.25;  // of the emulated time
// No launch keeps a unit busy all of the time. burin's own streaming and arithmetic kernels reach
// this utilisation.
constexpr double kMaxBusy = 0.94;
constexpr double kSteadySamples = 30;  // matched samples that give half of the full confidence

// Overlap of the stall reasons in the samples and in the emulation. 1: the same mix.
double mix_overlap(const BlamedProfile& blamed, const timing::Prediction& prediction) {
  std::array<double, launch::kStalls> sampled{};
  for (const BlamedStall& s : blamed.stalls) {
    sampled[static_cast<std::size_t>(s.stall)] += s.cycles.sum();
  }
  double overlap = 0;
  double stalled = 0;
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    const double share = sampled[s] / blamed.total;
    stalled += share;
    overlap += std::min(share, prediction.stalls[s].sum() / prediction.warp_cycles);
  }
  return overlap + std::min(1 - stalled, prediction.issued / prediction.warp_cycles);
}

// Busy times of the emulated units, including row misses and read-write turnarounds.
std::vector<analyze::Bound> busy_bounds(const timing::Prediction& p) {
  std::vector<analyze::Bound> all;
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    const std::string_view unit = machine::name(static_cast<machine::Resource>(r));
    all.push_back({std::string(unit), p.time_us * std::min(1.0, p.busy[r] / kMaxBusy)});
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &analyze::Bound::time_us);
  return all;
}

bool too_much_unknown(const timing::Prediction& p) {
  return p.unknown_share > kMaxUnknownShare;
}

std::vector<UnitWork> unit_work(const Case& c) {
  const std::vector<timing::TimedOp> code = timing::timed_code(c.kernel, c.machine);
  std::vector<UnitWork> work(c.size());
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const double issued = c.study->base().costs[i].issued;
    work[i] = {.unit = code[i].resource, .issued = issued, .cycles = issued * code[i].gap};
  }
  return work;
}

// Sets the lower bounds of the launch. There are none if too much depends on Unknown values. Bounds
// above the measured time are wrong and are dropped.
void find_bounds(const Case& c, LaunchFacts& facts) {
  if (!facts.emulation && facts.guessed) return;
  facts.bounds = analyze::bounds(*c.study);
  facts.work = unit_work(c);
  facts.busy = busy_bounds(c.study->base());
  facts.atomics_us = c.machine.seconds(c.study->base().l2_atomic_cycles) * 1e6;
  if (facts.emulation || !c.time_measured || !c.time_us) return;
  for (std::vector<analyze::Bound>* all : {&facts.bounds, &facts.busy}) {
    std::erase_if(*all, [&](const analyze::Bound& b) { return b.time_us > *c.time_us; });
  }
}

// Whether the bound still holds after the match's change.
bool holds(const analyze::Bound& bound, const Match& match) {
  // Hiding or removing a wait shortens the longest dependency chain.
  if (bound.name == "chain") return false;
  // The bound of the busiest SM: less work for a unit lowers it, other blocks redistribute it.
  if (bound.name == "tail") {
    return match.relieves.empty() && match.estimator != Estimator::kParallel && !match.evens_sms;
  }
  const auto relieves = [&](std::string_view unit) {
    return std::ranges::any_of(match.relieves,
                               [&](machine::Resource r) { return machine::name(r) == unit; });
  };
  // The cost of starting and ending the kernel disappears with its launch.
  if (bound.name == "launch") return !relieves(machine::name(machine::Resource::kDispatch));
  return !relieves(bound.name);
}

bool is_emulated(const Match& match) {
  return match.emulated || match.launch || !match.edits.empty() || !match.what_if.empty();
}

// The fraction of a unit's work that the match's edits leave. 0 for memory units, whose work
// depends on addresses, and if the edits do not determine it.
double share_left(const LaunchFacts& facts, const Match& match, std::string_view unit) {
  using Kind = analyze::Edit::Kind;
  using machine::Resource;
  constexpr std::array kByInstruction = {Resource::kIssue, Resource::kFma, Resource::kAlu,
                                         Resource::kFp64,  Resource::kXu,  Resource::kTensor};
  const auto* const of =
      std::ranges::find(kByInstruction, unit, [](Resource r) { return machine::name(r); });
  if (of == kByInstruction.end() || match.edits.empty()) return 0;
  const bool issue = *of == Resource::kIssue;
  double all = 0;
  double left = 0;
  for (std::size_t i = 0; i < facts.work.size(); ++i) {
    const UnitWork& work = facts.work[i];
    if (!issue && work.unit != *of) continue;
    double share = 1;
    for (const analyze::Edit& edit : match.edits) {
      if (edit.kind == Kind::kSpread) return 0;
      if (edit.instructions.size() <= i || edit.instructions[i] == 0) continue;
      if (edit.kind == Kind::kSkipped) share = 0;
      if (edit.kind == Kind::kShare) share *= edit.value;
      if (edit.kind == Kind::kRetyped && !issue) share = 0;
    }
    all += issue ? work.issued : work.cycles;
    left += share * (issue ? work.issued : work.cycles);
  }
  return all > 0 ? left / all : 0;
}

bool is_dram(std::string_view name) {
  return name == machine::name(machine::Resource::kDram);
}

// Whether the bound does not depend on the number of SMs that have work.
bool of_all_sms(const analyze::Bound& bound) {
  return is_dram(bound.name) || bound.name == machine::name(machine::Resource::kL2) ||
         bound.name == "launch";
}

// Ratio of real to emulated time for the part of the launch that a match leaves. If emulated and
// measured time differ, the samples show whether the difference lies in the matched stalls or in
// the rest: sampled shares are compared with emulated ones at the same instructions and for the
// same reasons. A launch of another shape has no matched stalls; the ratio of the whole launch is
// used, limited to the usual error of the emulator.
double rest_ratio(const Case& c, const Match& match) {
  const timing::Prediction& p = c.study->base();
  const double whole = *c.time_us / p.time_us;
  if (match.stalls.empty()) return std::clamp(whole, 1 - kTimeAgrees, 1 + kTimeAgrees);
  using Key = std::pair<std::uint32_t, launch::Stall>;
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
    const launch::StallCycles& of = p.costs[key.first].stalls[static_cast<std::size_t>(key.second)];
    if (all[key] > 0) emulated += of.sum() * cycles / all[key];
  }
  const double left = 1 - emulated / p.warp_cycles;
  if (left <= 0) return std::min(1.0, whole);
  // The rest is off by at most the error of the whole launch.
  return std::clamp(whole * (1 - sampled / c.blamed.total) / left, std::min(1.0, whole),
                    std::max(1.0, whole));
}

// An emulated speedup corrected by a measurement: the unchanged part as measured, the rest
// emulated.
double beside_measurement(const Case& c, const LaunchFacts& facts, const Match& match,
                          double speedup) {
  if (facts.samples <= 0 || !c.time_measured) return speedup;
  const double faster = speedup * *c.time_us / c.study->base().time_us;
  return std::max(std::min(1.0, speedup), faster / rest_ratio(c, match));
}

// Names the estimate used for `finding.speedup` and the reason; its value is included if it is
// neither of the two estimates. `again`: the re-emulated estimate corrected by a measurement.
std::string used_estimate(const Case& c, const LaunchFacts& facts, const Match& match,
                          const Finding& finding, double again, std::string_view why_not) {
  if (!finding.speedup_emulated) {
    if (!match.rework_limit.empty()) {
      return fmt::format("the time that the changed code needs; {} limits it", match.rework_limit);
    }
    if (match.estimator == Estimator::kGiven) return "the value computed from the launch";
    const bool none = c.study == nullptr || facts.guessed;
    return fmt::format("the GPA estimate: {}", none ? facts.why : why_not);
  }
  std::string text =
      facts.emulation ? "the re-emulated estimate" : "the geometric mean of both estimates";
  const bool corrected = again != *finding.speedup_emulated;
  if (corrected) text += ", corrected by the measured time";
  if (corrected || !facts.emulation) text += fmt::format(", {:.2f}×", finding.speedup);
  return text + (facts.why.empty() ? "" : ": " + facts.why);
}

// ", capped at 2.00×: …": the lower bounds are those that the report lists.
std::string cap_text(const SpeedupCap& cap) {
  if (cap.name == "atomics") {
    return fmt::format(", capped at {:.2f}× by the atomics at one L2 slice", cap.speedup);
  }
  if (cap.busy_us > 0) {
    return fmt::format(", capped at {:.2f}×: {} stays busy for {:.1f} µs, as emulated", cap.speedup,
                       cap.name, cap.busy_us);
  }
  const std::string reached =
      cap.reach < 1 ? fmt::format(", of which code reaches {:.0f} %", 100 * cap.reach) : "";
  return fmt::format(", capped at {:.2f}× by the {} lower bound{}", cap.speedup, cap.name, reached);
}

double confidence_in(const LaunchFacts& facts, const Match& match, const Finding& finding,
                     bool trusted) {
  double sure = trusted || match.estimator == Estimator::kGiven ? 0.9 : 0.7;
  if (finding.speedup_emulated) {
    const double low = std::min(*finding.speedup_emulated, finding.speedup_paper);
    const double high = std::max(*finding.speedup_emulated, finding.speedup_paper);
    sure *= 0.6 + 0.4 * low / high;
  }
  if (facts.samples > 0) {
    const double seen = finding.share * facts.samples;
    sure *= seen / (seen + kSteadySamples);
  }
  return sure * (1 - facts.unknown_share);
}

}  // namespace

bool agrees(double emulated_us, double measured_us) {
  return std::abs(emulated_us / measured_us - 1) <= kTimeAgrees;
}

EmulationTrust emulation_trust(const Case& c) {
  if (c.study == nullptr) return {false, "the launch cannot be emulated"};
  const timing::Prediction& p = c.study->base();
  if (too_much_unknown(p)) {
    return {false, fmt::format("{:.0f} % of the emulated time depends on Unknown values",
                               100 * p.unknown_share)};
  }
  if (c.time_measured && c.time_us) {
    const double off = p.time_us / *c.time_us - 1;
    if (!agrees(p.time_us, *c.time_us)) {
      return {false, fmt::format("the emulated time is {:.0f} % {} than the measured time",
                                 100 * std::abs(off), off > 0 ? "longer" : "shorter")};
    }
  }
  if (c.blamed.source == BlamedProfile::Source::kEmulated || c.blamed.total <= 0) {
    return {true, ""};
  }
  const double overlap = mix_overlap(c.blamed, p);
  const bool agree = overlap >= kMixAgrees;
  return {agree, fmt::format("emulated and sampled stalls {} ({:.0f} % in common)",
                             agree ? "agree" : "differ", 100 * overlap)};
}

LaunchFacts launch_facts_of(const Case& c) {
  LaunchFacts facts;
  if (c.blamed.source == BlamedProfile::Source::kSamples) facts.samples = c.blamed.total;
  EmulationTrust decision = emulation_trust(c);
  facts.emulation = decision.yes;
  facts.why = std::move(decision.why);
  if (c.study == nullptr) return facts;
  facts.unknown_share = c.study->base().unknown_share;
  facts.guessed = too_much_unknown(c.study->base());
  facts.time_us = c.study->base().time_us;
  if (c.time_measured && c.time_us) facts.time_us = *c.time_us;
  find_bounds(c, facts);
  return facts;
}

std::optional<SpeedupCap> speedup_cap(const LaunchFacts& facts, const Match& match) {
  if (facts.time_us <= 0) return std::nullopt;
  SpeedupCap cap;
  double highest = 0;
  const auto look = [&](const std::vector<analyze::Bound>& all, double dram_reach) {
    for (const analyze::Bound& b : all) {
      const bool busy = &all == &facts.busy;
      const double left = holds(b, match) ? 1 : (busy ? 0 : share_left(facts, match, b.name));
      const double reach = is_dram(b.name) ? dram_reach : 1;
      const double time_us =
          left * (of_all_sms(b) ? b.time_us : b.time_us / match.more_sms) / reach;
      if (time_us <= highest) continue;
      highest = time_us;
      cap = {.speedup = std::max(1.0, facts.time_us / time_us),
             .name = b.name,
             .reach = reach,
             .busy_us = busy ? b.time_us : 0};
    }
  };
  // Changed code reaches the same fraction of DRAM throughput as other streaming code.
  look(facts.bounds, kStreamReach);
  if (!match.evens_sms) look(facts.busy, 1);
  // Only the emulation of a change shows that it needs fewer atomics.
  if (!is_emulated(match) && facts.atomics_us > highest) {
    highest = facts.atomics_us;
    cap = {.speedup = std::max(1.0, facts.time_us / highest), .name = "atomics"};
  }
  if (highest <= 0) return std::nullopt;
  return cap;
}

void settle(const Case& c, const LaunchFacts& facts, const Match& match, Finding& finding,
            std::string_view why_not) {
  const bool trusted = finding.speedup_emulated && facts.emulation;
  finding.computed = match.estimator == Estimator::kGiven;
  finding.speedup = finding.speedup_paper;
  double again = 0;
  if (finding.speedup_emulated) {
    again = beside_measurement(c, facts, match, *finding.speedup_emulated);
    // Neither estimate is reliable: their geometric mean limits the error.
    finding.speedup = trusted ? again : std::sqrt(again * finding.speedup_paper);
  }
  finding.trust = used_estimate(c, facts, match, finding, again, why_not);
  const double before_us = c.study == nullptr ? 0 : c.study->base().time_us;
  if (match.least_us > 0 && finding.speedup * match.least_us > before_us) {
    finding.speedup = before_us / match.least_us;
    finding.trust +=
        fmt::format(", {:.2f}× with what each of the fewer threads has to do", finding.speedup);
  }
  // A launch of another shape was emulated completely, so it already respects the bounds.
  const bool reshaped = trusted && match.estimator == Estimator::kParallel;
  const bool keeps = reshaped || match.complete || !match.rework_limit.empty();
  const std::optional<SpeedupCap> cap = keeps ? std::nullopt : speedup_cap(facts, match);
  if (cap && finding.speedup > cap->speedup) {
    finding.speedup = cap->speedup;
    finding.trust += cap_text(*cap);
  }
  if (match.toll > 0 && finding.speedup > 1) {
    const double gain = finding.speedup - 1;
    finding.speedup = 1 + gain * gain / (gain + match.toll);
    finding.trust += fmt::format(", less what the change itself costs: {:.2f}×", finding.speedup);
  }
  finding.confidence = confidence_in(facts, match, finding, trusted);
}

}  // namespace burin::advise
