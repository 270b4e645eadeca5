#include "advise/advise.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "advise/case/estimate.h"
#include "advise/case/owner.h"
#include "advise/case/source_text.h"
#include "advise/case/trust.h"
#include "advise/rules/all.h"
#include "analyze/study/in_parallel.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"

namespace burin::advise {

namespace {

constexpr std::size_t kHotspots = 5;
constexpr double kMinOverlap = 0.5;       // of the smaller finding's stalls
constexpr double kMinShare = 0.005;       // of T; smaller findings are dropped
constexpr std::size_t kMaxSwapLoop = 16;  // instructions
// Emulated speedup over the equation's, if edits only remove waits.
constexpr double kMaxOverEquation = 1.1;
constexpr double kMinSamples = 1000;  // a share of 10 % then has a standard error of 1 point

struct Matched {
  const Rule* rule = nullptr;
  Match match;
  Finding finding;
  bool late = false;  // not emulated: time had run out
};

bool listed(const std::vector<std::string>& ids, std::string_view id) {
  return std::ranges::find(ids, id) != ids.end();
}

std::vector<Matched> match_all(const Case& c, const AdviseOptions& options) {
  std::vector<const Rule*> asked(rules().begin(), rules().end());
  asked.insert(asked.end(), options.more.begin(), options.more.end());
  std::vector<Matched> all;
  for (const Rule* rule : asked) {
    if (!options.only.empty() && !listed(options.only, rule->id())) continue;
    if (listed(options.without, rule->id())) continue;
    if (!options.shape_known && rule->needs_launch_shape()) continue;
    for (Match& match : rule->match(c)) all.push_back({rule, std::move(match), {}, false});
  }
  return all;
}

// The largest hotspots, and the fraction of the matched stalls that they cover.
void place(const Case& c, const Match& match, Finding& finding) {
  const std::vector<BlamedStall>& stalls = c.blamed.stalls;
  struct Place {
    MatchedStall largest;
    double cycles = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Place> places;
  double sum = 0;
  for (const MatchedStall& m : match.stalls) {
    const BlamedStall& stall = stalls[m.stall];
    const double cycles = stall.cycles.sum() * m.weight;
    Place& at = places[{stall.cause, stall.waits}];
    if (at.cycles == 0) at.largest = m;
    at.cycles += cycles;
    sum += cycles;
  }
  std::vector<Place> order;
  for (const auto& [key, at] : places) order.push_back(at);
  std::ranges::stable_sort(order, std::ranges::greater(), &Place::cycles);
  finding.spread = order.size();
  const double share = match.counts_issue ? gone(c, match) : sum;
  finding.share = c.blamed.total > 0 ? share / c.blamed.total : 0;
  double covered = 0;
  for (std::size_t k = 0; k < std::min(order.size(), kHotspots); ++k) {
    const BlamedStall& stall = stalls[order[k].largest.stall];
    covered += order[k].cycles;
    finding.hotspots.push_back(
        {.share = order[k].cycles / c.blamed.total,
         .distance = stall.distance,
         .cause = stall.cause,
         .waits = stall.waits,
         .loop = loop_name(c, c.places.common_loop(stall.cause, stall.waits)),
         .function = c.places.function_text(stall.waits)});
  }
  finding.coverage = sum > 0 ? covered / sum : 0;
  finding.where = match.where;
  finding.cause = match.where;
  if (match.where == read::kNoIndex && !finding.hotspots.empty() &&
      match.estimator != Estimator::kParallel) {
    finding.where = finding.hotspots[0].waits;
    finding.cause = finding.hotspots[0].cause;
  }
}

// Sets each hotspot's speedup: its part of the time that the finding saves.
void share_gain(Finding& finding) {
  if (finding.share <= 0) return;
  const double saved = 1 - 1 / std::max(1.0, finding.speedup);
  for (Hotspot& spot : finding.hotspots) {
    spot.speedup = 1 / (1 - saved * std::min(1.0, spot.share / finding.share));
  }
}

// Whether the edits only remove waits and leave the work as it is.
bool only_waits(const Match& match) {
  return !match.edits.empty() && std::ranges::all_of(match.edits, [](const analyze::Edit& e) {
    return e.kind == analyze::Edit::Kind::kFetched || e.kind == analyze::Edit::Kind::kNoBarrierWait;
  });
}

// Emulates the launch once for each match, with its cause removed. Launches of another shape and
// edited traces run in parallel. Returns the number of matches that time did not suffice for.
std::size_t emulate_again(const Case& c, const LaunchFacts& facts, const AdviseOptions& options,
                          std::vector<Matched>& all) {
  if (c.study == nullptr) return 0;
  std::ranges::stable_sort(all, std::ranges::greater(),
                           [](const Matched& m) { return m.finding.speedup_paper; });
  std::vector<std::size_t> shapes;
  std::vector<std::size_t> traces;
  std::vector<std::vector<analyze::Edit>> sets;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Match& match = all[k].match;
    if (match.emulated) {
      all[k].finding.speedup_emulated = match.emulated;
    } else if (!match.edits.empty()) {
      // The bounds leave no gain, so no emulation is needed.
      const std::optional<SpeedupCap> cap = speedup_cap(facts, match);
      const bool keeps_to_bounds = match.rework_limit.empty();
      if (keeps_to_bounds && cap && cap->speedup < options.least) continue;
      traces.push_back(k);
      sets.push_back(match.edits);
    } else if (!match.what_if.empty() || match.launch) {
      shapes.push_back(k);
    }
  }
  const std::size_t wanted = shapes.size() + traces.size();
  std::size_t late = 0;
  std::mutex asking;
  const auto go_on = [&](std::size_t begun) {
    const std::scoped_lock lock(asking);
    return !options.go_on || options.go_on(begun, wanted);
  };
  std::future<void> all_shapes = std::async(std::launch::async, [&] {
    analyze::in_parallel(c.study->options().threads, shapes.size(), [&](std::size_t k) {
      Matched& m = all[shapes[k]];
      m.late = !go_on(k);
      if (!m.late) m.finding.speedup_emulated = reshaped(c, m.match);
    });
  });
  const std::vector<double> faster = c.study->edited(
      sets, [&](std::size_t begun) { return go_on(shapes.size() + begun); }, options.least);
  all_shapes.get();
  for (const std::size_t k : shapes) late += all[k].late ? 1 : 0;
  for (std::size_t k = 0; k < faster.size(); ++k) {
    Matched& m = all[traces[k]];
    m.late = faster[k] <= 0;
    if (!m.late) m.finding.speedup_emulated = faster[k];
    late += m.late ? 1 : 0;
  }
  for (Matched& m : all) {
    std::optional<double>& speedup = m.finding.speedup_emulated;
    if (!speedup || *speedup <= 0) continue;
    speedup =
        1 / (1 - m.match.reach * (1 - 1 / *speedup) + m.match.added_us / c.study->base().time_us);
    // If only waits were removed, a gain far above the equation's has another cause: warps without
    // a barrier overlap work that was serialised.
    if (only_waits(m.match)) speedup = std::min(*speedup, kMaxOverEquation * estimate(c, m.match));
  }
  return late;
}

// The common part of two sets of stalls, as a fraction of the smaller set.
double common(const BlamedProfile& blamed, const Match& a, const Match& b) {
  std::map<std::uint32_t, double> weights;
  for (const MatchedStall& m : a.stalls) weights[m.stall] += m.weight;
  double both = 0;
  for (const MatchedStall& m : b.stalls) {
    const auto at = weights.find(m.stall);
    if (at == weights.end()) continue;
    both += blamed.stalls[m.stall].cycles.sum() * std::min(m.weight, at->second);
  }
  const double smaller = std::min(matched(blamed, a), matched(blamed, b));
  return smaller > 0 ? both / smaller : 0;
}

void note_overlaps(const Case& c, std::vector<Matched>& all) {
  for (Matched& a : all) {
    std::set<std::string> ids;
    for (const Matched& b : all) {
      if (&a == &b || a.finding.rule == b.finding.rule) continue;
      if (common(c.blamed, a.match, b.match) >= kMinOverlap) ids.insert(b.finding.rule);
    }
    a.finding.overlaps.assign(ids.begin(), ids.end());
  }
}

// Whether the changed code keeps its launch configuration. Rules that compute the speedup
// themselves mostly change it: they set Match::check if it is known.
bool keeps_launch(const Match& match) {
  return match.what_if.empty() && !match.launch && match.estimator != Estimator::kParallel &&
         match.estimator != Estimator::kGiven &&
         std::ranges::none_of(match.edits, [](const analyze::Edit& edit) {
           return edit.kind == analyze::Edit::Kind::kFewerBlocks;
         });
}

// What edits do, without those that name no instruction.
using EditKey = std::tuple<analyze::Edit::Kind, double, read::InstructionSet>;
std::set<EditKey> keys_of(const std::vector<analyze::Edit>& edits) {
  std::set<EditKey> keys;
  for (const analyze::Edit& edit : edits) {
    const bool names =
        std::ranges::find(edit.instructions, std::uint8_t{1}) != edit.instructions.end();
    if (names || edit.instructions.empty()) keys.emplace(edit.kind, edit.value, edit.instructions);
  }
  return keys;
}

// Whether two rules propose the same change at the same line.
bool is_same_change(const Case& c, const Matched& a, const Matched& b) {
  if (a.rule == b.rule) return false;
  if (a.finding.where == read::kNoIndex || b.finding.where == read::kNoIndex) return false;
  if (place_name(c.kernel, a.finding.where) != place_name(c.kernel, b.finding.where)) return false;
  if (a.match.hint == b.match.hint) return true;
  const std::set<EditKey> keys = keys_of(a.match.edits);
  return !keys.empty() && a.match.estimator == b.match.estimator && keys == keys_of(b.match.edits);
}

// Whether `b` describes a change better that both propose. The smaller estimate counts costs that
// the other does not, but a rule with few of the stalls names a symptom.
bool describes_better(const Finding& b, const Finding& a) {
  constexpr double kFewStalls = 0.2;  // of those of the other
  if (b.share < kFewStalls * a.share) return false;
  return b.speedup <= a.speedup || a.share < kFewStalls * b.share;
}

// Of several rules that propose the same change, one remains.
void drop_repeated(const Case& c, std::vector<Matched>& all) {
  std::vector<std::uint8_t> gone(all.size());
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < all.size(); ++b) {
      if (a == b || gone[a] != 0 || gone[b] != 0 || !is_same_change(c, all[a], all[b])) continue;
      if (describes_better(all[b].finding, all[a].finding)) gone[a] = 1;
    }
  }
  std::size_t at = 0;
  std::erase_if(all, [&](const Matched&) { return gone[at++] != 0; });
}

// The command that checks whether the changed code reaches the finding's speedup.
void add_check(const Case& c, const Match& match, Finding& finding) {
  if (c.study == nullptr || (match.check.empty() && !keeps_launch(match))) return;
  const double before = c.time_measured && c.time_us ? *c.time_us : c.study->base().time_us;
  std::string options = match.check.empty() ? shape_options(c.grid, c.block) : match.check;
  const std::uint64_t dynamic = c.study->launch().shared_bytes;
  if (dynamic > 0 && options.find("--smem") == std::string::npos) {
    options += fmt::format(" --smem {}", dynamic);
  }
  finding.hint += fmt::format(
      " Check the new code with `burin predict NEW.cu --kernel {} {}` and its arguments: about {}.",
      short_name(c.kernel.function->demangled), options, time_text(before / finding.speedup));
}

// Whether the finding is about a compare-and-swap loop that the compiler generated for an atomic
// operation without hardware support. The user did not write that loop.
bool in_swap_loop(const Case& c, const Finding& finding) {
  const std::uint32_t at = finding.hotspots.empty() ? finding.where : finding.hotspots[0].waits;
  const std::uint32_t loop = at == read::kNoIndex ? read::kNoIndex : c.places.loop_of(at);
  if (loop == read::kNoIndex || finding.rule == "atomic-contention") return false;
  std::size_t size = 0;
  bool swaps = false;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.places.in_loop(i, loop)) continue;
    ++size;
    swaps |= c.at(i).known() && c.at(i).modifier("operation").starts_with("CAS");
  }
  return swaps && size <= kMaxSwapLoop;
}

void note_samples(const Case& c, const LaunchFacts& facts, Advice& advice) {
  if (c.blamed.source != BlamedProfile::Source::kSamples || facts.samples >= kMinSamples) {
    return;
  }
  const auto have = static_cast<std::uint64_t>(facts.samples);
  const auto more = static_cast<std::uint64_t>(kMinSamples - facts.samples) + 1;
  advice.notes.push_back(
      fmt::format("only {}: record {} more (longer run or shorter sampling period) before relying "
                  "on small shares",
                  count_of(have, "sample"), with_commas(more)));
}

}  // namespace

Advice advise(const Case& c, const AdviseOptions& options) {
  Advice advice;
  const LaunchFacts facts = launch_facts_of(c);
  std::vector<Matched> all = match_all(c, options);
  for (Matched& m : all) {
    m.finding.rule = m.rule->id();
    m.finding.text = m.match.text;
    m.finding.hint = m.match.hint;
    m.finding.edits = m.match.edits;
    m.finding.reach = m.match.reach;
    m.finding.speedup_paper = estimate(c, m.match);
    place(c, m.match, m.finding);
  }
  // Findings that will not be reported are not emulated.
  std::erase_if(
      all, [](const Matched& m) { return !m.match.stalls.empty() && m.finding.share < kMinShare; });
  const std::size_t late = facts.guessed ? 0 : emulate_again(c, facts, options, all);
  for (Matched& m : all) {
    if (m.late) {
      settle(c, facts, m.match, m.finding, "no time left to re-emulate it");
    } else {
      settle(c, facts, m.match, m.finding);
    }
    share_gain(m.finding);
    add_check(c, m.match, m.finding);
  }
  std::erase_if(all, [&](const Matched& m) {
    // A change that is slower in the emulator is no finding, whatever the equations say.
    const bool slower = m.finding.speedup_emulated.value_or(1) < std::min(1.0, options.least);
    return slower || !(m.finding.speedup >= std::max(options.least, m.match.least)) ||
           (options.only.empty() && in_swap_loop(c, m.finding));
  });
  drop_repeated(c, all);
  std::ranges::stable_sort(all, [](const Matched& a, const Matched& b) {
    // Of two findings with the same displayed speedup, the one with a check command comes first.
    const double shown_a = std::round(100 * a.finding.speedup);
    const double shown_b = std::round(100 * b.finding.speedup);
    if (shown_a != shown_b) return shown_a > shown_b;
    if (a.match.check.empty() != b.match.check.empty()) return b.match.check.empty();
    if (a.finding.speedup != b.finding.speedup) return a.finding.speedup > b.finding.speedup;
    return a.finding.share > b.finding.share;
  });
  note_overlaps(c, all);
  for (Matched& m : all) advice.findings.push_back(std::move(m.finding));
  adapt_to_owner(owner_of(c.kernel), advice.findings, advice.notes);
  note_samples(c, facts, advice);
  if (late > 0) {
    advice.notes.push_back(
        fmt::format("no time left to re-emulate {}: these speedups are GPA estimates",
                    count_of(late, "change")));
  }
  return advice;
}

}  // namespace burin::advise
