// Tiles that a loop copies from global to shared memory through registers: the thread must wait for
// each load before it can store the value and continue.
//
// An asynchronous copy fetches the next tile while the current one is processed. It is requested
// earlier by the duration of one iteration without these waits.
#include <algorithm>
#include <map>

#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/slack.h"
#include "advise/rules/all.h"
#include "base/format.h"

namespace burin::advise {

namespace {

class AsyncCopy final : public Rule {
  std::string_view id() const override { return "async-copy"; }
  std::string_view summary() const override {
    return "long-scoreboard stalls of loads that only feed shared-memory stores";
  }

  std::vector<Match> match(const Case& c) const override {
    if (static_cast<int>(c.machine.arch.sm) < 80) return {};
    const Slack slack(c);
    std::vector<unsigned> uses(c.size());
    read::InstructionSet copies(c.size());  // loads
    std::vector<std::uint32_t> store_of(c.size(), read::kNoIndex);
    for (const read::Dependence& d : c.kernel.dependences) {
      if (d.kind != read::Dependence::Kind::kRegister || !touches_global(c.at(d.producer)))
        continue;
      ++uses[d.producer];
      if (stores_value(c.at(d.consumer), d)) store_of[d.producer] = d.consumer;
    }
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool load = touches_global(c.at(i)) && !c.at(i).opcode->stores;
      if (!load || store_of[i] == read::kNoIndex || read::access_bytes(c.at(i)) < 4) continue;
      // A wide load is stored by one instruction, or word by word.
      const unsigned words = std::max(1u, read::access_bytes(c.at(i)) / 4);
      if (uses[i] > words || tile_loop(c, slack, i, store_of[i]) == read::kNoIndex) continue;
      copies[i] = 1;
    }
    Match match;
    match.estimator = Estimator::kHide;
    match.scope = Scope::kLoop;
    match.reach = kHoistedGain;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return s.dependency == Dependency::kGlobalMemory && copies[s.cause] != 0;
    });
    if (match.stalls.empty()) return {};
    std::map<std::uint32_t, read::InstructionSet> tiles;  // loads, by the loop
    for (MatchedStall& m : match.stalls) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      m.scope = tile_loop(c, slack, s.cause, store_of[s.cause]);
      read::InstructionSet& loads = tiles[m.scope];
      loads.resize(c.size());
      loads[s.cause] = 1;
    }
    for (auto& [loop, loads] : tiles) {
      const double rest = slack.iteration_without(loop, loads);
      match.edits.push_back(
          {.kind = analyze::Edit::Kind::kEarlier, .instructions = std::move(loads), .value = rest});
    }
    describe(c, match);
    return {std::move(match)};
  }

  // The loop around both, in which a barrier signals that the tile is complete.
  static std::uint32_t tile_loop(const Case& c, const Slack& slack, std::uint32_t load,
                                 std::uint32_t store) {
    std::uint32_t loop = c.places.common_loop(load, store);
    while (loop != read::kNoIndex && !slack.has_barrier(loop)) loop = c.kernel.loops[loop].parent;
    return loop;
  }

  // The loaded register is the stored value, not the address.
  static bool stores_value(const read::Instruction& store, const read::Dependence& d) {
    if (!touches_shared(store) || !store.opcode->stores || store.opcode->loads) return false;
    return std::ranges::any_of(store.operands(), [&](const read::Operand& o) {
      return o.is_register(read::RegisterFile::kGeneral) &&
             d.file == read::RegisterFile::kGeneral && d.index >= o.index &&
             d.index < o.index + o.count;
    });
  }

  static void describe(const Case& c, Match& match) {
    const BlamedStall& hot = hottest(c, match.stalls);
    const std::string loop = loop_name(c, match.stalls[0].scope);
    match.text = fmt::format(
        "In the {}, {:.0f} % of warp time is spent waiting for data loaded at {} before it can be "
        "stored to shared memory. The data only passes through registers.",
        loop, 100 * share_of(c, match.stalls), place_name(c.kernel, hot.cause));
    match.hint = fmt::format(
        "Copy asynchronously with __pipeline_memcpy_async (cp.async) at {}. Double-buffer: issue "
        "the copy of the next tile before computing on the current one, and wait for it at the end "
        "of the loop.",
        place_name(c.kernel, hot.cause));
  }
};

}  // namespace

const Rule* async_copy() {
  static const AsyncCopy rule;
  return &rule;
}

}  // namespace burin::advise
