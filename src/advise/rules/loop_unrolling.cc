// A loop in which each iteration waits for its own loads and results.
//
// Unrolled by u, it has the loads of u iterations in flight at the same time, and waits once for
// all of them. A loop with few loads is unrolled further, until enough loads are in flight. A loop
// that the compiler has unrolled with a branch after each copy counts as not unrolled.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "advise/case/estimate.h"
#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/library_tables.h"
#include "advise/patterns/code/slack.h"
#include "advise/patterns/mapping/register_room.h"
#include "advise/patterns/reductions/carried.h"
#include "advise/patterns/reductions/iterations.h"
#include "advise/rules/all.h"
#include "analyze/code/regions.h"
#include "base/format.h"
#include "base/text.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr unsigned kMinFactor = 4;      // of the advised unrolling
constexpr unsigned kLoadsInFlight = 8;  // target for the unroll factor
// Fraction of the gain that is claimed if loads must be moved by hand. Measured: 0.92× where the
// emulation promised 1.29× (a histogram, bench/advice/paths).
constexpr double kOverBranches = 0.5;
constexpr double kMinLeadingLoads = 0.8;  // the same, for loads at the start of each iteration
constexpr unsigned kOwnRegisters = 3;   // of four loaded registers that a copy adds; one is shared
constexpr double kMinNamedShare = 0.1;  // of the matched stalls, for a loop to be named
constexpr double kMinTripsLeft = 4;  // after unrolling; with fewer, loads and uses do not overlap

bool waits_for_result(const BlamedStall& s) {
  return s.dependency == Dependency::kGlobalMemory || s.dependency == Dependency::kSharedMemory ||
         s.dependency == Dependency::kArithmetic || s.dependency == Dependency::kWriteAfterRead;
}

// Number of global loads in each loop, not counting its inner loops, nor those of tables that the
// math library has.
std::vector<unsigned> loads_of_loops(const Case& c, const read::InstructionSet& tables) {
  std::vector<unsigned> loads(c.kernel.loops.size());
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const std::uint32_t loop = c.places.loop_of(i);
    if (loop != read::kNoIndex && touches_global(c.at(i)) && c.at(i).opcode->loads &&
        tables[i] == 0)
      ++loads[loop];
  }
  return loads;
}

unsigned factor_of(unsigned loads, double trips) {
  const unsigned wanted = loads == 0 ? kMinFactor : std::max(kMinFactor, kLoadsInFlight / loads);
  unsigned factor = wanted;
  while (factor > 1 && factor * kMinTripsLeft > trips && trips > wanted) factor /= 2;
  while (factor > 1 && factor > trips) factor /= 2;  // otherwise the unrolled copies never run
  return factor;
}

// Whether an iteration contains branches. The compiler does not move loads across them.
bool branches_inside(const Case& c, std::uint32_t loop) {
  const std::vector<read::BasicBlock>& blocks = c.kernel.blocks;
  return std::ranges::any_of(blocks, [&](const read::BasicBlock& block) {
    if (block.loop != loop) return false;
    std::set<std::uint32_t> inside;
    for (const read::Edge& edge : block.successors) {
      const bool back = edge.block == c.kernel.loops[loop].header;
      if (!back && blocks[edge.block].loop == loop) inside.insert(edge.block);
    }
    return inside.size() > 1;
  });
}

// Whether each iteration executes the load, and no store of the kernel can alias it.
bool each_begins_with(const Case& c, std::uint32_t load, std::uint32_t loop) {
  return read::is_read_only_load(c.at(load)) &&
         std::ranges::all_of(c.kernel.loops[loop].latches, [&](std::uint32_t latch) {
           return c.kernel.dominates(c.kernel.block_of[load], latch);
         });
}

// Whether a branch leads past a slow path that the compiler added, as that of sqrtf: it is no test
// in the source.
bool skips_slow_path(const Case& c, const read::BasicBlock& block) {
  return std::ranges::any_of(block.successors, [&](const read::Edge& edge) {
    const std::uint32_t callee = c.kernel.blocks[edge.block].callee;
    return callee != read::kNoIndex &&
           c.places.of_compiler(c.places.function_of(c.kernel.blocks[callee].first));
  });
}

// Counts, for a load outside loops with several copies of one source line, the blocks that have
// one.
class UnrolledLoads {
 public:
  explicit UnrolledLoads(const Case& c) : kinds_(analyze::copy_kinds(c.kernel)) {
    const Origins origins(c.kernel);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (c.places.loop_of(i) != read::kNoIndex || !touches_global(c.at(i))) continue;
      if (!c.at(i).opcode->loads || (origins.of_address(i) & Origins::kLoaded) != 0) continue;
      blocks_[kinds_[i]].insert(c.kernel.block_of[i]);
    }
  }
  double copies(std::uint32_t load) const {
    const auto found = blocks_.find(kinds_[load]);
    return found == blocks_.end() ? 0 : static_cast<double>(found->second.size());
  }
  // Whether branches around slow paths are all that separates the copies.
  bool parted_by_slow_paths(const Case& c, std::uint32_t load) const {
    const auto found = blocks_.find(kinds_[load]);
    if (found == blocks_.end() || found->second.empty()) return false;
    const auto [first, last] = std::minmax_element(found->second.begin(), found->second.end());
    for (std::uint32_t b = *first; b < *last; ++b) {
      const read::BasicBlock& block = c.kernel.blocks[b];
      if (block.exits || (block.successors.size() > 1 && !skips_slow_path(c, block))) return false;
    }
    return true;
  }

 private:
  std::vector<std::uint32_t> kinds_;
  std::map<std::uint32_t, std::set<std::uint32_t>> blocks_;  // by kind
};

// Whether the iterations of a loop are independent, for each loop that is asked about.
class Apart {
 public:
  Apart(const Case& c, const Slack& slack) : c_(c), slack_(slack) {}
  bool operator()(std::uint32_t loop) {
    const auto known = loops_.find(loop);
    if (known != loops_.end()) return known->second;
    return loops_[loop] = iterations_apart(c_, slack_, loop);
  }

 private:
  const Case& c_;
  const Slack& slack_;
  std::map<std::uint32_t, bool> loops_;
};

// The share of a wait that is saved if this many iterations wait at the same time. 0 if they
// cannot, because one needs a value of another or a barrier separates them, or if the compiler has
// already unrolled the loop.
double gain(const Case& c, const Slack& slack, const std::vector<unsigned>& loads,
            const UnrolledLoads& unrolled, Apart& apart, const BlamedStall& s) {
  const std::uint32_t loop = c.places.common_loop(s.cause, s.waits);
  if (loop == read::kNoIndex) {
    const double together = std::min<double>(kLoadsInFlight, unrolled.copies(s.cause));
    // The source can load first what the branches of a slow path keep apart, if no store of the
    // kernel can change it.
    if (unrolled.parted_by_slow_paths(c, s.cause) && !read::is_read_only_load(c.at(s.cause)))
      return 0;
    return together >= kMinFactor ? 1 - 1 / together : 0;
  }
  if (!slack.innermost(loop) || slack.has_block_barrier(loop)) return 0;
  const read::Instruction& cause = c.at(s.cause);
  if (cause.known() && cause.opcode->loads && slack.recurrent(s.cause, loop)) return 0;
  const double factor = factor_of(loads[loop], slack.trips(loop));
  const unsigned copies = slack.blocked_by_stores(s.cause, loop) ? 1 : slack.copies(s.cause, loop);
  const double together = std::min(factor, slack.trips(loop)) / copies;
  if (together <= 1) return 0;
  // Loads can be issued ahead of a recurrence; its results cannot.
  if (s.dependency != Dependency::kGlobalMemory && !apart(loop)) return 0;
  if (!branches_inside(c, loop) && !slack.has_barrier(loop)) return 1 - 1 / together;
  return (1 - 1 / together) *
         (each_begins_with(c, s.cause, loop) ? kMinLeadingLoads : kOverBranches);
}

class LoopUnrolling final : public Rule {
  std::string_view id() const override { return "loop-unrolling"; }
  std::string_view summary() const override {
    return "dependency stalls in a loop that other iterations could hide";
  }
  std::vector<Match> match(const Case& c) const override {
    if (spills(c)) return {};
    const Slack slack(c);
    const read::InstructionSet tables = library_tables(c);
    const std::vector<unsigned> loads = loads_of_loops(c, tables);
    const UnrolledLoads unrolled(c);
    Apart apart(c, slack);
    Match match;
    match.estimator = Estimator::kHide;
    match.scope = Scope::kLoop;
    match.least = least_gain_of_earlier_loads(c);
    match.toll = toll_of_earlier_loads(c);
    double all = 0;
    double gone = 0;
    for (const MatchedStall& m : stalls_where(c, waits_for_result)) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      if (tables[s.cause] != 0) continue;
      const double part = gain(c, slack, loads, unrolled, apart, s);
      if (part <= 0) continue;
      match.stalls.push_back(
          {.stall = m.stall, .weight = part, .scope = c.places.common_loop(s.cause, s.waits)});
      all += s.cycles.sum();
      gone += s.cycles.sum() * part;
    }
    if (match.stalls.empty() || all <= 0) return {};
    match.edits = {
        {.kind = analyze::Edit::Kind::kHidden, .instructions = awaited(c, slack, match.stalls)}};
    match.reach = gone / all;
    if (c.study != nullptr) {
      // With fewer warps, the remaining waits get longer.
      match.added_us =
          (1 - gone / c.blamed.total) * more_registers_us(c, registers_for(c, slack, loads, match));
    }
    describe(c, slack, loads, unrolled, match);
    return {std::move(match)};
  }

  // The causes, and other loads in their loops that are waited for at the same instruction. Samples
  // do not show which of them arrives last.
  static read::InstructionSet awaited(const Case& c, const Slack& slack,
                                      const std::vector<MatchedStall>& stalls) {
    read::InstructionSet all = causes_of(c, stalls);
    for (const MatchedStall& m : stalls) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      const std::uint32_t loop = c.places.common_loop(s.cause, s.waits);
      if (loop == read::kNoIndex || s.dependency != Dependency::kGlobalMemory) continue;
      for (const read::Dependence& d : c.kernel.dependences_of(s.waits)) {
        const bool load = touches_global(c.at(d.producer)) && c.at(d.producer).opcode->loads;
        if (load && c.places.loop_of(d.producer) == loop && !slack.recurrent(d.producer, loop)) {
          all[d.producer] = 1;
        }
      }
    }
    return all;
  }

  // Additional registers for loads of the hottest loop that are in flight for other iterations.
  static unsigned registers_for(const Case& c, const Slack& slack,
                                const std::vector<unsigned>& loads, const Match& match) {
    const BlamedStall& hot = hottest(c, match.stalls);
    const std::uint32_t loop = c.places.common_loop(hot.cause, hot.waits);
    if (loop == read::kNoIndex || loads[loop] == 0) return 0;
    unsigned words = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool load = touches_global(c.at(i)) && c.at(i).opcode->loads;
      if (load && c.places.loop_of(i) == loop) words += (read::access_bytes(c.at(i)) + 3) / 4;
    }
    return kOwnRegisters * (factor_of(loads[loop], slack.trips(loop)) - 1) * words / 4;
  }

  // Names the other loops that contribute to the estimated speedup.
  static std::string other_loops(const Case& c, const Match& match, const std::string& hottest) {
    std::map<std::string, double> shares;
    for (const MatchedStall& m : match.stalls) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      const std::uint32_t loop = c.places.common_loop(s.cause, s.waits);
      if (loop == read::kNoIndex) continue;
      shares[loop_name(c, loop)] += s.cycles.sum() * m.weight;
    }
    std::vector<std::string> others;
    for (const auto& [name, cycles] : shares) {
      if (name != hottest && cycles >= kMinNamedShare * matched(c.blamed, match))
        others.push_back(name);
    }
    if (others.empty()) return "";
    return fmt::format(" So {} the {}: change {} as well.", others.size() > 1 ? "do" : "does",
                       fmt::join(others, " and the "), others.size() > 1 ? "them" : "it");
  }

  // If the compiler does not know the step of the loop, the loads of an iteration stay after the
  // exit test of the previous iteration.
  static std::string loads_hint(const Case& c, const Slack& slack, std::uint32_t loop,
                                unsigned loads, unsigned copies, unsigned factor) {
    std::string hint;
    if (copies == 1) {
      hint = fmt::format("It has {} per iteration and uses {} immediately. ",
                         count_of(loads, "load"), loads == 1 ? "it" : "them");
    }
    const Step step = step_of(c, slack, loop);
    if (step == Step::kVariable) {
      return hint + fmt::format(
                        "Its step is not a constant: #pragma unroll would leave the exit test "
                        "after each copy, and the compiler moves no load across it. Write out {0} "
                        "iterations: for (; i + {1} * step < end; i += {0} * step) first loads the "
                        "elements i, i + step, … of all {0} into variables, then uses them in the "
                        "same order. The present loop handles the remainder.",
                        factor, factor - 1);
    }
    if (step == Step::kUnknown) {
      return hint + fmt::format(
                        "The compiler moves no load across the exit test of an iteration. If the "
                        "elements of later iterations can be loaded in any case, load those of {} "
                        "iterations into variables, then use them in the same order.",
                        factor);
    }
    hint += fmt::format(
        "Use #pragma unroll {} and issue the loads first, so that several are in "
        "flight.",
        factor);
    if (branches_inside(c, loop)) {
      hint +=
          " The compiler does not move loads across the branches of an iteration: load into "
          "variables before the first of them.";
    }
    return hint + loads_obstacles(c, slack, loop, factor);
  }

  // What keeps the loads of later iterations where they are: a test of loaded values that ends the
  // loop, a condition on the load itself, or stores.
  static std::string loads_obstacles(const Case& c, const Slack& slack, std::uint32_t loop,
                                     unsigned factor) {
    bool ends = false;
    bool stored = false;
    std::uint32_t guarded = read::kNoIndex;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool load = touches_global(c.at(i)) && c.at(i).opcode->loads;
      if (!load || c.places.loop_of(i) != loop || !c.executed(i)) continue;
      ends |= slack.ends(i, loop);
      stored |= slack.blocked_by_stores(i, loop);
      const bool each = std::ranges::all_of(c.kernel.loops[loop].latches, [&](std::uint32_t latch) {
        return c.kernel.dominates(c.kernel.block_of[i], latch);
      });
      if (!each) guarded = i;
    }
    std::string hint;
    if (ends) {
      hint += fmt::format(
          " Loaded values decide when the loop ends: load those of {} iterations before that test, "
          "and let the test guard each use instead of the loads (a sum then adds 0, or stays as it "
          "is).",
          factor);
    }
    if (guarded != read::kNoIndex) {
      hint += fmt::format(
          " The load at {} is behind a condition: compute the indices of all {} first, and clamp "
          "them to the array, so that it may load in any case.",
          place_name(c.kernel, guarded), factor);
    }
    if (stored) hint += " Let all of these loads come before the first store of the loop.";
    return hint;
  }

  static void describe(const Case& c, const Slack& slack, const std::vector<unsigned>& all_loads,
                       const UnrolledLoads& unrolled, Match& match) {
    const BlamedStall& hot = hottest(c, match.stalls);
    const std::uint32_t loop = c.places.common_loop(hot.cause, hot.waits);
    const std::string name = loop != read::kNoIndex
                                 ? loop_name(c, loop)
                                 : "unrolled loop at " + place_name(c.kernel, hot.waits);
    const bool memory = hot.dependency == Dependency::kGlobalMemory;
    match.text = fmt::format("The {} stalls on {} {} after issue. Iterations do not overlap.{}",
                             name, memory ? "its loads" : "its results",
                             count_of(hot.distance, "instruction"), other_loops(c, match, name));
    const unsigned loads = loop != read::kNoIndex ? all_loads[loop] : 0;
    const unsigned copies = loop != read::kNoIndex ? slack.copies(hot.cause, loop) : 1;
    if (loop == read::kNoIndex && unrolled.parted_by_slow_paths(c, hot.cause)) {
      match.hint = fmt::format(
          "The compiler has unrolled the loop, but each of its {:.0f} iterations has a branch to "
          "the slow path of a precise function, and the next load stays after it. Load the "
          "elements of all iterations into variables first, then compute.",
          unrolled.copies(hot.cause));
    } else if (memory && copies > 1 && slack.blocked_by_stores(hot.cause, loop)) {
      match.hint = fmt::format(
          "The compiler has unrolled it {} times, but a load stays after the stores before it, "
          "which could change its element. Load the {} elements into variables before the first "
          "store{}.",
          copies, copies, restrict_clause(c, hot.cause));
    } else if (loop == read::kNoIndex) {
      match.hint = fmt::format(
          "The branch after each iteration blocks the next load. Test the exit condition only "
          "every {} iterations.",
          kLoadsInFlight);
    } else if (memory && loads > 0) {
      match.hint = loads_hint(c, slack, loop, loads, copies, factor_of(loads, slack.trips(loop)));
    } else if (CarriedValues(c, loop).any()) {
      match.hint = "Use #pragma unroll 4 with four independent accumulators.";
    } else {
      match.hint = "Use #pragma unroll 4, and compute four independent results at the same time.";
    }
    if (loop != read::kNoIndex && !memory) match.hint += before_stores(c, loop);
  }

  // A pointer that the kernel stores through cannot be const, and one that is const and
  // __restrict__ already has no stores in its way.
  static std::string_view restrict_clause(const Case& c, std::uint32_t load) {
    const std::set<std::uint32_t> written = written_parameters(c.kernel);
    const Origins origins(c.kernel);
    const std::set<std::uint32_t> own = origins.address_parameters(load);
    const bool stored =
        std::ranges::any_of(own, [&](std::uint32_t p) { return written.contains(p); });
    if (own.empty() || stored || read::is_read_only_load(c.at(load)) || is_restrict(c, own))
      return "";
    return ", or, if the arrays do not overlap, declare the pointers __restrict__ (and those that "
           "are only read const)";
  }

  // Whether loads and stores of one space are in the loop: stores of one iteration then stay before
  // the loads of the next, whatever is unrolled.
  static std::string_view before_stores(const Case& c, std::uint32_t loop) {
    std::array<bool, 2> loads{};  // global, shared
    std::array<bool, 2> stores{};
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!c.places.in_loop(i, loop) || read::is_read_only_load(c.at(i))) continue;
      const bool shared = touches_shared(c.at(i));
      if (!shared && !touches_global(c.at(i))) continue;
      loads[shared ? 1 : 0] |= c.at(i).opcode->loads;
      stores[shared ? 1 : 0] |= c.at(i).opcode->stores;
    }
    if (!(loads[0] && stores[0]) && !(loads[1] && stores[1])) return "";
    return " The pragma alone does not help: a store could change what the next iteration loads, "
           "so "
           "the compiler keeps their order. Write the iterations out, and load all values into "
           "variables before the first store.";
  }
};

}  // namespace

const Rule* loop_unrolling() {
  static const LoopUnrolling rule;
  return &rule;
}

}  // namespace burin::advise
