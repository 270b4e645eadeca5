// Tiles that a loop copies from global to shared memory through registers: the thread must wait for
// each load before it can store the value and continue.
//
// An asynchronous copy fetches the next tile while the current one is processed. It is requested
// earlier by the duration of one iteration without these waits.
#include <algorithm>
#include <map>
#include <set>

#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/slack.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

// Loads that at most this share of the warps execute are those of warps with a part of their own.
constexpr double kSomeWarps = 0.5;

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
    std::map<std::uint32_t, double> ahead;  // issued loads of each loop, for a later tile
    std::map<std::uint32_t, double> late;   // the others
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
      const std::uint32_t loop = tile_loop(c, slack, i, store_of[i]);
      if (uses[i] > words || loop == read::kNoIndex) continue;
      copies[i] = fills_beside(c, i, store_of[i], loop) ? 0 : 1;
      (is_ahead(c, i, store_of[i]) ? ahead : late)[loop] += c.blamed.issued[i];
    }
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (copies[i] == 0) continue;
      const std::uint32_t loop = tile_loop(c, slack, i, store_of[i]);
      if (ahead[loop] >= late[loop] || is_ahead(c, i, store_of[i])) copies[i] = 0;
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

  // Whether the tile before is computed between the load and its store: the load is already issued
  // one tile ahead.
  static bool is_ahead(const Case& c, std::uint32_t load, std::uint32_t store) {
    if (store < load) return true;
    for (std::uint32_t i = load + 1; i < store; ++i) {
      if (is_barrier(c.at(i)) || reads_shared(c.at(i))) return true;
    }
    return false;
  }

  // Whether some warps of the block only fill one buffer, while the others compute on another: no
  // barrier is between the two, and no warp does both.
  static bool fills_beside(const Case& c, std::uint32_t load, std::uint32_t store,
                           std::uint32_t loop) {
    const std::uint32_t header = c.kernel.blocks[c.kernel.loops[loop].header].first;
    if (c.blamed.issued[load] > kSomeWarps * c.blamed.issued[header]) return false;
    const Phase before = phase(c, {store}, false);
    if (before.reads || phase(c, {store}, true).reads) return false;
    return phase(c, before.ends, true).reads;
  }

  // What is reached from these instructions, forwards or backwards, without a barrier.
  struct Phase {
    bool reads = false;                 // loads from shared memory
    std::vector<std::uint32_t> ends{};  // the last instructions of the blocks reached
  };
  static Phase phase(const Case& c, const std::vector<std::uint32_t>& from, bool forwards) {
    Phase found;
    std::vector<std::uint32_t> open = from;
    std::set<std::uint32_t> seen;
    while (!open.empty()) {
      std::uint32_t i = open.back();
      open.pop_back();
      const read::BasicBlock& block = c.kernel.blocks[c.kernel.block_of[i]];
      found.ends.push_back(block.last);
      while (!is_barrier(c.at(i)) && i != (forwards ? block.last : block.first)) {
        found.reads |= reads_shared(c.at(i));
        i = forwards ? i + 1 : i - 1;
      }
      found.reads |= reads_shared(c.at(i));
      if (is_barrier(c.at(i))) continue;
      for (const read::Edge& edge : forwards ? block.successors : block.predecessors) {
        if (!seen.insert(edge.block).second) continue;
        const read::BasicBlock& next = c.kernel.blocks[edge.block];
        open.push_back(forwards ? next.first : next.last);
      }
    }
    return found;
  }

  static bool is_barrier(const read::Instruction& i) {
    return read::sync_of(i) == read::Sync::kBlockBarrier;
  }
  static bool reads_shared(const read::Instruction& i) {
    return touches_shared(i) && i.opcode->loads && !i.opcode->stores;
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
