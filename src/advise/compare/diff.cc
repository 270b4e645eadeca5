#include "advise/compare/diff.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/numbers.h"

namespace burin::advise {
namespace {

constexpr double kSameTime = 1.02;  // ratio of two measured times up to which they are the same

constexpr CountedChange kCounted[] = {
    {"registers", &KernelFacts::registers},     {"shared", &KernelFacts::shared, true},
    {"local", &KernelFacts::local, true},       {"spills", &KernelFacts::spills},
    {"constant", &KernelFacts::constant, true}, {"barriers", &KernelFacts::barriers},
    {"code", &KernelFacts::code, true},         {"instructions", &KernelFacts::instructions},
};

constexpr Measure kDiffMeasures[] = {
    {"time", "", "time after divided by time before: measured if both are, else predicted"},
    {"slower", "", "1 if the kernel is slower, and the difference is more than the uncertainty"},
    {"registers", "", "increase in registers per thread"},
    {"shared", "", "increase in bytes per block"},
    {"local", "", "increase in local memory per thread, in bytes"},
    {"spills", "", "increase in loads and stores of spilled registers"},
    {"constant", "", "increase in bytes"},
    {"barriers", "", "increase in barriers"},
    {"code", "", "increase in bytes"},
    {"instructions", "", "increase in instructions"},
    {"stall", "REASON", "increase of the share of warp time"},
    {"advice", "[RULE]", "the estimated speedup of a new finding"},
};

// The worst new advice that the gate covers.
const AdviceFacts* new_advice(const Gate& gate, const KernelDiff& kernel) {
  for (const AdviceChange& change : kernel.advice) {
    if (change.before != nullptr) continue;
    if (!gate.part.empty() && gate.part != change.after->rule) continue;
    if (gate.is_crossed_by(change.after->speedup)) return change.after;
  }
  return nullptr;
}

// The sentence for a crossed gate; "": not crossed.
std::string crossing_of(const Gate& gate, const KernelDiff& kernel) {
  const KernelFacts& before = *kernel.pair.before;
  const KernelFacts& after = *kernel.pair.after;
  if (gate.measure == "time") {
    const std::optional<TimeChange> time = time_change(kernel.pair);
    if (!time || !gate.is_crossed_by(time->after_us / time->before_us)) return "";
    return fmt::format("takes {}, was {}: {:.3f} times as long", time_text(time->after_us),
                       time_text(time->before_us), time->after_us / time->before_us);
  }
  if (gate.measure == "slower") {
    const KernelVerdict verdict = verdict_of(kernel.pair);
    const bool is_slower = verdict.verdict == timing::Verdict::kSlower;
    if (!gate.is_crossed_by(is_slower ? 1 : 0)) return "";
    return is_slower ? fmt::format("is slower: {:.2f} to {:.2f} times as long as before",
                                   verdict.ratio->low, verdict.ratio->high)
                     : "is not slower";
  }
  if (gate.measure == "advice") {
    const AdviceFacts* found = new_advice(gate, kernel);
    if (found == nullptr) return "";
    return fmt::format("{} is a new finding with an estimated speedup of {:.2f}×", found->rule,
                       found->speedup);
  }
  if (gate.measure == "stall") {
    const std::optional<launch::Stall> stall = launch::stall_named(gate.part);
    if (!stall || before.profiled <= 0 || after.profiled <= 0) return "";
    const auto s = static_cast<std::size_t>(*stall);
    if (!gate.is_crossed_by(after.stalls[s] - before.stalls[s])) return "";
    return fmt::format("{} is {} of warp time, was {}", gate.part, percent(after.stalls[s]),
                       percent(before.stalls[s]));
  }
  const auto counted = std::ranges::find(kCounted, gate.measure, &CountedChange::name);
  const auto was = static_cast<double>(before.*(counted->value));
  const auto is = static_cast<double>(after.*(counted->value));
  if (!gate.is_crossed_by(is - was)) return "";
  return fmt::format("{} is {}, was {}", gate.measure, whole(is), whole(was));
}

}  // namespace

bool KernelDiff::is_changed() const {
  const KernelFacts& a = *pair.before;
  const KernelFacts& b = *pair.after;
  if (pair.renamed || a.digest != b.digest || a.profiled != b.profiled) return true;
  if (a.measured_us != b.measured_us || a.predicted_us != b.predicted_us) return true;
  return std::ranges::any_of(
      kCounted, [&](const CountedChange& each) { return a.*(each.value) != b.*(each.value); });
}

Diff compare_sides(const DiffSide& before, const DiffSide& after, read::SourceText& before_source,
                   read::SourceText& after_source) {
  KernelPairs pairs = pair_kernels(before.kernels, after.kernels);
  Diff diff{.before = before, .after = after};
  diff.gone = std::move(pairs.gone);
  diff.added = std::move(pairs.added);
  for (const KernelPair& pair : pairs.both) {
    const LineMatch match(*pair.before, *pair.after, before_source, after_source);
    diff.kernels.push_back({.pair = pair,
                            .lines = line_changes(*pair.before, *pair.after, match),
                            .advice = advice_changes(*pair.before, *pair.after, match)});
  }
  return diff;
}

std::optional<TimeChange> time_change(const KernelPair& pair) {
  const KernelFacts& a = *pair.before;
  const KernelFacts& b = *pair.after;
  if (a.measured_us && b.measured_us) return TimeChange{*a.measured_us, *b.measured_us, true};
  if (a.predicted_us && b.predicted_us) return TimeChange{*a.predicted_us, *b.predicted_us, false};
  return std::nullopt;
}

KernelVerdict verdict_of(const KernelPair& pair) {
  const KernelFacts& a = *pair.before;
  const KernelFacts& b = *pair.after;
  const std::optional<TimeChange> time = time_change(pair);
  const bool identical = a.digest == b.digest && a.registers == b.registers;
  if (!time || time->before_us <= 0 || time->after_us <= 0) {
    return {.verdict = identical ? timing::Verdict::kSame : timing::Verdict::kUnclear};
  }
  if (time->measured) {
    const double ratio = time->after_us / time->before_us;
    const timing::TimeRatio measured{ratio, ratio / kSameTime, ratio * kSameTime};
    const bool same = ratio < kSameTime && ratio > 1 / kSameTime;
    return {timing::verdict_of(measured, same), measured, true};
  }
  const auto input = [](const KernelFacts& facts) {
    return timing::PredictedTime{.time_us = *facts.predicted_us,
                                 .kind = facts.certainty.kind,
                                 .defer = facts.certainty.defer,
                                 .on_h200 = facts.machine == "h200"};
  };
  const timing::TimeRatio ratio = timing::time_ratio(input(b), input(a));
  return {timing::verdict_of(ratio, identical && a.machine == b.machine), ratio, false};
}

std::span<const CountedChange> counted_changes() {
  return kCounted;
}

std::span<const Measure> diff_measures() {
  return kDiffMeasures;
}

std::vector<Crossing> crossings(std::span<const Gate> gates, const Diff& diff) {
  std::vector<Crossing> crossed;
  for (const Gate& gate : gates) {
    for (const KernelDiff& kernel : diff.kernels) {
      std::string sentence = crossing_of(gate, kernel);
      if (sentence.empty()) continue;
      crossed.push_back({gate.text, kernel.pair.after->demangled + ": " + sentence});
    }
  }
  return crossed;
}

}  // namespace burin::advise
