// FP32 instructions that compare, select or test: FSET, FSETP, FMNMX, FSEL, FCHK, FSWZADD.
#include "emulate/numbers/float_compare.h"

#include "emulate/numbers/float_lanes.h"
#include "emulate/state/lower.h"
#include "emulate/state/map.h"

namespace burin::emulate {
namespace {

BURIN_INLINE inline Truth compare_floats(const Warp& warp, const Op& op) {
  Lanes sa;
  Lanes sb;
  const Lanes& a = warp.get(op.source[0], sa);
  const Lanes& b = warp.get(op.source[1], sb);
  const std::uint32_t relations = op.mode[kRelations];
  const std::uint32_t kept = kept_bits(op);
  Mask value = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    value |= holds(relations, as_float(flush(a.lane[i], kept)), as_float(flush(b.lane[i], kept)))
             << i;
  }
  return {value, warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1])};
}

BURIN_LANES void execute_fsetp(Warp& warp, const Op& op) {
  const Truth compared = compare_floats(warp, op);
  const Truth other = truth_of(warp, op.predicate_in[0]);
  const auto logic = static_cast<Logic>(op.mode[kLogic]);
  const Truth first = combine(logic, compared, other);
  const Truth second = combine(logic, {~compared.value, compared.unknown}, other);
  write_predicate(warp, op.predicate_out[0], first);
  write_predicate(warp, op.predicate_out[1], second);
}

BURIN_LANES void execute_fset(Warp& warp, const Op& op) {
  const Truth result = combine(static_cast<Logic>(op.mode[kLogic]), compare_floats(warp, op),
                               truth_of(warp, op.predicate_in[0]));
  Lanes out;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out.lane[i] = (result.value >> i & 1) != 0 ? kFloatOne : 0;
  }
  warp.set(op.destination[0], out, result.unknown);
}

bool lower_float_comparison(Lowering& l, const read::Instruction& i, Op& op) {
  const auto relations = relations_named(i.modifier("compare"));
  const auto logic = logic_named(i.modifier("logic"));
  if (!relations || !logic || !sources_are_plain(i)) return false;
  const auto operands = i.operands();
  const std::size_t last = operands.size() - 1;
  op.source[0] = l.float_source(operands[last - 2]);
  op.source[1] = l.float_source(operands[last - 1]);
  op.predicate_in[0] = l.predicate(operands[last]);
  op.mode[kRelations] = *relations;
  op.mode[kLogic] = static_cast<std::uint8_t>(*logic);
  op.mode[kFlushes] = i.modifier("ftz") == "FTZ";
  return true;
}

// Integers in the order of the floats, -0 below +0.
BURIN_INLINE inline std::int32_t order_of(std::uint32_t bits) {
  const auto v = static_cast<std::int32_t>(bits);
  return v ^ (v >> 31 & 0x7fffffff);
}

// `maximum`: 0 or 1. All of it selections, no branches, for the sake of vectors.
BURIN_INLINE inline std::uint32_t minimum_or_maximum(std::uint32_t a, std::uint32_t b,
                                                     std::uint32_t maximum,
                                                     std::uint32_t keeps_nan) {
  const std::uint32_t a_first = order_of(a) < order_of(b) ? 1 : 0;
  const std::uint32_t chosen = (a_first ^ maximum) != 0 ? a : b;
  const std::uint32_t a_nan = is_nan(a);
  const std::uint32_t b_nan = is_nan(b);
  const std::uint32_t without_b = b_nan != 0 ? a : chosen;
  const std::uint32_t number = a_nan != 0 ? b : without_b;
  const std::uint32_t nan = (a_nan & b_nan) | ((a_nan | b_nan) & keeps_nan);
  return nan != 0 ? kFloatNan : number;
}

BURIN_LANES void execute_fmnmx(Warp& warp, const Op& op) {
  Lanes sa;
  Lanes sb;
  Lanes out;
  const Lanes& a = warp.get(op.source[0], sa);
  const Lanes& b = warp.get(op.source[1], sb);
  const Mask maximum = ~warp.get(op.predicate_in[0]);
  const std::uint32_t kept = kept_bits(op);
  const std::uint32_t keeps_nan = op.mode[kKeepsNan];
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out.lane[i] = minimum_or_maximum(flush(a.lane[i], kept), flush(b.lane[i], kept),
                                     maximum >> i & 1, keeps_nan);
  }
  warp.set(op.destination[0], out,
           warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]) |
               warp.unknown_of(op.predicate_in[0]));
}

// The smaller or larger magnitude, its sign that of the product.
BURIN_LANES void execute_fmnmx_xorsign(Warp& warp, const Op& op) {
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.plain(op.source[1]);
  Lanes out;
  const Mask maximum = ~warp.get(op.predicate_in[0]);
  const std::uint32_t kept = kept_bits(op);
  const std::uint32_t keeps_nan = op.mode[kKeepsNan];
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t x = flush(a.lane[i], kept);
    const std::uint32_t y = flush(b.lane[i], kept);
    const std::uint32_t magnitude =
        minimum_or_maximum(x & ~kFloatSign, y & ~kFloatSign, maximum >> i & 1, keeps_nan);
    out.lane[i] = is_nan(magnitude) != 0 ? magnitude : magnitude | ((x ^ y) & kFloatSign);
  }
  warp.set(op.destination[0], out,
           warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]) |
               warp.unknown_of(op.predicate_in[0]));
}

BURIN_LANES void execute_fsel(Warp& warp, const Op& op) {
  Lanes sa;
  Lanes sb;
  const Lanes& a = warp.get(op.source[0], sa);
  const Lanes& b = warp.get(op.source[1], sb);
  const Truth first = truth_of(warp, op.predicate_in[0]);
  Lanes out = b;
  blend(out, a, first.value);
  warp.set(op.destination[0], out,
           (warp.unknown_of(op.source[0]) & first.value) |
               (warp.unknown_of(op.source[1]) & ~first.value) | first.unknown);
}

// Whether a / b needs the slow way: the fast one refines the reciprocal of b, and its steps must
// neither overflow nor lose bits to denormals. Exponents decide, as they are encoded.
BURIN_INLINE inline bool division_is_hard(std::uint32_t a, std::uint32_t b) {
  const auto a_exponent = static_cast<std::int32_t>(a >> 23 & 0xff);
  const auto b_exponent = static_cast<std::int32_t>(b >> 23 & 0xff);
  const std::int32_t difference = a_exponent - b_exponent;
  return a_exponent < 25 || a_exponent > 254 || b_exponent < 2 || b_exponent > 251 ||
         difference < -124 || difference > 126;
}

BURIN_LANES void execute_fchk(Warp& warp, const Op& op) {
  Lanes sa;
  Lanes sb;
  const Lanes& a = warp.get(op.source[0], sa);
  const Lanes& b = warp.get(op.source[1], sb);
  const Mask hard =
      mask_of([&](unsigned i) BURIN_INLINE { return division_is_hard(a.lane[i], b.lane[i]); });
  warp.set_predicate(op.predicate_out[0], hard,
                     warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]));
}

// Four lanes share a pattern, two bits each, the first lane's highest: a + b, a - b, b - a, b.
void execute_fswzadd(Warp& warp, const Op& op) {
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.plain(op.source[1]);
  const std::uint32_t kept = kept_bits(op);
  Lanes out;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const unsigned how = op.immediate >> (6 - 2 * (i % 4)) & 3;
    const std::uint32_t x = flush(a.lane[i], kept) ^ (how == 2 ? kFloatSign : 0);
    const std::uint32_t y = flush(b.lane[i], kept) ^ (how == 1 ? kFloatSign : 0);
    const float first = how == 3 ? -0.0F : as_float(x);
    out.lane[i] = one_nan(flush(as_bits(first + as_float(y)), kept));
  }
  warp.set(op.destination[0], out, warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]));
}

}  // namespace

bool lower_fsetp(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_float_comparison(l, i, op)) return false;
  op.predicate_out = {l.predicate_destination(i.operands()[0]),
                      l.predicate_destination(i.operands()[1])};
  op.execute = execute_fsetp;
  return true;
}

bool lower_fset(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_float_comparison(l, i, op)) return false;
  op.destination[0] = l.destination(i.operands()[0]);
  op.execute = execute_fset;
  return true;
}

bool lower_fmnmx(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  if (!i.modifier("is_a").empty() || operands.size() != 4 || !sources_are_plain(i)) return false;
  op.destination[0] = l.destination(operands[0]);
  op.source[0] = l.float_source(operands[1]);
  op.source[1] = l.float_source(operands[2]);
  op.predicate_in[0] = l.predicate(operands[3]);
  op.mode[kFlushes] = i.modifier("ftz") == "FTZ";
  op.mode[kKeepsNan] = i.modifier("nan") == "NAN";
  op.execute = execute_fmnmx;
  if (i.modifier("xorsign").empty()) return true;
  // Magnitudes are compared; only that form of the sources is known.
  for (const read::Operand& o : {operands[1], operands[2]}) {
    if (o.negated || (o.kind != read::Operand::Kind::kFloat && !o.absolute)) return false;
  }
  op.execute = execute_fmnmx_xorsign;
  return true;
}

bool lower_fsel(Lowering& l, const read::Instruction& i, Op& op) {
  if (!i.modifier("ftz").empty() || !sources_are_plain(i)) return false;
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  op.source[0] = l.float_source(operands[1]);
  op.source[1] = l.float_source(operands[2]);
  op.predicate_in[0] = l.predicate(operands[3]);
  op.execute = execute_fsel;
  return true;
}

bool lower_fchk(Lowering& l, const read::Instruction& i, Op& op) {
  if (!sources_are_plain(i)) return false;
  const auto operands = i.operands();
  op.predicate_out[0] = l.predicate_destination(operands[0]);
  op.source[0] = l.float_source(operands[1]);
  op.source[1] = l.float_source(operands[2]);
  op.execute = execute_fchk;
  return true;
}

bool lower_fswzadd(Lowering& l, const read::Instruction& i, Op& op) {
  if (!i.modifier("round").empty()) return false;
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  op.source[0] = l.source(operands[1]);
  op.source[1] = l.source(operands[2]);
  op.immediate = static_cast<std::uint32_t>(operands[3].value);
  op.mode[kFlushes] = i.modifier("ftz") == "FTZ";
  op.execute = execute_fswzadd;
  return true;
}

}  // namespace burin::emulate
