// Products: IMAD in all its widths, and the dot products of small integers.
#include "emulate/state/lower.h"
#include "emulate/state/map.h"
#include "emulate/state/truth.h"

namespace burin::emulate {
namespace {

// The lanes in which a * b is Unknown: a factor that is known to be 0 decides.
BURIN_INLINE inline Mask unknown_product(const Warp& warp, const Op& op) {
  const Mask unknown_a = warp.unknown_of(op.source[0]);
  const Mask unknown_b = warp.unknown_of(op.source[1]);
  if ((unknown_a | unknown_b) == 0) return 0;
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.plain(op.source[1]);
  const Mask zero_a = mask_of([&](unsigned i) BURIN_INLINE { return a.lane[i] == 0; });
  const Mask zero_b = mask_of([&](unsigned i) BURIN_INLINE { return b.lane[i] == 0; });
  return (unknown_a | unknown_b) & ~(zero_a & ~unknown_a) & ~(zero_b & ~unknown_b);
}

BURIN_LANES void execute_take_c(Warp& warp, const Op& op) {
  Lanes scratch;
  const Lanes& c = warp.get(op.source[2], scratch);
  warp.set(op.destination[0], c, warp.unknown_of(op.source[2]));
}

BURIN_LANES void execute_multiply_add(Warp& warp, const Op& op) {
  Lanes scratch;
  Lanes out;
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.plain(op.source[1]);
  const Lanes& c = warp.get(op.source[2], scratch);
  for (unsigned i = 0; i < kWarpLanes; ++i) out.lane[i] = a.lane[i] * b.lane[i] + c.lane[i];
  warp.set(op.destination[0], out, unknown_product(warp, op) | warp.unknown_of(op.source[2]));
}

BURIN_LANES void execute_multiply_add_with_carry(Warp& warp, const Op& op) {
  Lanes scratch;
  Lanes out;
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.plain(op.source[1]);
  const Lanes& c = warp.get(op.source[2], scratch);
  const Truth carry = truth_of(warp, op.predicate_in[0]);
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out.lane[i] = a.lane[i] * b.lane[i] + c.lane[i] + (carry.value >> i & 1);
  }
  warp.set(op.destination[0], out,
           unknown_product(warp, op) | warp.unknown_of(op.source[2]) | carry.unknown);
}

bool lower_low(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  for (unsigned k = 0; k < 3; ++k) op.source[k] = l.source(operands[1 + k]);
  if (i.modifier("x") == "X") {
    op.predicate_in[0] = l.predicate(operands[4]);
    op.execute = execute_multiply_add_with_carry;
    return true;
  }
  const auto is_zero = [](const Source& s) { return !s.pooled && s.slot == kZeroSlot; };
  const bool moves = is_zero(op.source[0]) || is_zero(op.source[1]);
  op.execute = moves ? execute_take_c : execute_multiply_add;
  return true;
}

// a * b + c with a c of 64 bits: its low half, its high half, and whether it carried. In halves of
// 32 bits, which is what vectors are good at.
struct Wide {
  Lanes low;
  Lanes high;
  Lanes carried;  // 0 or not; of no use unless `kCarry`
};

template <bool kSigned, bool kCarry>
BURIN_INLINE inline void multiply_wide(const Warp& warp, const Op& op, Wide& out) {
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.plain(op.source[1]);
  const Lanes& c_low = warp.plain(op.source[2], 0);
  const Lanes& c_high = warp.plain(op.source[2], 1);
  const std::uint32_t flip = op.mode[0] != 0 ? 0xffffffff : 0;
  const std::uint32_t one = op.mode[1];  // where c is negated, which it is not beside a carry
  const Mask carry = kCarry ? warp.get(op.predicate_in[0]) : 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    if (kSigned) {
      const std::int64_t product =
          std::int64_t{static_cast<std::int32_t>(a.lane[i])} * static_cast<std::int32_t>(b.lane[i]);
      out.high.lane[i] = static_cast<std::uint32_t>(product >> 32);
    } else {
      out.high.lane[i] = static_cast<std::uint32_t>(std::uint64_t{a.lane[i]} * b.lane[i] >> 32);
    }
  }
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t low = a.lane[i] * b.lane[i];
    const std::uint32_t low_sum = low + (c_low.lane[i] ^ flip);
    const std::uint32_t more = one + (kCarry ? carry >> i & 1 : 0);
    const std::uint32_t between = std::uint32_t{low_sum < low} + (low_sum + more < more);
    const std::uint32_t high_sum = out.high.lane[i] + (c_high.lane[i] ^ flip);
    if (kCarry) {
      out.carried.lane[i] =
          std::uint32_t{high_sum < out.high.lane[i]} | std::uint32_t{high_sum + between < between};
    }
    out.low.lane[i] = low_sum + more;
    out.high.lane[i] = high_sum + between;
  }
}

// The lanes in which the low half is Unknown, and those of the high half.
struct WideUnknown {
  Mask low = 0;
  Mask high = 0;
};
BURIN_INLINE inline WideUnknown unknown_wide(const Warp& warp, const Op& op) {
  const Mask low = unknown_product(warp, op) | warp.unknown_of(op.source[2], 0) |
                   warp.unknown_of(op.predicate_in[0]);
  return {low, low | warp.unknown_of(op.source[2], 1)};
}

BURIN_INLINE inline void set_wide(Warp& warp, const Op& op, const Wide& out) {
  const WideUnknown unknown = unknown_wide(warp, op);
  warp.set(op.destination[0], out.low, unknown.low);
  warp.set(slot_after(op.destination[0], 1), out.high, unknown.high);
}

BURIN_LANES void execute_wide_signed(Warp& warp, const Op& op) {
  Wide out;
  multiply_wide<true, false>(warp, op, out);
  set_wide(warp, op, out);
}

BURIN_LANES void execute_wide_unsigned(Warp& warp, const Op& op) {
  Wide out;
  multiply_wide<false, false>(warp, op, out);
  set_wide(warp, op, out);
}

BURIN_INLINE inline void multiply_carrying(const Warp& warp, const Op& op, Wide& out) {
  if (op.mode[2] != 0) {
    multiply_wide<true, true>(warp, op, out);
  } else {
    multiply_wide<false, true>(warp, op, out);
  }
}

BURIN_LANES void execute_wide_carrying(Warp& warp, const Op& op) {
  Wide out;
  multiply_carrying(warp, op, out);
  const Mask unknown = unknown_wide(warp, op).high;
  const Mask carried = mask_of([&](unsigned i) BURIN_INLINE { return out.carried.lane[i] != 0; });
  set_wide(warp, op, out);
  warp.set_predicate(op.predicate_out[0], carried, unknown);
}

BURIN_LANES void execute_high(Warp& warp, const Op& op) {
  Wide out;
  if (op.mode[2] != 0) {
    multiply_wide<true, false>(warp, op, out);
  } else {
    multiply_wide<false, false>(warp, op, out);
  }
  warp.set(op.destination[0], out.high, unknown_wide(warp, op).high);
}

BURIN_LANES void execute_high_carrying(Warp& warp, const Op& op) {
  Wide out;
  multiply_carrying(warp, op, out);
  const Mask unknown = unknown_wide(warp, op).high;
  const Mask carried = mask_of([&](unsigned i) BURIN_INLINE { return out.carried.lane[i] != 0; });
  warp.set(op.destination[0], out.high, unknown);
  warp.set_predicate(op.predicate_out[0], carried, unknown);
}

bool lower_wide(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  const read::Operand& c = operands[4];
  if (c.kind == read::Operand::Kind::kImmediate)
    return false;  // extended by its sign, or with zeros?
  const bool high = i.modifier("hi") == "HI";
  const bool extended = i.modifier("x") == "X";
  const bool is_signed = i.modifier("u32").empty();
  op.destination[0] = l.destination(operands[0]);
  op.predicate_out[0] = l.predicate_destination(operands[1]);
  op.source[0] = l.source(operands[2]);
  op.source[1] = l.source(operands[3]);
  op.source[2] = l.wide_source(c);
  op.predicate_in[0] = extended ? l.predicate(operands[5]) : PredicateSource{kTrueSlot, true};
  op.mode = {static_cast<std::uint8_t>(c.negated || c.inverted), c.negated, is_signed};
  const bool carries = extended || op.predicate_out[0] != kPredicateSinkSlot;
  op.execute = high        ? (carries ? execute_high_carrying : execute_high)
               : carries   ? execute_wide_carrying
               : is_signed ? execute_wide_signed
                           : execute_wide_unsigned;
  return true;
}

bool lower_imad(Lowering& l, const read::Instruction& i, Op& op) {
  const bool low = i.modifier("wide").empty() && i.modifier("hi").empty();
  return low ? lower_low(l, i, op) : lower_wide(l, i, op);
}

// Four products of bytes, or two of a half and a byte (of b's low or high half), added to c.
enum class Dot : std::uint8_t { kBytes, kLowHalf, kHighHalf };

BURIN_INLINE inline std::int32_t part(std::uint32_t word, unsigned at, unsigned bits,
                                      bool is_signed) {
  const auto raised = static_cast<std::int32_t>(word << (32 - at - bits));
  const auto by = 32 - bits;
  return is_signed ? raised >> by
                   : static_cast<std::int32_t>(static_cast<std::uint32_t>(raised) >> by);
}

BURIN_LANES void execute_dot(Warp& warp, const Op& op) {
  const Dot dot{op.mode[0]};
  const bool signed_a = op.mode[1] != 0;
  const bool signed_b = op.mode[2] != 0;
  const unsigned from_b = dot == Dot::kHighHalf ? 16 : 0;
  map3(warp, op, [=](std::uint32_t a, std::uint32_t b, std::uint32_t c) BURIN_INLINE {
    const unsigned bits_a = dot == Dot::kBytes ? 8 : 16;
    for (unsigned k = 0; k < 32 / bits_a; ++k) {
      c += static_cast<std::uint32_t>(part(a, k * bits_a, bits_a, signed_a) *
                                      part(b, from_b + 8 * k, 8, signed_b));
    }
    return c;
  });
}

bool lower_idp(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  for (unsigned k = 0; k < 3; ++k) op.source[k] = l.source(operands[1 + k]);
  const Dot dot = i.modifier("size") == "4A"   ? Dot::kBytes
                  : i.modifier("half") == "LO" ? Dot::kLowHalf
                                               : Dot::kHighHalf;
  op.mode = {static_cast<std::uint8_t>(dot), i.modifier("a").starts_with('S'),
             i.modifier("b").starts_with('S')};
  op.execute = execute_dot;
  return true;
}

}  // namespace

std::span<const LowerRow> multiply_rows() {
  static constexpr LowerRow kRows[] = {
      {"IMAD", lower_imad}, {"UIMAD", lower_imad}, {"IDP", lower_idp}};
  return kRows;
}

}  // namespace burin::emulate
