// Calls of device functions that could be inlined.
//
// A call has its own cost, and keeps the compiler from moving loads across it, so waits for memory
// in a loop with a call are matched as well. Without calls, the loads of an iteration are issued
// together at its start: the first is waited for as before, the others arrive with it.
#include <algorithm>
#include <iterator>
#include <set>

#include "advise/patterns/code/call_site.h"
#include "advise/patterns/code/slack.h"
#include "advise/rules/all.h"
#include "base/format.h"

namespace burin::advise {

namespace {

// Warp instructions of a function, relative to those of the launch. A function that is called less
// often is a path for rare cases: without its call, nothing changes.
constexpr double kMinIssued = 0.001;

// Functions whose calls the user can remove: those of the user, not those that the compiler or the
// math library added, and only if they are executed.
class Inlinable {
 public:
  explicit Inlinable(const Case& c) : functions_(c.places.functions()) {
    std::vector<double> issued(c.places.functions());
    double all = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      issued[c.places.function_of(i)] += c.blamed.issued[i];
      all += c.blamed.issued[i];
    }
    for (std::uint32_t f = 1; f < functions_.size(); ++f) {
      const bool runs = issued[f] > kMinIssued * all;
      functions_[f] = runs && !c.places.of_compiler(f) ? 1 : 0;
    }
  }
  bool operator()(std::uint32_t function) const { return functions_[function] != 0; }

 private:
  std::vector<std::uint8_t> functions_;
};

class FunctionInlining final : public Rule {
  std::string_view id() const override { return "function-inlining"; }
  std::string_view summary() const override {
    return "stalls in device functions and at their call sites";
  }

  std::vector<Match> match(const Case& c) const override {
    const Inlinable can_inline(c);
    read::InstructionSet calls(c.size());  // calls that would be removed
    read::InstructionSet made(c.size());   // those that are executed
    for (const read::BasicBlock& block : c.kernel.blocks) {
      if (block.callee == read::kNoIndex) continue;
      const std::uint32_t f = c.places.function_of(c.kernel.blocks[block.callee].first);
      if (!can_inline(f)) continue;
      mark_call(c, block, calls);
      if (c.executed(block.last)) made[block.last] = 1;
    }
    const read::InstructionSet around = c.places.loops_around(made);
    Match match;
    match.estimator = Estimator::kHide;
    match.scope = Scope::kFunction;
    read::InstructionSet loads(c.size());
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      const bool memory =
          s.dependency == Dependency::kGlobalMemory && around[s.waits] != 0 && around[s.cause] != 0;
      if (memory) loads[s.cause] = 1;
      return memory || can_inline(c.places.function_of(s.waits)) || calls[s.waits] != 0 ||
             calls[s.cause] != 0;
    });
    if (match.stalls.empty()) return {};
    for (MatchedStall& m : match.stalls) {
      m.scope = c.places.function_of(c.blamed.stalls[m.stall].waits);
    }
    read::InstructionSet mixed = next_to(c, calls);  // the calls and the bodies
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const read::Instruction& at = c.at(i);
      const bool inside = at.known() && can_inline(c.places.function_of(i));
      if (inside) mixed[i] = 1;
      // The cost of a call inside the function: the return, moves of results to the registers of
      // the caller, and saving and restoring registers.
      if (inside && (at.opcode->flow == read::Opcode::kReturn ||
                     at.opcode->space == read::Space::kLocal || is_move(at))) {
        calls[i] = 1;
      }
    }
    leave_first(c, loads);
    if (std::ranges::find(loads, 1) != loads.end()) match.reach = kHoistedGain;
    match.edits = {{.kind = analyze::Edit::Kind::kSkipped, .instructions = calls},
                   {.kind = analyze::Edit::Kind::kHidden, .instructions = loads},
                   {.kind = analyze::Edit::Kind::kEarlier,
                    .instructions = std::move(mixed),
                    .value = kFilledLatency * c.machine.of(machine::TimingClass::kFma).latency}};
    match.relieves = {machine::Resource::kIssue, machine::Resource::kFma, machine::Resource::kAlu,
                      machine::Resource::kLsu, machine::Resource::kL1};
    const std::vector<MatchedStall> own = stalls_of_calls(c, can_inline, calls, match);
    const BlamedStall& hot = hottest(c, own.empty() ? match.stalls : own);
    match.where = hot.waits;
    std::uint32_t called = c.places.function_of(hot.waits);
    if (!can_inline(called)) called = callee_of(c, can_inline, hot);
    const std::string full = c.places.function_name(called);
    const std::string_view name = short_name(full);
    match.text = fmt::format(
        "{:.0f} % of warp time is spent in {} and at its call sites{}. Code around a call cannot "
        "hide stalls inside the function.",
        100 * share_of(c, own), name, waits_around(c, own, match));
    match.hint = fmt::format(
        "Mark {} __forceinline__ (and remove __noinline__). If it is defined in another file, move "
        "it into a header.",
        name);
    return {std::move(match)};
  }

  // The blocks that end in a call, and the blocks after it.
  static read::InstructionSet next_to(const Case& c, const read::InstructionSet& calls) {
    read::InstructionSet near(c.size());
    for (const read::BasicBlock& block : c.kernel.blocks) {
      if (block.callee == read::kNoIndex || calls[block.last] == 0) continue;
      for (std::uint32_t i = block.first; i <= block.last; ++i) near[i] = 1;
      if (block.last + 1 >= c.size()) continue;
      const read::BasicBlock& behind = c.kernel.blocks[c.kernel.block_of[block.last + 1]];
      for (std::uint32_t i = behind.first; i <= behind.last; ++i) near[i] = 1;
    }
    return near;
  }

  // The stalls inside functions and at their calls. Waits for memory around a call are also caused
  // by it, but are not the time of the function.
  static std::vector<MatchedStall> stalls_of_calls(const Case& c, const Inlinable& can_inline,
                                                   const read::InstructionSet& calls,
                                                   const Match& match) {
    std::vector<MatchedStall> own;
    std::ranges::copy_if(match.stalls, std::back_inserter(own), [&](const MatchedStall& m) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      return can_inline(c.places.function_of(s.waits)) || calls[s.waits] != 0 ||
             calls[s.cause] != 0;
    });
    return own;
  }

  // ", and 12 % in waits for loads …": what is matched besides the functions and their calls.
  static std::string waits_around(const Case& c, const std::vector<MatchedStall>& own,
                                  const Match& match) {
    const double around = 100 * (share_of(c, match.stalls) - share_of(c, own));
    return around < 1 ? ""
                      : fmt::format(
                            ", and {:.0f} % in waits for loads that the compiler does not move "
                            "across the calls",
                            around);
  }

  // The first load of each loop, in code order.
  static void leave_first(const Case& c, read::InstructionSet& loads) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (loads[i] != 0 && seen.insert(c.places.loop_of(i)).second) loads[i] = 0;
    }
  }

  static std::uint32_t callee_of(const Case& c, const Inlinable& can_inline,
                                 const BlamedStall& stall) {
    for (const std::uint32_t i : {stall.waits, stall.cause}) {
      const read::BasicBlock& block = c.kernel.blocks[c.kernel.block_of[i]];
      if (block.callee == read::kNoIndex) continue;
      const std::uint32_t f = c.places.function_of(c.kernel.blocks[block.callee].first);
      if (can_inline(f)) return f;
    }
    for (std::uint32_t f = 1; f < c.places.functions(); ++f) {
      if (can_inline(f)) return f;
    }
    return 0;
  }
};

}  // namespace

const Rule* function_inlining() {
  static const FunctionInlining rule;
  return &rule;
}

}  // namespace burin::advise
