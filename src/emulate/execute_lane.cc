// What crosses lanes: shuffles, votes, matches, reductions over the warp. The lanes that take part
// are those of Warp::exec.
#include "emulate/lower.h"
#include "emulate/map.h"
#include "emulate/truth.h"
#include "emulate/uniform.h"

namespace burin {
namespace {

enum class Shuffle : std::uint8_t { kIndex, kUp, kDown, kButterfly };

// Bits 8-12 of c cut the warp into segments, bits 0-4 say how far a lane may reach. A lane that
// would reach further gets its own value and a false predicate. What a lane gets from one that
// does not take part is not defined: it is Unknown.
void execute_shuffle(Warp& warp, const Op& op) {
  const Shuffle mode{op.mode[0]};
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.plain(op.source[1]);
  const Lanes& c = warp.plain(op.source[2]);
  const Mask unknown_a = warp.unknown_of(op.source[0]);
  const Mask unknown_way = warp.unknown_of(op.source[1]) | warp.unknown_of(op.source[2]);
  Lanes out;
  Mask within = 0;
  Mask unknown = unknown_way;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const unsigned by = b.lane[i] & 31;
    const unsigned segment = c.lane[i] >> 8 & 31;
    const unsigned limit = (i & segment) | (c.lane[i] & 31 & ~segment);
    unsigned from = i;
    bool reached = false;
    switch (mode) {
      case Shuffle::kIndex:
        from = (i & segment) | (by & ~segment);
        reached = from <= limit;
        break;
      case Shuffle::kUp:
        from = i - by;
        reached = static_cast<int>(from) >= static_cast<int>(limit);
        break;
      case Shuffle::kDown:
        from = i + by;
        reached = from <= limit;
        break;
      case Shuffle::kButterfly:
        from = i ^ by;
        reached = from <= limit;
        break;
    }
    if (!reached) from = i;
    within |= Mask{reached} << i;
    from &= 31;  // the lane's own, at most: only an Unknown way can lead out
    out.lane[i] = a.lane[from];
    if (((unknown_a | ~warp.exec) >> from & 1) != 0) unknown |= Mask{1} << i;
  }
  warp.set(op.destination[0], out, unknown);
  warp.set_predicate(op.predicate_out[0], within, unknown_way);
}

bool lower_shfl(Lowering& l, const Instruction& i, Op& op) {
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

bool lower_vote(Lowering& l, const Instruction& i, Op& op) {
  const auto operands = i.operands();
  const std::string_view mode = i.modifier("mode");
  if (mode != "ALL" && mode != "ANY" && mode != "EQ") return false;
  op.destination[0] = l.destination(operands[0]);
  op.predicate_out[0] = l.predicate_destination(operands[1]);
  op.predicate_in[0] = l.predicate(operands[2]);
  op.mode[0] = static_cast<std::uint8_t>(mode == "ALL"   ? Vote::kAll
                                         : mode == "ANY" ? Vote::kAny
                                                         : Vote::kEqual);
  op.execute = i.mnemonic() == "VOTEU" ? execute_vote_uniform : execute_vote;
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
  for_each_lane(warp.exec, [&](unsigned i) {
    for_each_lane(warp.exec, [&](unsigned j) {
      const bool same = low.lane[i] == low.lane[j] && high.lane[i] == high.lane[j];
      out.lane[i] |= Mask{same} << j;
    });
    if (out.lane[i] != warp.exec) agree = false;
  });
  if (all && !agree) out = {};
  const Mask doubt = (unknown & warp.exec) != 0 ? kAllLanes : 0;
  warp.set(op.destination[0], out, doubt);
  warp.set_predicate(op.predicate_out[0], agree ? kAllLanes : 0, doubt);
}

bool lower_match(Lowering& l, const Instruction& i, Op& op) {
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
struct Reduction {
  std::string_view operation;
  std::string_view type;
  Reduce reduce;
};
constexpr Reduction kReductions[] = {
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
  const Reduce reduce = kReductions[op.mode[0]].reduce;
  const Lanes& a = warp.plain(op.source[0]);
  const auto first = static_cast<unsigned>(std::countr_zero(warp.exec));
  std::uint32_t value = a.lane[first];
  for_each_lane(warp.exec & (warp.exec - 1), [&](unsigned i) { value = reduce(value, a.lane[i]); });
  set_uniform(warp, op.destination[0], value, (warp.unknown_of(op.source[0]) & warp.exec) != 0);
}

bool lower_redux(Lowering& l, const Instruction& i, Op& op) {
  for (std::uint8_t k = 0; k < std::size(kReductions); ++k) {
    if (kReductions[k].operation != i.modifier("operation") ||
        kReductions[k].type != i.modifier("type")) {
      continue;
    }
    op.mode[0] = k;
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

bool lower_elect(Lowering& l, const Instruction& i, Op& op) {
  const auto operands = i.operands();
  if (!operands[2].is_register(RegisterFile::kPredicate)) return false;
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

}  // namespace burin
