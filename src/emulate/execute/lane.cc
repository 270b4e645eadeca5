// What crosses lanes: shuffles, votes, matches, reductions over the warp. The lanes that take part
// are those of Warp::exec.
#include "emulate/state/lower.h"
#include "emulate/state/map.h"
#include "emulate/state/truth.h"
#include "emulate/state/uniform.h"

namespace burin::emulate {
namespace {

enum class Shuffle : std::uint8_t { kIndex, kUp, kDown, kButterfly };

// Where each lane reads, and whether that is within its reach. Bits 8-12 of c cut the warp into
// segments, bits 0-4 say how far a lane may reach. A lane that would reach further reads itself.
struct Ways {
  Lanes from;
  Lanes within;
};

template <typename F>
BURIN_INLINE inline void find_ways(const Warp& warp, const Op& op, Ways& ways, F f) {
  const Lanes& b = warp.plain(op.source[1]);
  const Lanes& c = warp.plain(op.source[2]);
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t segment = c.lane[i] >> 8 & 31;
    const std::uint32_t limit = (i & segment) | (c.lane[i] & 31 & ~segment);
    bool within = false;
    const std::uint32_t from = f(i, b.lane[i] & 31, segment, limit, within);
    ways.from.lane[i] = (within ? from : i) & 31;
    ways.within.lane[i] = within ? 1 : 0;
  }
}

// What a lane gets from one that does not take part is not defined: it is Unknown.
BURIN_LANES void execute_shuffle(Warp& warp, const Op& op) {
  using Word = std::uint32_t;
  Ways ways;
  switch (Shuffle{op.mode[0]}) {
    case Shuffle::kIndex:
      find_ways(warp, op, ways,
                [](Word i, Word by, Word segment, Word limit, bool& within) BURIN_INLINE {
                  const Word from = (i & segment) | (by & ~segment);
                  within = from <= limit;
                  return from;
                });
      break;
    case Shuffle::kUp:
      find_ways(warp, op, ways, [](Word i, Word by, Word, Word limit, bool& within) BURIN_INLINE {
        within = static_cast<std::int32_t>(i - by) >= static_cast<std::int32_t>(limit);
        return i - by;
      });
      break;
    case Shuffle::kDown:
      find_ways(warp, op, ways, [](Word i, Word by, Word, Word limit, bool& within) BURIN_INLINE {
        within = i + by <= limit;
        return i + by;
      });
      break;
    case Shuffle::kButterfly:
      find_ways(warp, op, ways, [](Word i, Word by, Word, Word limit, bool& within) BURIN_INLINE {
        within = (i ^ by) <= limit;
        return i ^ by;
      });
      break;
  }
  const Lanes& a = warp.plain(op.source[0]);
  Lanes out;
  for (unsigned i = 0; i < kWarpLanes; ++i) out.lane[i] = a.lane[ways.from.lane[i]];
  const Mask unknown_way = warp.unknown_of(op.source[1]) | warp.unknown_of(op.source[2]);
  const Mask not_there = warp.unknown_of(op.source[0]) | ~warp.exec;
  Mask unknown = unknown_way;
  if (not_there != 0) {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      unknown |= (not_there >> ways.from.lane[i] & 1) << i;
    }
  }
  const Mask within = mask_of([&](unsigned i) BURIN_INLINE { return ways.within.lane[i] != 0; });
  warp.set(op.destination[0], out, unknown);
  warp.set_predicate(op.predicate_out[0], within, unknown_way);
}

bool lower_shfl(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  const std::string_view mode = i.modifier("mode");
  op.predicate_out[0] = l.predicate_destination(operands[0]);
  op.destination[0] = l.destination(operands[1]);
  for (unsigned k = 0; k < 3; ++k) op.source[k] = l.source(operands[2 + k]);
  op.mode[0] = static_cast<std::uint8_t>(mode == "IDX"    ? Shuffle::kIndex
                                         : mode == "UP"   ? Shuffle::kUp
                                         : mode == "DOWN" ? Shuffle::kDown
                                                          : Shuffle::kButterfly);
  op.execute = execute_shuffle;
  return true;
}

enum class Vote : std::uint8_t { kAll, kAny, kEqual };

struct Election {
  Mask ballot = 0;
  bool ballot_unknown = false;
  bool decision = false;
  bool decision_unknown = false;
};

Election vote(const Warp& warp, const Op& op) {
  const Truth p = truth_of(warp, op.predicate_in[0]);
  const Mask yes = p.surely() & warp.exec;
  const Mask no = ~p.maybe() & warp.exec;
  const Mask unsure = p.unknown & warp.exec;
  Election out;
  out.ballot = yes;
  out.ballot_unknown = unsure != 0;
  switch (Vote{op.mode[0]}) {
    case Vote::kAll:
      out.decision = no == 0;
      out.decision_unknown = no == 0 && unsure != 0;
      break;
    case Vote::kAny:
      out.decision = yes != 0;
      out.decision_unknown = yes == 0 && unsure != 0;
      break;
    case Vote::kEqual:
      out.decision = yes == 0 || no == 0;
      out.decision_unknown = out.decision && unsure != 0;
      break;
  }
  return out;
}

void execute_vote(Warp& warp, const Op& op) {
  const Election election = vote(warp, op);
  Lanes out;
  for (std::uint32_t& lane : out.lane) lane = election.ballot;
  warp.set(op.destination[0], out, election.ballot_unknown ? kAllLanes : 0);
  warp.set_predicate(op.predicate_out[0], election.decision ? kAllLanes : 0,
                     election.decision_unknown ? kAllLanes : 0);
}

void execute_vote_uniform(Warp& warp, const Op& op) {
  const Election election = vote(warp, op);
  set_uniform(warp, op.destination[0], election.ballot, election.ballot_unknown);
  set_uniform_predicate(warp, op.predicate_out[0], election.decision, election.decision_unknown);
}

bool lower_vote(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  const std::string_view mode = i.modifier("mode");
  if (mode != "ALL" && mode != "ANY" && mode != "EQ") return false;
  op.destination[0] = l.destination(operands[0]);
  op.predicate_out[0] = l.predicate_destination(operands[1]);
  op.predicate_in[0] = l.predicate(operands[2]);
  op.mode[0] = static_cast<std::uint8_t>(mode == "ALL"   ? Vote::kAll
                                         : mode == "ANY" ? Vote::kAny
                                                         : Vote::kEqual);
  const bool uniform = operands[0].file == read::RegisterFile::kUniform;
  op.execute = uniform ? execute_vote_uniform : execute_vote;
  return true;
}

// Which lanes hold the same value. One Unknown value makes every answer Unknown.
void execute_match(Warp& warp, const Op& op) {
  const bool all = op.mode[0] != 0;
  const bool wide = op.mode[1] != 0;
  const Lanes& low = warp.plain(op.source[0], 0);
  const Lanes& high = warp.plain(op.source[0], wide ? 1 : 0);
  const Mask unknown =
      warp.unknown_of(op.source[0], 0) | warp.unknown_of(op.source[0], wide ? 1 : 0);
  Lanes out{};
  bool agree = true;
  std::uint8_t matched = 0;
  for_each_lane(warp.exec, [&](unsigned i) {
    for_each_lane(warp.exec, [&](unsigned j) {
      const bool same = low.lane[i] == low.lane[j] && high.lane[i] == high.lane[j];
      out.lane[i] |= Mask{same} << j;
    });
    if (out.lane[i] != warp.exec) agree = false;
    if (out.lane[i] << (31 - i) << 1 == 0) ++matched;  // no lane before it has the same
  });
  warp.matched = matched;
  if (all && !agree) out = {};
  const Mask doubt = (unknown & warp.exec) != 0 ? kAllLanes : 0;
  warp.set(op.destination[0], out, doubt);
  warp.set_predicate(op.predicate_out[0], agree ? kAllLanes : 0, doubt);
}

bool lower_match(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  const bool all = i.modifier("mode") == "ALL";
  if (all) op.predicate_out[0] = l.predicate_destination(operands[0]);
  op.destination[0] = l.destination(operands[all ? 1 : 0]);
  op.source[0] = l.source(operands[all ? 2 : 1]);
  op.mode = {all, i.modifier("type") == "U64"};
  op.execute = execute_match;
  return true;
}

using Reduce = std::uint32_t (*)(std::uint32_t, std::uint32_t);
struct LaneReduction {
  std::string_view operation;
  std::string_view type;
  Reduce reduce;
};
constexpr LaneReduction kLaneReductions[] = {
    {"", "", [](std::uint32_t a, std::uint32_t b) { return a & b; }},
    {"OR", "", [](std::uint32_t a, std::uint32_t b) { return a | b; }},
    {"XOR", "", [](std::uint32_t a, std::uint32_t b) { return a ^ b; }},
    {"SUM", "", [](std::uint32_t a, std::uint32_t b) { return a + b; }},
    {"SUM", "S32", [](std::uint32_t a, std::uint32_t b) { return a + b; }},
    {"MIN", "", [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }},
    {"MAX", "", [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }},
    {"MIN", "S32",
     [](std::uint32_t a, std::uint32_t b) {
       return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
     }},
    {"MAX", "S32",
     [](std::uint32_t a, std::uint32_t b) {
       return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b;
     }},
};

void execute_reduce(Warp& warp, const Op& op) {
  const Reduce reduce = kLaneReductions[op.mode[0]].reduce;
  const Lanes& a = warp.plain(op.source[0]);
  const auto first = static_cast<unsigned>(std::countr_zero(warp.exec));
  std::uint32_t value = a.lane[first];
  for_each_lane(warp.exec & (warp.exec - 1), [&](unsigned i) { value = reduce(value, a.lane[i]); });
  set_uniform(warp, op.destination[0], value, (warp.unknown_of(op.source[0]) & warp.exec) != 0);
}

bool lower_redux(Lowering& l, const read::Instruction& i, Op& op) {
  for (std::size_t k = 0; k < std::size(kLaneReductions); ++k) {
    if (kLaneReductions[k].operation != i.modifier("operation") ||
        kLaneReductions[k].type != i.modifier("type")) {
      continue;
    }
    op.mode[0] = static_cast<std::uint8_t>(k);
    op.destination[0] = l.destination(i.operands()[0]);
    op.source[0] = l.source(i.operands()[1]);
    op.execute = execute_reduce;
    return true;
  }
  return false;
}

// The lowest lane whose predicate holds is elected; the register says which.
void execute_elect(Warp& warp, const Op& op) {
  const Truth p = truth_of(warp, op.predicate_in[0]);
  const Mask candidates = p.value & warp.exec;
  const Mask elected = candidates & (0 - candidates);
  const bool unknown = (p.unknown & warp.exec) != 0;
  warp.set_predicate(op.predicate_out[0], elected, unknown ? kAllLanes : 0);
  set_uniform(warp, op.destination[0], static_cast<std::uint32_t>(std::countr_zero(candidates)),
              unknown || candidates == 0);
}

bool lower_elect(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  if (!operands[2].is_register(read::RegisterFile::kPredicate)) return false;
  op.predicate_out[0] = l.predicate_destination(operands[0]);
  op.destination[0] = l.destination(operands[1]);
  op.predicate_in[0] = l.predicate(operands[2]);
  op.execute = execute_elect;
  return true;
}

}  // namespace

std::span<const LowerRow> lane_rows() {
  static constexpr LowerRow kRows[] = {
      {"SHFL", lower_shfl},   {"VOTE", lower_vote},   {"VOTEU", lower_vote},
      {"MATCH", lower_match}, {"REDUX", lower_redux}, {"ELECT", lower_elect},
  };
  return kRows;
}

}  // namespace burin::emulate
