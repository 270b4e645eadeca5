// Packed FP16 and BF16 arithmetic: both halves of a register, each rounded once.
#include "emulate/numbers/half.h"

#include "emulate/state/lower.h"
#include "emulate/state/map.h"
#include "read/isa/traits.h"

namespace burin::emulate {

std::optional<std::uint8_t> half_source(const read::Operand& operand) {
  const auto signs = static_cast<std::uint8_t>((operand.negated ? kHalvesNegated : 0) |
                                               (operand.absolute ? kHalvesAbsolute : 0));
  const std::string_view swizzle = operand.suffix;
  if (swizzle.empty()) return signs;
  if (swizzle == "H0_H0") return static_cast<std::uint8_t>(signs | kLowTwice);
  if (swizzle == "H1_H1") return static_cast<std::uint8_t>(signs | kHighTwice);
  if (swizzle == "H0_NH1") return static_cast<std::uint8_t>(signs | kSwappedNegated);
  return std::nullopt;
}

namespace {

// The value that TMA fills in for elements outside a tensor if requested; .OOB makes its products
// zero.
constexpr std::uint32_t kOutOfBoundsNan = 0x7ff7;  // of either sign

// Modifiers on the operands and results of half instructions. As integers, positive numbers are in
// order, NaNs are above them and negative numbers last, so .SAT and .RELU are limits on the bits.
template <typename Format>
struct Modes {
  std::uint32_t kept;        // of a denormal
  std::uint32_t zero_above;  // bits above this become zero
  std::uint32_t highest;

  BURIN_INLINE std::uint32_t flushed(std::uint32_t bits) const {
    return (bits & Format::kExponent) == 0 ? bits & kept : bits;
  }
  BURIN_INLINE float in(std::uint32_t bits) const { return Format::widen(flushed(bits)); }
  BURIN_INLINE std::uint32_t out(std::uint32_t float_bits) const {
    const std::uint32_t bits = flushed(Format::narrow(float_bits));
    const std::uint32_t positive = bits > zero_above ? 0 : bits;
    return positive > highest ? highest : positive;
  }
};

template <typename Format>
BURIN_INLINE inline Modes<Format> modes_of(const Op& op) {
  const bool clamps = op.mode[kClamps] != 0;
  const bool rectifies = op.mode[kRectifies] != 0;
  return {op.mode[kFlushes] != 0 ? 0x8000u : 0xffffu,
          clamps      ? Format::kExponent
          : rectifies ? 0x7fffu
                      : 0xffffu,
          clamps ? Format::kOne : 0xffffu};
}

// f takes three floats and gives the bits of one, from which the result is rounded to nearest.
template <typename Format, typename F>
BURIN_INLINE inline void map_halves(Warp& warp, const Op& op, std::size_t sources, F f) {
  Lanes in[3];
  Mask unknown = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (k >= sources) {
      in[k] = {};
      continue;
    }
    read_halves(warp, op.source[k], op.mode[kSources + k], in[k]);
    unknown |= warp.unknown_of(op.source[k]);
  }
  const Modes<Format> modes = modes_of<Format>(op);
  Lanes out;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t a = in[0].lane[i];
    const std::uint32_t b = in[1].lane[i];
    const std::uint32_t c = in[2].lane[i];
    const std::uint32_t low = f(modes.in(a & 0xffff), modes.in(b & 0xffff), modes.in(c & 0xffff));
    const std::uint32_t high = f(modes.in(a >> 16), modes.in(b >> 16), modes.in(c >> 16));
    out.lane[i] = modes.out(low) | modes.out(high) << 16;
  }
  warp.set(op.destination[0], out, unknown);
}

// A float holds the sum of two halves well enough to round it again (24 bits are at least twice 11
// and two more), and the product of two FP16 exactly. A BF16 product needs the double's exponents.
BURIN_LANES void execute_hadd2(Warp& warp, const Op& op) {
  map_halves<Half>(warp, op, 2,
                   [](float a, float b, float) BURIN_INLINE { return as_bits(a + b); });
}
BURIN_LANES void execute_hmul2(Warp& warp, const Op& op) {
  map_halves<Half>(warp, op, 2,
                   [](float a, float b, float) BURIN_INLINE { return as_bits(a * b); });
}
BURIN_LANES void execute_hfma2(Warp& warp, const Op& op) {
  map_halves<Half>(warp, op, 3,
                   [](float a, float b, float c) BURIN_INLINE { return Half::fma(a, b, c); });
}
BURIN_LANES void execute_bfloat_add(Warp& warp, const Op& op) {
  map_halves<Bfloat>(warp, op, 2,
                     [](float a, float b, float) BURIN_INLINE { return as_bits(a + b); });
}
BURIN_LANES void execute_bfloat_mul(Warp& warp, const Op& op) {
  map_halves<Bfloat>(warp, op, 2,
                     [](float a, float b, float) BURIN_INLINE { return Bfloat::fma(a, b, -0.0F); });
}
BURIN_LANES void execute_bfloat_fma(Warp& warp, const Op& op) {
  map_halves<Bfloat>(warp, op, 3,
                     [](float a, float b, float c) BURIN_INLINE { return Bfloat::fma(a, b, c); });
}

// HFMA2.OOB: the plain result, then zero in the halves where a factor is the special NaN.
BURIN_INLINE inline void clear_out_of_bounds(Warp& warp, const Op& op, const Lanes& a,
                                             const Lanes& b) {
  Lanes out = warp.slots[op.destination[0]];
  const auto special = [](std::uint32_t v, unsigned shift)
                           BURIN_INLINE { return (v >> shift & 0x7fff) == kOutOfBoundsNan; };
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const bool low = special(a.lane[i], 0) || special(b.lane[i], 0);
    const bool high = special(a.lane[i], 16) || special(b.lane[i], 16);
    out.lane[i] &= (low ? 0xffff0000 : 0xffffffff) & (high ? 0x0000ffff : 0xffffffff);
  }
  blend(warp.slots[op.destination[0]], out, warp.exec);
}

template <typename Execute>
void execute_out_of_bounds(Warp& warp, const Op& op, Execute fma) {
  Lanes a;  // before the destination is written
  Lanes b;
  read_halves(warp, op.source[0], op.mode[kSources], a);
  read_halves(warp, op.source[1], op.mode[kSources + 1], b);
  fma(warp, op);
  clear_out_of_bounds(warp, op, a, b);
}
void execute_hfma2_out_of_bounds(Warp& warp, const Op& op) {
  execute_out_of_bounds(warp, op, execute_hfma2);
}
void execute_bfloat_fma_out_of_bounds(Warp& warp, const Op& op) {
  execute_out_of_bounds(warp, op, execute_bfloat_fma);
}

// HADD2.F32 Rd, -RZ, Rb.H0_H0 is how one half becomes a float.
BURIN_LANES void execute_widen(Warp& warp, const Op& op) {
  Lanes halves;
  read_halves(warp, op.source[0], op.mode[kSources], halves);
  Lanes out;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out.lane[i] = one_nan(half_to_float(halves.lane[i] & 0xffff));
  }
  warp.set(op.destination[0], out, warp.unknown_of(op.source[0]));
}

bool lower_widen(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  const read::Operand& zero = operands[1];
  const bool negative_zero = zero.is_register(read::RegisterFile::kGeneral) &&
                             zero.index == read::kZeroRegister && zero.negated;
  const auto how = half_source(operands[2]);
  if (!negative_zero || !how || (*how & kChoice) == kBothHalves || !i.modifier("ftz").empty() ||
      !i.modifier("sat").empty()) {
    return false;
  }
  op.destination[0] = l.destination(operands[0]);
  op.source[0] = l.float_source(operands[2]);
  op.mode[kSources] = *how;
  op.execute = execute_widen;
  return true;
}

struct HalfFunctions {
  Execute half;
  Execute bfloat;
  Execute half_out_of_bounds = nullptr;
  Execute bfloat_out_of_bounds = nullptr;
};

bool lower_packed(Lowering& l, const read::Instruction& i, Op& op, std::size_t sources,
                  const HalfFunctions& functions) {
  const std::string_view format = i.modifier("format");
  if (!format.empty() && format != "BF16_V2") return false;
  // A sum has the one, a product the other.
  const std::string_view flushing =
      read::arithmetic_of(i) == read::Arithmetic::kAdd ? i.modifier("ftz") : i.modifier("fmz");
  const bool out_of_bounds = flushing == "OOB" && functions.half_out_of_bounds != nullptr;
  if (!flushing.empty() && flushing != "FTZ" && !out_of_bounds) return false;
  const auto operands = i.operands();
  // HFMA2.RELU has room for a predicate, whose meaning is not known.
  for (const read::Operand& o : operands.subspan(sources + 1))
    if (o.index != read::kZeroRegister || o.inverted) return false;
  op.destination[0] = l.destination(operands[0]);
  for (std::size_t k = 0; k < sources; ++k) {
    const auto how = half_source(operands[k + 1]);
    if (!how) return false;
    op.source[k] = l.float_source(operands[k + 1]);
    op.mode[kSources + k] = *how;
  }
  op.mode[kFlushes] = flushing == "FTZ";
  op.mode[kClamps] = i.modifier("sat") == "SAT";
  op.mode[kRectifies] = i.modifier("relu") == "RELU";
  op.execute = format.empty() ? functions.half : functions.bfloat;
  if (out_of_bounds) {
    op.execute = format.empty() ? functions.half_out_of_bounds : functions.bfloat_out_of_bounds;
  }
  return true;
}

bool lower_hadd2(Lowering& l, const read::Instruction& i, Op& op) {
  if (!sources_are_plain(i)) return false;
  if (i.modifier("format") == "F32") return lower_widen(l, i, op);
  return lower_packed(l, i, op, 2, {execute_hadd2, execute_bfloat_add});
}
bool lower_hmul2(Lowering& l, const read::Instruction& i, Op& op) {
  return sources_are_plain(i) && lower_packed(l, i, op, 2, {execute_hmul2, execute_bfloat_mul});
}
bool lower_hfma2(Lowering& l, const read::Instruction& i, Op& op) {
  return sources_are_plain(i) &&
         lower_packed(l, i, op, 3,
                      {execute_hfma2, execute_bfloat_fma, execute_hfma2_out_of_bounds,
                       execute_bfloat_fma_out_of_bounds});
}

}  // namespace

std::span<const LowerRow> half_rows() {
  static constexpr LowerRow kRows[] = {
      {"HADD2", lower_hadd2}, {"HMUL2", lower_hmul2},   {"HFMA2", lower_hfma2},
      {"HSET2", lower_hset2}, {"HSETP2", lower_hsetp2}, {"HMNMX2", lower_hmnmx2},
  };
  return kRows;
}

}  // namespace burin::emulate
