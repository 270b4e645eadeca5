// Bitwise logic of registers and of predicates.
#include "emulate/state/lower.h"
#include "emulate/state/map.h"
#include "emulate/state/truth.h"

namespace burin::emulate {
namespace {

// LOP3's table gives the result's bit for each of a's, b's and c's: bit 4a + 2b + c. A lane is 32
// such bits, so the function must be computed bitwise: as the exclusive-or of those of the products
// 1, c, b, bc, a, ac, ab, abc that its coefficients name (its algebraic normal form). Coefficient k
// is the exclusive-or of the table's bits at all subsets of k.
std::array<std::uint8_t, 8> coefficients_of(std::uint8_t table) {
  std::array<std::uint8_t, 8> out{};
  for (unsigned k = 0; k < 8; ++k)
    for (unsigned j = 0; j < 8; ++j)
      if ((j & k) == j) out[k] ^= table >> j & 1;
  return out;
}

struct Products {
  std::uint32_t one, c, b, bc, a, ac, ab, abc;  // all ones where the coefficient is 1
};

BURIN_INLINE inline Products products_of(const Op& op) {
  const auto mask = [&](unsigned k) BURIN_INLINE { return 0u - op.mode[k]; };
  return {mask(0), mask(1), mask(2), mask(3), mask(4), mask(5), mask(6), mask(7)};
}

BURIN_INLINE inline std::uint32_t logic3(const Products& p, std::uint32_t a, std::uint32_t b,
                                         std::uint32_t c) {
  const std::uint32_t without_a = p.one ^ (p.c & c) ^ (b & (p.b ^ (p.bc & c)));
  const std::uint32_t with_a = p.a ^ (p.ac & c) ^ (b & (p.ab ^ (p.abc & c)));
  return without_a ^ (a & with_a);
}

// Unknown lanes whose result the known sources decide, x & 0 for one, are known after all: such a
// lane has the same result whether the Unknown sources are all zeros or all ones, each on its own.
BURIN_LANES Mask still_unknown(const Warp& warp, const Op& op, Mask unknown, Lanes& out) {
  const Products p = products_of(op);
  Lanes known[3];    // bits of a source where known, else 0
  Lanes missing[3];  // ones where it is Unknown
  unsigned all = 0;  // sources that have an Unknown lane, a bit each
  for (unsigned k = 0; k < 3; ++k) {
    const Mask lacks = warp.unknown_of(op.source[k]);
    const Lanes& plain = warp.plain(op.source[k]);
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      missing[k].lane[i] = 0u - (lacks >> i & 1);
      known[k].lane[i] = plain.lane[i] & ~missing[k].lane[i];
    }
    if (lacks != 0) all |= 1u << k;
  }
  Lanes value;
  Lanes differs{};
  for (unsigned choice = 0; choice < 8; ++choice) {
    if ((choice & ~all) != 0) continue;
    const std::uint32_t ones[] = {0u - (choice & 1), 0u - (choice >> 1 & 1), 0u - (choice >> 2)};
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      const std::uint32_t now = logic3(p, known[0].lane[i] | (missing[0].lane[i] & ones[0]),
                                       known[1].lane[i] | (missing[1].lane[i] & ones[1]),
                                       known[2].lane[i] | (missing[2].lane[i] & ones[2]));
      if (choice != 0) differs.lane[i] |= now ^ value.lane[i];
      value.lane[i] = now;
    }
  }
  Mask left = 0;
  for_each_lane(unknown, [&](unsigned i) {
    out.lane[i] = value.lane[i];
    if (differs.lane[i] != 0) left |= Mask{1} << i;
  });
  return left;
}

BURIN_INLINE inline Mask logic3_lanes(const Warp& warp, const Op& op, Lanes& out) {
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.plain(op.source[1]);
  const Lanes& c = warp.plain(op.source[2]);
  const Products p = products_of(op);
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out.lane[i] = logic3(p, a.lane[i], b.lane[i], c.lane[i]);
  }
  const Mask unknown =
      warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]) | warp.unknown_of(op.source[2]);
  return unknown == 0 ? 0 : still_unknown(warp, op, unknown, out);
}

BURIN_LANES void execute_logic3(Warp& warp, const Op& op) {
  Lanes out;
  const Mask unknown = logic3_lanes(warp, op, out);
  warp.set(op.destination[0], out, unknown);
}

// The predicate says whether any bit is set, or-ed (.PAND: and-ed) with another.
BURIN_LANES void execute_logic3_test(Warp& warp, const Op& op) {
  Lanes out;
  const Mask unknown = logic3_lanes(warp, op, out);
  const Truth set{mask_of([&](unsigned i) BURIN_INLINE { return out.lane[i] != 0; }), unknown};
  const Truth test = combine(Logic{static_cast<std::uint8_t>(op.immediate)}, set,
                             truth_of(warp, op.predicate_in[0]));
  warp.set(op.destination[0], out, unknown);
  warp.set_predicate(op.predicate_out[0], test.value, test.unknown);
}

bool lower_lop3(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  op.predicate_out[0] = l.predicate_destination(operands[0]);
  op.destination[0] = l.destination(operands[1]);
  for (unsigned k = 0; k < 3; ++k) op.source[k] = l.source(operands[2 + k]);
  op.mode = coefficients_of(static_cast<std::uint8_t>(operands[5].value));
  op.predicate_in[0] = l.predicate(operands[6]);
  op.immediate =
      static_cast<std::uint32_t>(i.modifier("pand") == "PAND" ? Logic::kAnd : Logic::kOr);
  op.execute = op.predicate_out[0] == kPredicateSinkSlot ? execute_logic3 : execute_logic3_test;
  return true;
}

// A truth table of three predicates. Both values of an Unknown predicate are evaluated.
Truth look_up(std::uint8_t table, const std::array<Truth, 3>& in) {
  Mask may_be[2] = {0, 0};
  for (unsigned k = 0; k < 8; ++k) {
    Mask here = kAllLanes;
    for (unsigned j = 0; j < 3; ++j) {
      const Truth& p = in[2 - j];
      here &= (k >> j & 1) != 0 ? p.maybe() : (~p).maybe();
    }
    may_be[table >> k & 1] |= here;
  }
  return {may_be[1], may_be[0] & may_be[1]};
}

void set_looked_up(Warp& warp, const Op& op, const std::array<Truth, 3>& in) {
  const Truth first = look_up(op.mode[0], in);
  const Truth second = look_up(op.mode[1], in);
  warp.set_predicate(op.predicate_out[0], first.value, first.unknown);
  warp.set_predicate(op.predicate_out[1], second.value, second.unknown);
}

void execute_predicate_logic(Warp& warp, const Op& op) {
  set_looked_up(warp, op,
                {truth_of(warp, op.predicate_in[0]), truth_of(warp, op.predicate_in[1]),
                 truth_of(warp, op.predicate_in[2])});
}

// The predicates are the sign bits of registers.
BURIN_LANES void execute_sign_logic(Warp& warp, const Op& op) {
  std::array<Truth, 3> in;
  for (unsigned k = 0; k < 3; ++k) {
    const Lanes& lanes = warp.plain(op.source[k]);
    in[k] = {mask_of([&](unsigned i) BURIN_INLINE { return lanes.lane[i] >> 31 != 0; }),
             warp.unknown_of(op.source[k])};
  }
  set_looked_up(warp, op, in);
}

bool lower_plop3(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  const bool signs = operands[2].suffix == "SIGN";
  op.predicate_out = {l.predicate_destination(operands[0]), l.predicate_destination(operands[1])};
  for (unsigned k = 0; k < 3; ++k) {
    if (signs) {
      op.source[k] = l.source(operands[2 + k]);
    } else {
      op.predicate_in[k] = l.predicate(operands[2 + k]);
    }
  }
  op.mode = {static_cast<std::uint8_t>(operands[5].value),
             static_cast<std::uint8_t>(operands[6].value)};
  op.execute = signs ? execute_sign_logic : execute_predicate_logic;
  return true;
}

}  // namespace

std::span<const LowerRow> logic_rows() {
  static constexpr LowerRow kRows[] = {
      {"LOP3", lower_lop3}, {"ULOP3", lower_lop3}, {"PLOP3", lower_plop3}, {"UPLOP3", lower_plop3}};
  return kRows;
}

}  // namespace burin::emulate
