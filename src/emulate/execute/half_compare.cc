// Packed halves compared: HSET2, HSETP2, HMNMX2.
#include "emulate/numbers/float_compare.h"
#include "emulate/numbers/half.h"
#include "emulate/state/lower.h"

namespace burin::emulate {
namespace {

// The bits of the exponent and, where that is zero, those that survive.
struct Denormals {
  std::uint32_t exponent;
  std::uint32_t kept;
};
BURIN_INLINE inline Denormals denormals_of(const Op& op) {
  return {op.mode[kBfloat] != 0 ? 0x7f80u : 0x7c00u, op.mode[kFlushes] != 0 ? 0x8000u : 0xffffu};
}
BURIN_INLINE inline std::uint32_t flush_half(std::uint32_t bits, Denormals denormals) {
  return (bits & denormals.exponent) == 0 ? bits & denormals.kept : bits;
}

// The comparison of the halves at bit `shift` of each lane.
BURIN_INLINE inline Truth compare_halves(const Warp& warp, const Op& op, const Lanes& a,
                                         const Lanes& b, unsigned shift) {
  const Denormals denormals = denormals_of(op);
  const bool bfloat = op.mode[kBfloat] != 0;
  const std::uint32_t relations = op.mode[kRelations];
  Mask value = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t x = flush_half(a.lane[i] >> shift & 0xffff, denormals);
    const std::uint32_t y = flush_half(b.lane[i] >> shift & 0xffff, denormals);
    const std::uint32_t wide_x = bfloat ? bfloat_to_float(x) : half_to_float(x);
    const std::uint32_t wide_y = bfloat ? bfloat_to_float(y) : half_to_float(y);
    value |= holds(relations, as_float(wide_x), as_float(wide_y)) << i;
  }
  return {value, warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1])};
}

struct Both {
  Truth low;
  Truth high;
};
BURIN_INLINE inline Both compare_both(const Warp& warp, const Op& op) {
  Lanes a;
  Lanes b;
  read_halves(warp, op.source[0], op.mode[kSources], a);
  read_halves(warp, op.source[1], op.mode[kSources + 1], b);
  const auto logic = static_cast<Logic>(op.mode[kLogic]);
  const Truth other = truth_of(warp, op.predicate_in[0]);
  return {combine(logic, compare_halves(warp, op, a, b, 0), other),
          combine(logic, compare_halves(warp, op, a, b, 16), other)};
}

BURIN_LANES void execute_hsetp2(Warp& warp, const Op& op) {
  const Both both = compare_both(warp, op);
  write_predicate(warp, op.predicate_out[0], both.low);
  write_predicate(warp, op.predicate_out[1], both.high);
}

BURIN_LANES void execute_hset2(Warp& warp, const Op& op) {
  const Both both = compare_both(warp, op);
  const std::uint32_t yes = op.immediate;
  Lanes out;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t low = (both.low.value >> i & 1) != 0 ? yes : 0;
    const std::uint32_t high = (both.high.value >> i & 1) != 0 ? yes : 0;
    out.lane[i] = low | high << 16;
  }
  warp.set(op.destination[0], out, both.low.unknown | both.high.unknown);
}

bool lower_half_comparison(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  const std::size_t last = operands.size() - 1;
  const auto relations = relations_named(i.modifier("compare"));
  const auto logic = logic_named(i.modifier("logic"));
  const auto how_a = half_source(operands[last - 2]);
  const auto how_b = half_source(operands[last - 1]);
  if (!relations || !logic || !how_a || !how_b || !sources_are_plain(i)) return false;
  if (!i.modifier("and").empty()) return false;
  op.source[0] = l.float_source(operands[last - 2]);
  op.source[1] = l.float_source(operands[last - 1]);
  op.predicate_in[0] = l.predicate(operands[last]);
  op.mode[kSources] = *how_a;
  op.mode[kSources + 1] = *how_b;
  op.mode[kRelations] = *relations;
  op.mode[kLogic] = static_cast<std::uint8_t>(*logic);
  op.mode[kFlushes] = i.modifier("ftz") == "FTZ";
  op.mode[kBfloat] = i.modifier("format") == "BF16_V2";
  return true;
}

BURIN_LANES void execute_hmnmx2(Warp& warp, const Op& op) {
  Lanes a;
  Lanes b;
  read_halves(warp, op.source[0], op.mode[kSources], a);
  read_halves(warp, op.source[1], op.mode[kSources + 1], b);
  const Mask minimum = warp.get(op.predicate_in[0]);
  const Denormals denormals = denormals_of(op);
  const bool keeps_nan = op.mode[kKeepsNan] != 0;
  const std::uint32_t compared = op.mode[kXorsSigns] != 0 ? 0x7fff : 0xffff;
  Lanes out;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const bool wants_minimum = (minimum >> i & 1) != 0;
    const auto half = [&](unsigned shift) BURIN_INLINE {
      const std::uint32_t x = flush_half(a.lane[i] >> shift & 0xffff, denormals);
      const std::uint32_t y = flush_half(b.lane[i] >> shift & 0xffff, denormals);
      const std::uint32_t result =
          half_extreme(x & compared, y & compared, wants_minimum, keeps_nan, denormals.exponent);
      const std::uint32_t sign = (x ^ y) & (0xffff & ~compared);
      return (result & 0x7fff) > denormals.exponent ? result : result | sign;
    };
    out.lane[i] = half(0) | half(16) << 16;
  }
  warp.set(op.destination[0], out,
           warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]) |
               warp.unknown_of(op.predicate_in[0]));
}

}  // namespace

bool lower_hsetp2(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_half_comparison(l, i, op)) return false;
  op.predicate_out = {l.predicate_destination(i.operands()[0]),
                      l.predicate_destination(i.operands()[1])};
  op.execute = execute_hsetp2;
  return true;
}

bool lower_hset2(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_half_comparison(l, i, op)) return false;
  op.destination[0] = l.destination(i.operands()[0]);
  const std::uint32_t one = op.mode[kBfloat] != 0 ? 0x3f80 : 0x3c00;
  op.immediate = i.modifier("bf") == "BF" ? one : 0xffff;
  op.execute = execute_hset2;
  return true;
}

bool lower_hmnmx2(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  const bool xors = i.modifier("xorsign") == "XORSIGN";
  op.destination[0] = l.destination(operands[0]);
  for (std::size_t k = 0; k < 2; ++k) {
    const read::Operand& o = operands[k + 1];
    auto how = half_source(o);
    if (!how || !sources_are_plain(i)) return false;
    if (xors) {
      // Magnitudes are compared, and the signs read before they are taken away.
      if (o.negated || (o.kind != read::Operand::Kind::kFloat && !o.absolute)) return false;
      *how = static_cast<std::uint8_t>(*how & ~kHalvesAbsolute);
    }
    op.source[k] = l.float_source(o);
    op.mode[kSources + k] = *how;
  }
  op.predicate_in[0] = l.predicate(operands[3]);
  op.mode[kFlushes] = i.modifier("ftz") == "FTZ";
  op.mode[kBfloat] = i.modifier("format") == "BF16_V2";
  op.mode[kKeepsNan] = i.modifier("nan") == "NAN";
  op.mode[kXorsSigns] = xors;
  op.execute = execute_hmnmx2;
  return true;
}

}  // namespace burin::emulate
