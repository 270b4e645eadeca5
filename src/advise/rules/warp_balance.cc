// Warps that wait at a barrier for the slowest warp, and blocks that stay resident until their
// slowest warp ends.
//
// Code that some warps execute more often than others is emulated as shared among all warps. If
// there is none, the barriers are emulated without waiting. Factor f: half of the waits disappear,
// because work taken from the slowest warp goes to the others.
#include <algorithm>
#include <set>

#include "advise/case/estimate.h"
#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/mapping/one_thread.h"
#include "advise/patterns/reductions/block_scan.h"
#include "advise/patterns/reductions/carried.h"
#include "advise/patterns/reductions/combining.h"
#include "advise/rules/all.h"
#include "analyze/code/regions.h"
#include "base/format.h"
#include "emulate/values/lanes.h"
#include "read/isa/traits.h"
#include "read/program/launch_size.h"

namespace burin::advise {

namespace {

constexpr double kEvened = 0.5;
constexpr double kMinImbalance = 1.25;  // executions of the busiest warp over the mean
constexpr double kOneWarpRatio = 0.9;   // of the number of warps: one warp does nearly all
constexpr double kMinExplained = 0.5;   // of the barrier waits, by the excess work of other warps
constexpr double kIdleWarps = 0.2;      // of all warp-cycles, for code without a barrier

// The code that some warps of a block execute more often than others.
struct Uneven {
  read::InstructionSet instructions{};
  double ratio = 1;  // busiest warp over the mean, for all of that code
  double idle = 0;   // warp-cycles in which the other warps are idle
  std::uint32_t hottest = read::kNoIndex;
  bool in_order = false;  // has a recurrence: its iterations cannot be shared
};

// How often the warps of all traced blocks execute each instruction, by the warp's index in its
// block: the busiest warp must not depend on the data of one block.
class Executions {
 public:
  explicit Executions(const Case& c) : instructions_(c.size()) {
    const timing::TracedLaunch& traced = c.study->traced();
    count(traced.reference);
    for (const timing::TracedWindow& window : traced.windows) {
      for (const timing::BlockTrace& trace : window.traces) count(trace);
    }
  }
  double all(std::uint32_t instruction) const {
    double sum = 0;
    for (const std::vector<double>& own : warps_) sum += own[instruction];
    return sum;
  }
  // The executions if all warps had as many as the busiest one.
  double if_all_were_longest(std::uint32_t instruction) const {
    double most = 0;
    for (const std::vector<double>& own : warps_) most = std::max(most, own[instruction]);
    return most * static_cast<double>(warps_.size());
  }

 private:
  void count(const timing::BlockTrace& trace) {
    if (warps_.size() < trace.warps.size()) {
      warps_.resize(trace.warps.size(), std::vector<double>(instructions_));
    }
    for (std::size_t w = 0; w < trace.warps.size(); ++w) {
      for (const timing::TraceStep& step : trace.warps[w]) warps_[w][step.instruction] += 1;
    }
  }

  std::size_t instructions_;
  std::vector<std::vector<double>> warps_;
};

// The time spent at each instruction: issues and all stalls.
std::vector<double> time_spent(const Case& c) {
  std::vector<double> spent = c.blamed.issued;
  for (const BlamedStall& s : c.blamed.stalls) spent[s.waits] += s.cycles.sum();
  return spent;
}

bool tries_again(const Case& c, const read::InstructionSet& loop) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (loop[i] == 0 || !read::is_returning_atomic(c.at(i))) continue;
    if (c.at(i).modifier("operation").starts_with("CAS")) return true;
  }
  return false;
}

// Code of loops with at least as many iterations as a warp has lanes. Work that one warp does once,
// or for a few elements, cannot be shared.
std::vector<bool> shareable_code(const Case& c) {
  const Slack slack(c);
  std::vector<bool> shareable(c.size());
  for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
    if (source_iterations(c, slack, loop) < emulate::kWarpLanes) continue;
    const read::InstructionSet inside = c.places.instructions_of_loop(loop);
    // An atomic that the compiler repeats until no other thread interferes is no work to share.
    const bool repeats = tries_again(c, inside);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (inside[i] != 0) shareable[i] = !repeats;
    }
  }
  return shareable;
}

// Code that keeps the busiest warp working while the other warps wait.
Uneven uneven_code(const Case& c) {
  if (c.study == nullptr) return {};
  const std::vector<double> spent = time_spent(c);
  const Executions executions(c);
  Uneven found{.instructions = read::InstructionSet(c.size())};
  const std::vector<bool> shareable = shareable_code(c);
  double uneven = 0;
  double were_all = 0;
  double largest = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const read::Instruction& at = c.at(i);
    const double all = executions.all(i);
    const double most = executions.if_all_were_longest(i);
    if (most < kMinImbalance * all || all <= 0) continue;
    if (!at.known() || at.opcode->flow == read::Opcode::kExit || !shareable[i] ||
        machine::timing_class(at) == machine::TimingClass::kBarrier) {
      continue;
    }
    found.instructions[i] = 1;
    found.idle += spent[i] * (most / all - 1);
    uneven += all;
    were_all += most;
    if (most - all > largest) {
      largest = most - all;
      found.hottest = i;
    }
  }
  if (uneven <= 0) return {};
  found.ratio = were_all / uneven;
  return found;
}

class WarpBalance final : public Rule {
  std::string_view id() const override { return "warp-balance"; }
  std::string_view summary() const override { return "barrier stalls caused by slow warps"; }

  std::vector<Match> match(const Case& c) const override {
    // One warp waits for no other. Where the launch's shape is unknown, a block has one thread.
    const std::uint64_t threads = c.block.total();
    if (threads > 1 && threads <= emulate::kWarpLanes) return {};
    if (const auto scan = block_scan(c)) return {scanning_in_warps(c, *scan)};
    Match match;
    match.stalls =
        stalls_where(c, [](const BlamedStall& s) { return s.stall == launch::Stall::kBarrier; });
    Uneven uneven = uneven_code(c);
    const double waited = matched(c.blamed, match);
    if (uneven.idle >= kIdleWarps * c.blamed.total && waited < kMinExplained * uneven.idle &&
        is_shareable(c, uneven)) {
      return {ending_apart(c, uneven)};
    }
    if (match.stalls.empty()) return {};
    match.factor = kEvened;
    const BlamedStall& hot = hottest(c, match.stalls);
    // The barrier waits may have other causes.
    if (uneven.idle < kMinExplained * waited) uneven = {};
    // Warps cannot share a recurrence that one of them computes, and it explains the waits.
    uneven.in_order = uneven.hottest != read::kNoIndex && goes_in_order(c, uneven);
    if (uneven.in_order && uneven.ratio > kOneWarpRatio * static_cast<double>(warps_of(c)))
      return {};
    if (uneven.hottest != read::kNoIndex) {
      match.edits = {{.kind = analyze::Edit::Kind::kSpread, .instructions = uneven.instructions}};
      match.relieves = {machine::Resource::kBarrier, machine::Resource::kIssue};
    } else if (remedy_for(c, hot) == Remedy::kNone) {
      return {};
    } else {
      analyze::Edit free{.kind = analyze::Edit::Kind::kNoBarrierWait,
                         .instructions = read::InstructionSet(c.size())};
      for (std::uint32_t i = 0; i < c.size(); ++i) {
        const bool barrier =
            c.at(i).known() && machine::timing_class(c.at(i)) == machine::TimingClass::kBarrier;
        free.instructions[i] = barrier ? 1 : 0;
      }
      match.edits = {std::move(free)};
      match.relieves = {machine::Resource::kBarrier};
      match.toll = kDefaultToll;
    }
    describe(c, hot, uneven, match);
    return {std::move(match)};
  }

  // The loads that remain stand for the shuffles: two times log2(32) of 1,024 threads.
  static Match scanning_in_warps(const Case& c, const BlockScan& scan) {
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return scan.needless[s.waits] != 0 ||
             (s.stall == launch::Stall::kBarrier && s.has_cause() && scan.needless[s.cause] != 0);
    });
    match.edits = {{.kind = analyze::Edit::Kind::kSkipped, .instructions = scan.needless}};
    match.relieves = {machine::Resource::kBarrier, machine::Resource::kIssue,
                      machine::Resource::kLsu, machine::Resource::kShared, machine::Resource::kAlu};
    match.where = scan.barrier;
    match.text = block_scan_text(c, scan);
    match.hint = block_scan_hint(c, scan);
    return match;
  }

  // Whether a loop that only the busiest warps run is a recurrence.
  static bool goes_in_order(const Case& c, const Uneven& uneven) {
    for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
      const std::uint32_t head = c.kernel.blocks[c.kernel.loops[loop].header].first;
      if (uneven.instructions[head] != 0 && CarriedValues(c, loop).in_order()) return true;
    }
    return false;
  }

  // Whether threads can take over each other's iterations: none needs the complete result of the
  // previous one.
  static bool is_shareable(const Case& c, const Uneven& uneven) {
    const std::uint32_t loop = c.places.loop_of(uneven.hottest);
    return loop != read::kNoIndex && CarriedValues(c, loop).only_reductions();
  }

  // Finished warps wait for nothing, but their registers stay allocated.
  static Match ending_apart(const Case& c, const Uneven& uneven) {
    Match match;
    match.stalls =
        stalls_where(c, [&](const BlamedStall& s) { return uneven.instructions[s.waits] != 0; });
    match.factor = 1 / uneven.ratio;
    match.where = uneven.hottest;
    match.edits = {{.kind = analyze::Edit::Kind::kSpread, .instructions = uneven.instructions}};
    match.relieves = {machine::Resource::kIssue};
    const std::string place = place_name(c.kernel, uneven.hottest);
    match.text = fmt::format(
        "One warp of each block executes {} {:.1f} times as often as the mean. The others end "
        "early, and their slots on the SM stay empty until it ends.",
        place, uneven.ratio);
    match.hint = fmt::format(
        "Let all warps of the block share each part of the work at {}, one part after another: "
        "its index begins at the thread's index in the block and advances by {}. If a part has "
        "one result, combine the warps' results in __shared__ memory. The launch stays the same.",
        place, c.block.total());
    return match;
  }

  // What the threads of a block that all execute the same code can do about a barrier.
  enum class Remedy : std::uint8_t { kNone, kTwoBuffers, kShuffles, kSmallerBlocks };
  static Remedy remedy_for(const Case& c, const BlamedStall& hot) {
    const std::uint32_t loop = c.places.loop_of(hot.cause);
    if (loop != read::kNoIndex && has_one_buffer(staging_in(c, loop))) return Remedy::kTwoBuffers;
    if (!combining_step(c).empty()) return Remedy::kShuffles;
    // An algorithm with its block size in the code may rely on it.
    const bool any_size = loop == read::kNoIndex && read::reads_block_size(c.kernel);
    return any_size ? Remedy::kSmallerBlocks : Remedy::kNone;
  }

  // What a loop exchanges through shared memory.
  struct Staging {
    std::set<std::uint32_t> barriers{};  // by source line, since the loop may be unrolled
    bool comes = false;                  // from global memory
    bool reads = false;
    bool writes = false;
  };
  // A loop with a single barrier has two buffers: with one, the next values would be written while
  // the last ones are still read.
  static bool has_one_buffer(const Staging& s) {
    return s.reads && s.writes && s.barriers.size() > 1;
  }
  static Staging staging_in(const Case& c, std::uint32_t loop) {
    Staging s;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const read::Instruction& at = c.at(i);
      if (!at.known() || !c.places.in_loop(i, loop)) continue;
      s.comes |= touches_global(at) && at.opcode->loads;
      s.reads |= touches_shared(at) && at.opcode->loads;
      s.writes |= (at.opcode->loads && at.opcode->stores && !read::is_atomic(at)) ||
                  (touches_shared(at) && at.opcode->stores);
      if (read::sync_of(at) != read::Sync::kBlockBarrier) continue;
      const std::uint32_t line = analyze::line_of(c.kernel, i).line;
      s.barriers.insert(line != 0 ? line : i);
    }
    return s;
  }

  static std::uint64_t warps_of(const Case& c) {
    return (c.block.total() + emulate::kWarpLanes - 1) / emulate::kWarpLanes;
  }

  static void describe(const Case& c, const BlamedStall& hot, const Uneven& uneven, Match& match) {
    const std::string barrier = place_name(c.kernel, hot.cause);
    const std::uint32_t loop = c.places.loop_of(hot.cause);
    const std::uint64_t warps = warps_of(c);
    match.text = fmt::format(
        "Waiting at a barrier for the slowest {} takes {:.0f} % of warp time. Hottest: {}.",
        warps == 1 ? "warp" : fmt::format("of {} warps", warps), 100 * share_of(c, match.stalls),
        barrier);
    if (uneven.hottest != read::kNoIndex) {
      const std::string place = place_name(c.kernel, uneven.hottest);
      match.text += fmt::format(" One warp executes {} {:.1f} times as often as the mean.", place,
                                uneven.ratio);
      if (uneven.in_order) {
        match.hint = fmt::format(
            "Each iteration at {} needs the one before, so the iterations of a thread cannot be "
            "shared. Give all warps equal amounts of work: let a warp take long and short parts "
            "in turn, for example the first and the last.",
            place);
        return;
      }
      match.hint = fmt::format(
          "Distribute the work at {} over all {} threads of the block: let its index begin at "
          "threadIdx.x and advance by blockDim.x. The launch stays the same.",
          place, c.block.total());
      return;
    }
    const Remedy remedy = remedy_for(c, hot);
    if (remedy == Remedy::kTwoBuffers) {
      match.hint = fmt::format(
          "All warps execute the same code in the {}: they wait for the slowest one's memory "
          "accesses. Use two buffers in shared memory in turn, so that one barrier per iteration "
          "is enough{}.",
          loop_name(c, loop),
          staging_in(c, loop).comes ? " and the next iteration's loads are in flight meanwhile"
                                    : "");
    } else if (remedy == Remedy::kShuffles) {
      match.hint = fmt::format(
          "All warps execute the same code up to the barrier, in which the block combines its "
          "threads' values step by step. Combine the 32 values of each warp without a barrier: {}, "
          "d = 16, 8, 4, 2, 1. Then lane 0 of each warp stores its result to `__shared__ float "
          "part[32]`, one __syncthreads() follows, and the first warp combines these the same way.",
          combining_step(c));
    } else {
      launch::Dims smaller = c.block;
      (smaller.x % 2 == 0 ? smaller.x : smaller.y) /= 2;
      match.hint = fmt::format(
          "All warps execute the same code before {}: they wait for the slowest one's memory "
          "accesses. Smaller blocks wait for fewer warps, and more of them are resident: try {} "
          "threads per block and {} blocks, if a block's shared data allows it.",
          barrier, smaller.total(), 2 * c.grid.total());
      match.check = shape_options({c.grid.x * 2, c.grid.y, c.grid.z}, smaller);
    }
  }

  // How two values of a block become one; empty if its threads do not combine their values.
  static std::string combining_step(const Case& c) {
    const Origins origins(c.kernel);
    const read::InstructionSet set = combining_code(c, origins, Results::kByOneThread);
    if (std::ranges::find(set, 1) == set.end()) return "";
    const bool adds = combines_as(c, origins, set, "ADD");
    const bool smaller = combines_as(c, origins, set, "MIN");
    const bool larger = combines_as(c, origins, set, "MAX");
    if (adds + smaller + larger != 1) return "";  // values are only moved
    const std::string other = "__shfl_down_sync(0xffffffff, v, d)";
    return adds ? "v += " + other : fmt::format("v = {}(v, {})", smaller ? "min" : "max", other);
  }
};

}  // namespace

const Rule* warp_balance() {
  static const WarpBalance rule;
  return &rule;
}

}  // namespace burin::advise
