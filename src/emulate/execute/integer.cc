// Sums: IADD3, LEA and their kin. Products are in execute/multiply.cc.
#include "emulate/state/lower.h"
#include "emulate/state/map.h"
#include "emulate/state/truth.h"

namespace burin::emulate {
namespace {

// The machine negates by adding ~x + 1, so the 1 counts towards the carry: 5 - 0 carries, which is
// how 64-bit differences know that nothing was borrowed.
struct Addend {
  std::uint32_t flip = 0;  // all ones: ~x
  std::uint32_t one = 0;   // 1: and one more
};

Addend addend_of(const read::Operand& o) {
  return {o.negated || o.inverted ? 0xffffffff : 0, o.negated ? 1u : 0u};
}

// Where the carry matters the source is left as it is, and its sign goes into Op::mode.
void take_signs(Op& op, std::span<const read::Operand> sources) {
  std::uint8_t flips = 0;
  std::uint8_t ones = 0;
  for (unsigned k = 0; k < sources.size(); ++k) {
    const Addend addend = addend_of(sources[k]);
    flips = static_cast<std::uint8_t>(flips | (addend.flip & 1) << k);
    ones = static_cast<std::uint8_t>(ones + addend.one);
    op.source[k].change = Source::Change::kNone;
  }
  op.mode[0] = flips;
  op.mode[1] = ones;
}

BURIN_INLINE inline std::uint32_t flip_of(const Op& op, unsigned k) {
  return (op.mode[0] >> k & 1) != 0 ? 0xffffffff : 0;
}

BURIN_INLINE inline Mask unknown_of_three(const Warp& warp, const Op& op) {
  return warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]) |
         warp.unknown_of(op.source[2]);
}

BURIN_LANES void execute_add(Warp& warp, const Op& op) {
  map2(warp, op, [](std::uint32_t a, std::uint32_t b) BURIN_INLINE { return a + b; });
}

BURIN_LANES void execute_add3(Warp& warp, const Op& op) {
  map3(warp, op,
       [](std::uint32_t a, std::uint32_t b, std::uint32_t c) BURIN_INLINE { return a + b + c; });
}

// With one or two carries in, and none out.
BURIN_LANES void execute_add3_with_carry(Warp& warp, const Op& op) {
  Lanes sa;
  Lanes sb;
  Lanes sc;
  Lanes out;
  const Lanes& a = warp.get(op.source[0], sa);
  const Lanes& b = warp.get(op.source[1], sb);
  const Lanes& c = warp.get(op.source[2], sc);
  const Truth carry = truth_of(warp, op.predicate_in[0]);
  const Truth other = truth_of(warp, op.predicate_in[1]);
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out.lane[i] =
        a.lane[i] + b.lane[i] + c.lane[i] + (carry.value >> i & 1) + (other.value >> i & 1);
  }
  warp.set(op.destination[0], out, unknown_of_three(warp, op) | carry.unknown | other.unknown);
}

// The sum of three 32-bit numbers carries 0, 1 or 2: the first predicate says "at least 1", the
// second "2".
BURIN_LANES void execute_add3_carrying(Warp& warp, const Op& op) {
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.plain(op.source[1]);
  const Lanes& c = warp.plain(op.source[2]);
  const Truth carry = truth_of(warp, op.predicate_in[0]);
  const Truth other = truth_of(warp, op.predicate_in[1]);
  const std::uint32_t flip_a = flip_of(op, 0);
  const std::uint32_t flip_b = flip_of(op, 1);
  const std::uint32_t flip_c = flip_of(op, 2);
  const std::uint32_t ones = op.mode[1];
  Lanes out;
  Lanes carries;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t first = a.lane[i] ^ flip_a;
    const std::uint32_t third = c.lane[i] ^ flip_c;
    const std::uint32_t two = first + (b.lane[i] ^ flip_b);
    const std::uint32_t three = two + third;
    const std::uint32_t more = ones + (carry.value >> i & 1) + (other.value >> i & 1);
    const std::uint32_t all = three + more;
    out.lane[i] = all;
    carries.lane[i] = std::uint32_t{two < first} + (three < third) + (all < more);
  }
  const Mask unknown = unknown_of_three(warp, op) | carry.unknown | other.unknown;
  const Mask once = mask_of([&](unsigned i) BURIN_INLINE { return carries.lane[i] != 0; });
  warp.set(op.destination[0], out, unknown);
  warp.set_predicate(op.predicate_out[0], once, unknown);
  if (op.predicate_out[1] == kPredicateSinkSlot) return;
  const Mask twice = mask_of([&](unsigned i) BURIN_INLINE { return carries.lane[i] > 1; });
  warp.set_predicate(op.predicate_out[1], twice, unknown);
}

// 64-bit numbers in pairs of registers.
BURIN_LANES void execute_add3_wide(Warp& warp, const Op& op) {
  const Truth carry = truth_of(warp, op.predicate_in[0]);
  const Truth other = truth_of(warp, op.predicate_in[1]);
  Lanes low;
  Lanes high;
  Lanes carries;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    std::uint64_t sum = op.mode[1] + std::uint64_t{carry.value >> i & 1} + (other.value >> i & 1);
    std::uint32_t carried = 0;
    for (unsigned k = 0; k < 3; ++k) {
      const std::uint64_t flip = (op.mode[0] >> k & 1) != 0 ? ~std::uint64_t{0} : 0;
      const std::uint64_t value = (warp.plain(op.source[k], 0).lane[i] |
                                   std::uint64_t{warp.plain(op.source[k], 1).lane[i]} << 32) ^
                                  flip;
      sum += value;
      carried += sum < value ? 1 : 0;
    }
    low.lane[i] = static_cast<std::uint32_t>(sum);
    high.lane[i] = static_cast<std::uint32_t>(sum >> 32);
    carries.lane[i] = carried;
  }
  const Mask low_unknown = unknown_of_three(warp, op) | carry.unknown | other.unknown;
  Mask unknown = low_unknown;
  for (unsigned k = 0; k < 3; ++k) unknown |= warp.unknown_of(op.source[k], 1);
  const Mask once = mask_of([&](unsigned i) BURIN_INLINE { return carries.lane[i] >= 1; });
  const Mask twice = mask_of([&](unsigned i) BURIN_INLINE { return carries.lane[i] >= 2; });
  warp.set(op.destination[0], low, low_unknown);
  warp.set(slot_after(op.destination[0], 1), high, unknown);
  warp.set_predicate(op.predicate_out[0], once, unknown);
  warp.set_predicate(op.predicate_out[1], twice, unknown);
}

bool lower_iadd3(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  const auto sources = operands.subspan(3, 3);
  const bool wide = i.modifier("wide") == "64";
  op.destination[0] = l.destination(operands[0]);
  op.predicate_out = {l.predicate_destination(operands[1]), l.predicate_destination(operands[2])};
  for (unsigned k = 0; k < 3; ++k) {
    op.source[k] = wide ? l.wide_source(sources[k]) : l.source(sources[k]);
  }
  const bool extended = i.modifier("x") == "X";
  for (unsigned k = 0; k < 2; ++k) {
    op.predicate_in[k] = extended ? l.predicate(operands[6 + k]) : PredicateSource{kTrueSlot, true};
  }
  const bool carries =
      op.predicate_out[0] != kPredicateSinkSlot || op.predicate_out[1] != kPredicateSinkSlot;
  if (wide || carries) {
    take_signs(op, sources);
    op.execute = wide ? execute_add3_wide : execute_add3_carrying;
  } else {
    op.execute = extended ? execute_add3_with_carry : execute_add3;
  }
  return true;
}

// LEA: a (of 64 bits for .HI) shifted left, plus b. The sign of a is that of the shifted value.
BURIN_LANES void execute_lea(Warp& warp, const Op& op) {
  Lanes sb;
  Lanes out;
  const unsigned shift = op.mode[2];
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.get(op.source[1], sb);
  for (unsigned i = 0; i < kWarpLanes; ++i) out.lane[i] = (a.lane[i] << shift) + b.lane[i];
  warp.set(op.destination[0], out, warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]));
}

enum class Upper : std::uint8_t { kNone, kRegister, kSign };  // LEA, LEA.HI, LEA.HI.SX32

BURIN_INLINE inline Mask shifted_lanes(const Warp& warp, const Op& op, Lanes& out) {
  const unsigned shift = op.mode[2];  // below 32
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& c = warp.plain(op.source[2]);
  switch (Upper{op.mode[3]}) {
    case Upper::kNone:
      for (unsigned i = 0; i < kWarpLanes; ++i) out.lane[i] = a.lane[i] << shift;
      break;
    case Upper::kRegister:
      for (unsigned i = 0; i < kWarpLanes; ++i) {
        out.lane[i] = c.lane[i] << shift | a.lane[i] >> 1 >> (31 - shift);
      }
      return warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[2]);
    case Upper::kSign:
      for (unsigned i = 0; i < kWarpLanes; ++i) {
        const std::uint32_t sign = 0u - (a.lane[i] >> 31);
        out.lane[i] = sign << shift | a.lane[i] >> 1 >> (31 - shift);
      }
      break;
  }
  return warp.unknown_of(op.source[0]);
}

BURIN_LANES void execute_lea_high(Warp& warp, const Op& op) {
  Lanes scratch;
  Lanes out;
  const Mask unknown = shifted_lanes(warp, op, out);
  const Lanes& b = warp.get(op.source[1], scratch);
  for (unsigned i = 0; i < kWarpLanes; ++i) out.lane[i] += b.lane[i];
  warp.set(op.destination[0], out, unknown | warp.unknown_of(op.source[1]));
}

BURIN_LANES void execute_lea_carrying(Warp& warp, const Op& op) {
  const Lanes& b = warp.plain(op.source[1]);
  const Truth carry = truth_of(warp, op.predicate_in[0]);
  const std::uint32_t flip_a = flip_of(op, 0);
  const std::uint32_t flip_b = flip_of(op, 1);
  const std::uint32_t ones = op.mode[1];
  Lanes shifted;
  Lanes out;
  Lanes carries;
  const Mask unknown =
      shifted_lanes(warp, op, shifted) | warp.unknown_of(op.source[1]) | carry.unknown;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t first = shifted.lane[i] ^ flip_a;
    const std::uint32_t two = first + (b.lane[i] ^ flip_b);
    const std::uint32_t more = ones + (carry.value >> i & 1);
    out.lane[i] = two + more;
    carries.lane[i] = std::uint32_t{two < first} | std::uint32_t{two + more < more};
  }
  const Mask carried = mask_of([&](unsigned i) BURIN_INLINE { return carries.lane[i] != 0; });
  warp.set(op.destination[0], out, unknown);
  warp.set_predicate(op.predicate_out[0], carried, unknown);
}

bool lower_lea(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  const bool high = i.modifier("hi") == "HI";
  const bool sign = i.modifier("sx32") == "SX32";
  const bool extended = i.modifier("x") == "X";
  if (sign && !high) return false;
  op.destination[0] = l.destination(operands[0]);
  op.predicate_out[0] = l.predicate_destination(operands[1]);
  op.source[0] = l.source(operands[2]);
  op.source[1] = l.source(operands[3]);
  unsigned next = 4;
  if (high && !sign) op.source[2] = l.source(operands[next++]);
  op.mode[2] = static_cast<std::uint8_t>(operands[next++].value);
  op.predicate_in[0] = extended ? l.predicate(operands[next]) : PredicateSource{kTrueSlot, true};
  op.mode[3] = static_cast<std::uint8_t>(!high  ? Upper::kNone
                                         : sign ? Upper::kSign
                                                : Upper::kRegister);
  if (!extended && op.predicate_out[0] == kPredicateSinkSlot && !operands[2].negated) {
    op.execute = high ? execute_lea_high : execute_lea;
    return true;
  }
  take_signs(op, operands.subspan(2, 2));
  op.execute = execute_lea_carrying;
  return true;
}

// Each half on its own.
BURIN_LANES void execute_add_halves(Warp& warp, const Op& op) {
  map2(warp, op, [](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
    return ((a + b) & 0xffff) | ((a & 0xffff0000) + (b & 0xffff0000));
  });
}

BURIN_LANES void execute_subtract_halves(Warp& warp, const Op& op) {
  map2(warp, op, [](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
    return ((a - b) & 0xffff) | ((a & 0xffff0000) - (b & 0xffff0000));
  });
}

bool lower_viadd(Lowering& l, const read::Instruction& i, Op& op) {
  const bool halves = i.modifier("x2") == "16x2";
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  op.source[0] = l.source(operands[1]);
  op.source[1] = l.source(operands[2]);
  op.execute = halves ? execute_add_halves : execute_add;
  if (halves && operands[2].negated) {  // each half by itself
    op.source[1].change = Source::Change::kNone;
    op.execute = execute_subtract_halves;
  }
  return true;
}

BURIN_LANES void execute_absolute(Warp& warp, const Op& op) {
  map1(warp, op, [](std::uint32_t a) BURIN_INLINE { return a >> 31 != 0 ? 0 - a : a; });
}

bool lower_iabs(Lowering& l, const read::Instruction& i, Op& op) {
  op.destination[0] = l.destination(i.operands()[0]);
  op.source[0] = l.source(i.operands()[1]);
  op.execute = execute_absolute;
  return true;
}

}  // namespace

std::span<const LowerRow> integer_rows() {
  static constexpr LowerRow kRows[] = {
      {"IADD3", lower_iadd3}, {"UIADD3", lower_iadd3}, {"LEA", lower_lea},
      {"ULEA", lower_lea},    {"VIADD", lower_viadd},  {"IABS", lower_iabs},
  };
  return kRows;
}

}  // namespace burin::emulate
