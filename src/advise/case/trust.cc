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

constexpr double kTimeAgrees = 0.2;   // |predicted - measured| / measured, at most
constexpr double kMixAgrees = 0.6;    // overlap of the two profiles' stalls, at least
constexpr double kMaxUnknown = 0.25;  // of the emulated time
// No launch keeps a unit busy all the time: this is what burin's own streaming and arithmetic
// kernels come to.
constexpr double kMaxBusy = 0.94;
constexpr double kSteadySamples = 30;  // matched samples that are worth half of all trust

// How alike the reasons are for which the samples and the emulator's warps wait: 1 is the same mix.
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

// What the emulated units were really busy with: rows missed, turns between reads and writes.
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
  return p.unknown_share > kMaxUnknown;
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

// What the hardware is known to need at least. Where too much rests on Unknown values nothing is;
// and what is longer than the launch took cannot be.
void find_bounds(const Case& c, Grounds& grounds) {
  if (!grounds.emulation && grounds.guessed) return;
  grounds.bounds = analyze::bounds(*c.study);
  grounds.work = unit_work(c);
  grounds.busy = busy_bounds(c.study->base());
  if (grounds.emulation || !c.time_measured || !c.time_us) return;
  for (std::vector<analyze::Bound>* all : {&grounds.bounds, &grounds.busy}) {
    std::erase_if(*all, [&](const analyze::Bound& b) { return b.time_us > *c.time_us; });
  }
}

// Whether the bound holds for what a match leaves of the launch.
bool holds(const analyze::Bound& bound, const Match& match) {
  // Whatever hides or removes a wait shortens the chain of waits.
  if (bound.name == "chain") return false;
  // The fullest SM's share: less work for a unit lowers it, other blocks spread it anew.
  if (bound.name == "tail") {
    return match.relieves.empty() && match.estimator != Estimator::kParallel && !match.evens_sms;
  }
  const auto relieves = [&](std::string_view unit) {
    return std::ranges::any_of(match.relieves,
                               [&](machine::Resource r) { return machine::name(r) == unit; });
  };
  // Starting and ending the kernel: gone where its launch is.
  if (bound.name == "launch") return !relieves(machine::name(machine::Resource::kDispatch));
  return !relieves(bound.name);
}

// What the match's edits leave of a unit's work. 0 for units of memory, of which addresses decide,
// and where the edits do not say it.
double share_left(const Grounds& grounds, const Match& match, std::string_view unit) {
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
  for (std::size_t i = 0; i < grounds.work.size(); ++i) {
    const UnitWork& work = grounds.work[i];
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

// Whether the bound is the same however many SMs have a part in the launch.
bool of_all_sms(const analyze::Bound& bound) {
  return is_dram(bound.name) || bound.name == machine::name(machine::Resource::kL2) ||
         bound.name == "launch";
}

// How many times as long as the emulator thinks takes what a match leaves. Where emulated and
// measured time differ, the samples tell whether that goes with the matched stalls or stays: their
// shares are held against the emulator's at the same instructions, for the same reasons. A launch
// of another shape has no stalls that it leaves: so much as the emulator is usually off by stays.
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
  // No part was more wrong than that it alone explains it all.
  return std::clamp(whole * (1 - sampled / c.blamed.total) / left, std::min(1.0, whole),
                    std::max(1.0, whole));
}

// An emulated speedup beside a measurement: what stays, as measured, and what changes, as emulated.
double beside_measurement(const Case& c, const Grounds& grounds, const Match& match,
                          double speedup) {
  if (grounds.samples <= 0 || !c.time_measured) return speedup;
  const double faster = speedup * *c.time_us / c.study->base().time_us;
  return std::max(std::min(1.0, speedup), faster / rest_ratio(c, match));
}

// Names the estimate that `finding.speedup` is, with its value unless that is one of the two
// estimates, and says why it is used. `again`: the re-emulated estimate beside a measurement.
std::string used_estimate(const Case& c, const Grounds& grounds, const Match& match,
                          const Finding& finding, double again, std::string_view why_not) {
  if (!finding.speedup_emulated) {
    if (!match.rework_limit.empty()) {
      return fmt::format("the time that the changed code needs; {} limits it", match.rework_limit);
    }
    if (match.estimator == Estimator::kGiven) return "the value computed from the launch";
    const bool none = c.study == nullptr || grounds.guessed;
    return fmt::format("the GPA estimate: {}", none ? grounds.why : why_not);
  }
  std::string text =
      grounds.emulation ? "the re-emulated estimate" : "the geometric mean of both estimates";
  const bool corrected = again != *finding.speedup_emulated;
  if (corrected) text += ", corrected by the measured time";
  if (corrected || !grounds.emulation) text += fmt::format(", {:.2f}×", finding.speedup);
  return text + (grounds.why.empty() ? "" : ": " + grounds.why);
}

double confidence_in(const Grounds& grounds, const Match& match, const Finding& finding,
                     bool trusted) {
  double sure = trusted || match.estimator == Estimator::kGiven ? 0.9 : 0.7;
  if (finding.speedup_emulated) {
    const double low = std::min(*finding.speedup_emulated, finding.speedup_paper);
    const double high = std::max(*finding.speedup_emulated, finding.speedup_paper);
    sure *= 0.6 + 0.4 * low / high;
  }
  if (grounds.samples > 0) {
    const double seen = finding.share * grounds.samples;
    sure *= seen / (seen + kSteadySamples);
  }
  return sure * (1 - grounds.unknown_share);
}

}  // namespace

bool agrees(double emulated_us, double measured_us) {
  return std::abs(emulated_us / measured_us - 1) <= kTimeAgrees;
}

Belief belief_in_emulation(const Case& c) {
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
  if (c.time_measured && c.time_us) grounds.time_us = *c.time_us;
  find_bounds(c, grounds);
  return grounds;
}

std::optional<Roof> roof_of(const Grounds& grounds, const Match& match) {
  if (grounds.time_us <= 0) return std::nullopt;
  Roof roof;
  double highest = 0;
  const auto look = [&](const std::vector<analyze::Bound>& all, double dram_reach) {
    for (const analyze::Bound& b : all) {
      const bool busy = &all == &grounds.busy;
      const double left = holds(b, match) ? 1 : (busy ? 0 : share_left(grounds, match, b.name));
      const double reach = is_dram(b.name) ? dram_reach : 1;
      const double time_us =
          left * (of_all_sms(b) ? b.time_us : b.time_us / match.more_sms) / reach;
      if (time_us <= highest) continue;
      highest = time_us;
      roof = {.speedup = std::max(1.0, grounds.time_us / time_us), .name = b.name, .reach = reach};
    }
  };
  // Changed code reaches as much of DRAM's throughput as other code that streams does.
  look(grounds.bounds, kStreamReach);
  if (!match.evens_sms) look(grounds.busy, 1);
  if (highest <= 0) return std::nullopt;
  return roof;
}

void settle(const Case& c, const Grounds& grounds, const Match& match, Finding& finding,
            std::string_view why_not) {
  const bool trusted = finding.speedup_emulated && grounds.emulation;
  finding.computed = match.estimator == Estimator::kGiven;
  finding.speedup = finding.speedup_paper;
  double again = 0;
  if (finding.speedup_emulated) {
    again = beside_measurement(c, grounds, match, *finding.speedup_emulated);
    // Neither is sure: the middle is nowhere as wrong as the worse of them.
    finding.speedup = trusted ? again : std::sqrt(again * finding.speedup_paper);
  }
  finding.trust = used_estimate(c, grounds, match, finding, again, why_not);
  // A launch of another shape was emulated whole: it keeps to the bounds by itself.
  const bool reshaped = trusted && match.estimator == Estimator::kParallel;
  const bool keeps = reshaped || !match.rework_limit.empty();
  const std::optional<Roof> roof = keeps ? std::nullopt : roof_of(grounds, match);
  if (roof && finding.speedup > roof->speedup) {
    finding.speedup = roof->speedup;
    finding.trust +=
        fmt::format(", capped at {:.2f}× by the {} lower bound", roof->speedup, roof->name);
    if (roof->reach < 1) {
      finding.trust += fmt::format(", of which code reaches {:.0f} %", 100 * roof->reach);
    }
  }
  if (match.toll > 0 && finding.speedup > 1) {
    const double gain = finding.speedup - 1;
    finding.speedup = 1 + gain * gain / (gain + match.toll);
    finding.trust += fmt::format(", less what the change itself costs: {:.2f}×", finding.speedup);
  }
  finding.confidence = confidence_in(grounds, match, finding, trusted);
}

}  // namespace burin::advise
