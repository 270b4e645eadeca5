// FP32 addition, multiplication and multiply-add. Each has three functions: the plain one, one that
// also flushes and clamps, and one for directed roundings and scaled products, which goes through
// doubles: a product of two floats is exact in them, and so is what a sum leaves over.
#include <algorithm>
#include <array>
#include <cmath>

#include "emulate/numbers/float_lanes.h"
#include "emulate/state/lower.h"
#include "emulate/state/map.h"

namespace burin::emulate {
namespace {

// What follows the arithmetic: one kind of not-a-number, FTZ, .SAT.
struct Finish {
  std::uint32_t kept;
  bool clamps;

  BURIN_INLINE std::uint32_t operator()(std::uint32_t bits) const {
    const std::uint32_t flushed = one_nan(flush(bits, kept));
    return clamps ? clamp(flushed) : flushed;
  }
};
BURIN_INLINE inline Finish finish_of(const Op& op) {
  return {kept_bits(op), op.mode[kClamps] != 0};
}

BURIN_LANES void execute_fadd(Warp& warp, const Op& op) {
  map2(warp, op, [](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
    return one_nan(as_bits(as_float(a) + as_float(b)));
  });
}

BURIN_LANES void execute_fadd_modes(Warp& warp, const Op& op) {
  const Finish finish = finish_of(op);
  map2(warp, op, [=](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
    return finish(as_bits(as_float(flush(a, finish.kept)) + as_float(flush(b, finish.kept))));
  });
}

// .FTZ flushes results that are below the smallest normal number when rounded to a full
// significand. A denormal result that would round up to normal in its own, shorter significand is
// flushed as well. Sums never have such results, products and multiply-adds rarely, so the results
// are checked.
constexpr std::uint32_t kSmallestNormal = 0x00800000;
BURIN_INLINE inline bool any_is_smallest(const Lanes& results) {
  std::uint32_t found = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    found |= (results.lane[i] & ~kFloatSign) == kSmallestNormal ? 1 : 0;
  }
  return found != 0;
}
// The exact magnitudes that are flushed: below `bound`, or up to it.
struct Flushing {
  double bound;
  std::uint32_t with_bound;

  BURIN_INLINE std::uint32_t operator()(DoublePair exact) const {
    const double magnitude = exact.sum < 0 ? -exact.sum : exact.sum;
    const double rest = exact.sum < 0 ? -exact.rest : exact.rest;
    const std::uint32_t below = magnitude < bound ? 1 : 0;
    const std::uint32_t at = magnitude == bound ? 1 : 0;
    const std::uint32_t less = rest < 0 ? 1 : 0;
    const std::uint32_t same = rest == 0 ? with_bound : 0;
    return below | (at & (less | same));
  }
};
constexpr Flushing kFlushNearest{0x1p-126 - 0x1p-151, 0};
constexpr Flushing kFlushOutwards{0x1p-126 - 0x1p-150, 1};  // rounded away from zero
constexpr Flushing kFlushInwards{0x1p-126, 0};

// The rounded a * b + c, or a zero of its sign if the exact one is flushed.
std::uint32_t settle(std::uint32_t rounded, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                     std::uint32_t kept) {
  if ((rounded & ~kFloatSign) != kSmallestNormal) return rounded;
  const double product =
      static_cast<double>(as_float(flush(a, kept))) * static_cast<double>(as_float(flush(b, kept)));
  const DoublePair exact = exact_sum(product, static_cast<double>(as_float(flush(c, kept))));
  return kFlushNearest(exact) != 0 ? rounded & kFloatSign : rounded;
}

BURIN_LANES void execute_fmul(Warp& warp, const Op& op) {
  map2(warp, op, [](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
    return one_nan(as_bits(as_float(a) * as_float(b)));
  });
}

BURIN_LANES void execute_fmul_modes(Warp& warp, const Op& op) {
  const Finish finish = finish_of(op);
  Lanes sa;
  Lanes sb;
  Lanes out;
  const Lanes& a = warp.get(op.source[0], sa);
  const Lanes& b = warp.get(op.source[1], sb);
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out.lane[i] =
        as_bits(as_float(flush(a.lane[i], finish.kept)) * as_float(flush(b.lane[i], finish.kept)));
  }
  if (op.mode[kFlushes] != 0 && any_is_smallest(out)) {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      out.lane[i] = settle(out.lane[i], a.lane[i], b.lane[i], 0, finish.kept);
    }
  }
  for (unsigned i = 0; i < kWarpLanes; ++i) out.lane[i] = finish(out.lane[i]);
  warp.set(op.destination[0], out, warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]));
}

BURIN_LANES void execute_ffma(Warp& warp, const Op& op) {
  map3(warp, op, [](std::uint32_t a, std::uint32_t b, std::uint32_t c) BURIN_INLINE {
    return one_nan(as_bits(__builtin_fmaf(as_float(a), as_float(b), as_float(c))));
  });
}

BURIN_LANES void execute_ffma_modes(Warp& warp, const Op& op) {
  const Finish finish = finish_of(op);
  Lanes sa;
  Lanes sb;
  Lanes sc;
  Lanes out;
  const Lanes& a = warp.get(op.source[0], sa);
  const Lanes& b = warp.get(op.source[1], sb);
  const Lanes& c = warp.get(op.source[2], sc);
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out.lane[i] = as_bits(__builtin_fmaf(as_float(flush(a.lane[i], finish.kept)),
                                         as_float(flush(b.lane[i], finish.kept)),
                                         as_float(flush(c.lane[i], finish.kept))));
  }
  if (op.mode[kFlushes] != 0 && any_is_smallest(out)) {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      out.lane[i] = settle(out.lane[i], a.lane[i], b.lane[i], c.lane[i], finish.kept);
    }
  }
  for (unsigned i = 0; i < kWarpLanes; ++i) out.lane[i] = finish(out.lane[i]);
  warp.set(op.destination[0], out,
           warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]) |
               warp.unknown_of(op.source[2]));
}

// Directed roundings, and products that are scaled, to nearest or not. Flushing costs so much that
// the loops exist with and without.
template <bool kWithFlushing>
struct Directed {
  explicit Directed(const Op& op)
      : finish(finish_of(op)), direction(direction_of(static_cast<Rounding>(op.mode[kRounding]))) {
    const auto rounding = static_cast<Rounding>(op.mode[kRounding]);
    if (rounding == Rounding::kDown) zero = kFloatSign;
    if (rounding == Rounding::kNearest) positive = negative = kFlushNearest;
    if (rounding == Rounding::kUp) positive = kFlushOutwards;
    if (rounding == Rounding::kDown) negative = kFlushOutwards;
  }

  BURIN_INLINE double in(std::uint32_t bits) const {
    return static_cast<double>(as_float(flush(bits, finish.kept)));
  }
  BURIN_INLINE std::uint32_t out(DoublePair exact) const {
    const std::uint32_t rounded = round_directed(exact, direction);
    if constexpr (!kWithFlushing) return finish(rounded);
    const std::uint32_t sign = rounded & kFloatSign;
    const std::uint32_t flushed = sign != 0 ? negative(exact) : positive(exact);
    return finish(flushed != 0 ? sign : rounded);
  }
  // The sum of exact doubles. A zero whose sign the rounding decides comes from unlike signs.
  BURIN_INLINE std::uint32_t sum(double a, double b) const {
    const DoublePair exact = exact_sum(a, b);
    const std::uint64_t signs = std::bit_cast<std::uint64_t>(a) ^ std::bit_cast<std::uint64_t>(b);
    const std::uint32_t unlike = static_cast<std::uint32_t>(signs >> 32) & zero;
    const std::uint32_t rounded = out(exact);
    const std::uint32_t sign = finish.clamps ? 0 : unlike;
    return exact.sum == 0 ? rounded | sign : rounded;
  }

  Finish finish;
  Direction direction;
  std::uint32_t zero = 0;  // what x - x is
  Flushing positive = kFlushInwards;
  Flushing negative = kFlushInwards;
};

template <typename F>
BURIN_INLINE inline void with_directed(const Op& op, F f) {
  if (op.mode[kFlushes] != 0) {
    f(Directed<true>(op));
  } else {
    f(Directed<false>(op));
  }
}

BURIN_LANES void execute_fadd_directed(Warp& warp, const Op& op) {
  with_directed(op, [&](const auto& directed) BURIN_INLINE {
    map2(warp, op, [&](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
      return directed.sum(directed.in(a), directed.in(b));
    });
  });
}

BURIN_LANES void execute_fmul_directed(Warp& warp, const Op& op) {
  // Bits 84-86 of the word count from D8, 1/8, over none at 4 to M8.
  const double scale = std::ldexp(1.0, op.mode[kScale] - 4);
  with_directed(op, [&](const auto& directed) BURIN_INLINE {
    map2(warp, op, [&](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
      return directed.out({directed.in(a)*directed.in(b)*scale, 0});
    });
  });
}

BURIN_LANES void execute_ffma_directed(Warp& warp, const Op& op) {
  with_directed(op, [&](const auto& directed) BURIN_INLINE {
    map3(warp, op, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) BURIN_INLINE {
      return directed.sum(directed.in(a)*directed.in(b), directed.in(c));
    });
  });
}

struct FloatFunctions {
  Execute plain;
  Execute modes;
  Execute directed;
};

// `fmz`: the modifier that says how denormals are treated, FTZ or the FMZ of old shaders, which is
// not known here.
bool lower_arithmetic(Lowering& l, const read::Instruction& i, Op& op, std::string_view flush_name,
                      const FloatFunctions& functions) {
  if (!sources_are_plain(i)) return false;
  const std::string_view flush_text = i.modifier(flush_name);
  if (!flush_text.empty() && flush_text != "FTZ") return false;
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  for (std::size_t k = 1; k < operands.size(); ++k) {
    op.source[k - 1] = l.float_source(operands[k]);
  }
  const Rounding rounding = rounding_named(i.modifier("round"));
  op.mode[kRounding] = static_cast<std::uint8_t>(rounding);
  op.mode[kFlushes] = flush_text == "FTZ";
  op.mode[kClamps] = i.modifier("sat") == "SAT";
  op.execute = rounding != Rounding::kNearest                    ? functions.directed
               : op.mode[kFlushes] != 0 || op.mode[kClamps] != 0 ? functions.modes
                                                                 : functions.plain;
  return true;
}

bool lower_fadd(Lowering& l, const read::Instruction& i, Op& op) {
  return lower_arithmetic(l, i, op, "ftz",
                          {execute_fadd, execute_fadd_modes, execute_fadd_directed});
}

bool lower_ffma(Lowering& l, const read::Instruction& i, Op& op) {
  return lower_arithmetic(l, i, op, "fmz",
                          {execute_ffma, execute_ffma_modes, execute_ffma_directed});
}

bool lower_fmul(Lowering& l, const read::Instruction& i, Op& op) {
  static constexpr std::array<std::string_view, 8> kScales = {"INVALID0", "D8", "D4", "D2",
                                                              "",         "M2", "M4", "M8"};
  const auto* const scale = std::find(kScales.begin() + 1, kScales.end(), i.modifier("scale"));
  if (scale == kScales.end()) return false;
  op.mode[kScale] = static_cast<std::uint8_t>(scale - kScales.begin());
  const bool plain = scale->empty();
  return lower_arithmetic(
      l, i, op, "fmz",
      {plain ? execute_fmul : execute_fmul_directed,
       plain ? execute_fmul_modes : execute_fmul_directed, execute_fmul_directed});
}

}  // namespace

std::span<const LowerRow> float_rows() {
  static constexpr LowerRow kRows[] = {
      {"FADD", lower_fadd}, {"FMUL", lower_fmul},   {"FFMA", lower_ffma},
      {"FSEL", lower_fsel}, {"FMNMX", lower_fmnmx}, {"FSET", lower_fset},
      {"FCHK", lower_fchk}, {"FSETP", lower_fsetp}, {"FSWZADD", lower_fswzadd},
      {"MUFU", lower_mufu},
  };
  return kRows;
}

}  // namespace burin::emulate
