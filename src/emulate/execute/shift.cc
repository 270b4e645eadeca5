// Shifts, bit fields, and counting bits.
#include <algorithm>

#include "emulate/state/lower.h"
#include "emulate/state/map.h"

namespace burin::emulate {
namespace {

// SHF shifts the 64 bits c:a by b and keeps the low or (.HI) the high word. The type's width limits
// the amount to 32 or 64 bits, or (.W) wraps it there. A word that cannot reach the result does not
// matter, so the two most common forms shift one word.
struct Amount {
  std::uint32_t most;  // 32 or 64; wrapping: 31 or 63
  bool wraps;
};
BURIN_INLINE inline std::uint32_t amount_of(Amount amount, std::uint32_t by) {
  return amount.wraps ? by & amount.most : std::min(by, amount.most);
}

BURIN_LANES void execute_shift_left(Warp& warp, const Op& op) {  // the low word
  const Amount amount{op.mode[0], op.mode[1] != 0};
  map2(warp, op, [=](std::uint32_t a, std::uint32_t by) BURIN_INLINE {
    const std::uint32_t s = amount_of(amount, by);
    return s < 32 ? a << (s & 31) : 0;
  });
}

BURIN_LANES void execute_shift_right(Warp& warp, const Op& op) {  // the high word
  const Amount amount{op.mode[0], op.mode[1] != 0};
  if (op.mode[2] != 0) {
    map2(warp, op, [=](std::uint32_t c, std::uint32_t by) BURIN_INLINE {
      const std::uint32_t s = std::min(amount_of(amount, by), 31u);
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(c) >> (s & 31));
    });
    return;
  }
  map2(warp, op, [=](std::uint32_t c, std::uint32_t by) BURIN_INLINE {
    const std::uint32_t s = amount_of(amount, by);
    return s < 32 ? c >> (s & 31) : 0;
  });
}

BURIN_LANES void execute_funnel_left(Warp& warp, const Op& op) {  // the high word
  const Amount amount{op.mode[0], op.mode[1] != 0};
  map3(warp, op, [=](std::uint32_t a, std::uint32_t by, std::uint32_t c) BURIN_INLINE {
    const std::uint32_t s = amount_of(amount, by);
    const std::uint64_t whole = std::uint64_t{c} << 32 | a;
    return s < 64 ? static_cast<std::uint32_t>(whole << (s & 63) >> 32) : 0;
  });
}

BURIN_LANES void execute_funnel_right(Warp& warp, const Op& op) {  // the low word
  const Amount amount{op.mode[0], op.mode[1] != 0};
  const bool is_signed = op.mode[2] != 0;
  map3(warp, op, [=](std::uint32_t a, std::uint32_t by, std::uint32_t c) BURIN_INLINE {
    const std::uint32_t s = amount_of(amount, by);
    // A negative number is shifted as its complement, so that what comes in from above is right.
    const std::uint64_t flip = is_signed && c >> 31 != 0 ? ~std::uint64_t{0} : 0;
    const std::uint64_t whole = (std::uint64_t{c} << 32 | a) ^ flip;
    return static_cast<std::uint32_t>((s < 64 ? whole >> (s & 63) : 0) ^ flip);
  });
}

// By the same number of bits, 1 to 31, in every lane: a part of either word.
BURIN_LANES void execute_funnel_fixed(Warp& warp, const Op& op) {
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& c = warp.plain(op.source[2]);
  const unsigned right = op.mode[3];
  Lanes out;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out.lane[i] = a.lane[i] >> (right & 31) | c.lane[i] << ((32 - right) & 31);
  }
  warp.set(op.destination[0], out, warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[2]));
}

bool lower_shf(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  const bool left = i.modifier("direction") == "L";
  const bool high = i.modifier("hi") == "HI";
  const bool wraps = i.modifier("w") == "W";
  const std::string_view type = i.modifier("type");
  const std::uint32_t bits = type.ends_with("64") ? 64 : 32;
  op.destination[0] = l.destination(operands[0]);
  for (unsigned k = 0; k < 3; ++k) op.source[k] = l.source(operands[1 + k]);
  op.mode = {static_cast<std::uint8_t>(wraps ? bits - 1 : bits), wraps, type.starts_with('S')};
  if (left != high) {  // a left shift's low word, a right shift's high word
    if (!left) op.source[0] = op.source[2];
    op.source[2] = {};
    op.execute = left ? execute_shift_left : execute_shift_right;
  } else {
    op.execute = left ? execute_funnel_left : execute_funnel_right;
    const Source& b = op.source[1];
    if (!b.pooled || l.program().pool_unknown[b.slot] != 0) return true;
    const std::uint32_t by = amount_of({op.mode[0], wraps}, l.program().pool[b.slot].lane[0]);
    if (by == 0 || by >= 32) return true;
    op.mode[3] = static_cast<std::uint8_t>(left ? 32 - by : by);
    op.execute = execute_funnel_fixed;
  }
  return true;
}

// A mask of `width` bits from bit `start` on. Numbers of 32 and more stop there, or (.W) wrap.
BURIN_LANES void execute_bit_mask(Warp& warp, const Op& op) {
  const bool wraps = op.mode[0] != 0;
  map2(warp, op, [=](std::uint32_t start, std::uint32_t width) BURIN_INLINE {
    const std::uint64_t from = wraps ? start & 31 : std::min(start, 32u);
    const std::uint64_t many = wraps ? width & 31 : std::min(width, 32u);
    return static_cast<std::uint32_t>(((std::uint64_t{1} << many) - 1) << from);
  });
}

// The low `width` bits of a, extended by their sign or with zeros.
BURIN_LANES void execute_extend(Warp& warp, const Op& op) {
  const bool wraps = op.mode[0] != 0;
  const bool is_signed = op.mode[1] != 0;
  map2(warp, op, [=](std::uint32_t a, std::uint32_t width) BURIN_INLINE {
    const std::uint32_t bits = wraps ? width & 31 : std::min(width, 32u);
    const std::uint32_t keep = bits < 32 ? (1u << (bits & 31)) - 1 : 0xffffffff;
    const bool negative = is_signed && bits != 0 && (a >> ((bits - 1) & 31) & 1) != 0;
    return (a & keep) | (negative ? ~keep : 0);
  });
}

bool lower_field(Lowering& l, const read::Instruction& i, Op& op, Execute execute) {
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  op.source[0] = l.source(operands[1]);
  op.source[1] = l.source(operands[2]);
  op.mode[0] = i.modifier("w") == "W";
  op.mode[1] = i.modifier("u32").empty();
  op.execute = execute;
  return true;
}
bool lower_bmsk(Lowering& l, const read::Instruction& i, Op& op) {
  return lower_field(l, i, op, execute_bit_mask);
}
bool lower_sgxt(Lowering& l, const read::Instruction& i, Op& op) {
  return lower_field(l, i, op, execute_extend);
}

// The highest set bit (of a signed number: the highest that differs from its sign), counted from
// bit 0 or (.SH) as the shift that brings it to the top. All ones if there is none.
void execute_find(Warp& warp, const Op& op) {
  const bool is_signed = op.mode[0] != 0;
  const bool as_shift = op.mode[1] != 0;
  map1(warp, op, [=](std::uint32_t a) {
    const std::uint32_t bits = is_signed && a >> 31 != 0 ? ~a : a;
    if (bits == 0) return 0xffffffffu;
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
    return as_shift ? zeros : 31 - zeros;
  });
}

bool lower_flo(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  if (l.predicate_destination(operands[1]) != kPredicateSinkSlot) return false;
  op.destination[0] = l.destination(operands[0]);
  op.source[0] = l.source(operands[2]);
  op.mode = {i.modifier("u32").empty(), i.modifier("sh") == "SH"};
  op.execute = execute_find;
  return true;
}

BURIN_LANES void execute_count(Warp& warp, const Op& op) {
  map1(warp, op, [](std::uint32_t a) BURIN_INLINE {
    a -= a >> 1 & 0x55555555;
    a = (a & 0x33333333) + (a >> 2 & 0x33333333);
    a = (a + (a >> 4)) & 0x0f0f0f0f;
    return a * 0x01010101 >> 24;
  });
}

BURIN_LANES void execute_reverse(Warp& warp, const Op& op) {
  map1(warp, op, [](std::uint32_t a) BURIN_INLINE {
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    a = (a >> 8 & 0x00ff00ff) | (a & 0x00ff00ff) << 8;
    return a >> 16 | a << 16;
  });
}

bool lower_unary(Lowering& l, const read::Instruction& i, Op& op, Execute execute) {
  op.destination[0] = l.destination(i.operands()[0]);
  op.source[0] = l.source(i.operands()[1]);
  op.execute = execute;
  return true;
}
bool lower_popc(Lowering& l, const read::Instruction& i, Op& op) {
  return lower_unary(l, i, op, execute_count);
}
bool lower_brev(Lowering& l, const read::Instruction& i, Op& op) {
  return lower_unary(l, i, op, execute_reverse);
}

}  // namespace

std::span<const LowerRow> shift_rows() {
  static constexpr LowerRow kRows[] = {
      {"SHF", lower_shf},   {"USHF", lower_shf},   {"BMSK", lower_bmsk}, {"UBMSK", lower_bmsk},
      {"SGXT", lower_sgxt}, {"USGXT", lower_sgxt}, {"FLO", lower_flo},   {"UFLO", lower_flo},
      {"POPC", lower_popc}, {"UPOPC", lower_popc}, {"BREV", lower_brev}, {"UBREV", lower_brev},
  };
  return kRows;
}

}  // namespace burin::emulate
