// FP32 addition, multiplication and multiply-add. Each has three functions: the plain one, one that
// also flushes and clamps, and one for directed roundings and scaled products, which goes through
// doubles: a product of two floats is exact in them, and so is what a sum leaves over.
#include <algorithm>
#include <array>
#include <cmath>

#include "emulate/float_lanes.h"
#include "emulate/lower.h"
#include "emulate/map.h"

namespace burin {
namespace {

// Op::mode of the functions of this file.
enum : std::size_t { kRounding, kFlushes, kClamps, kScale };

std::uint32_t kept_bits(const Op& op) {
  return op.mode[kFlushes] != 0 ? kFloatSign : 0xffffffff;
}

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

BURIN_LANES void execute_fmul(Warp& warp, const Op& op) {
  map2(warp, op, [](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
    return one_nan(as_bits(as_float(a) * as_float(b)));
  });
}

BURIN_LANES void execute_fmul_modes(Warp& warp, const Op& op) {
  const Finish finish = finish_of(op);
  map2(warp, op, [=](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
    return finish(as_bits(as_float(flush(a, finish.kept)) * as_float(flush(b, finish.kept))));
  });
}

BURIN_LANES void execute_ffma(Warp& warp, const Op& op) {
  map3(warp, op, [](std::uint32_t a, std::uint32_t b, std::uint32_t c) BURIN_INLINE {
    return one_nan(as_bits(__builtin_fmaf(as_float(a), as_float(b), as_float(c))));
  });
}

BURIN_LANES void execute_ffma_modes(Warp& warp, const Op& op) {
  const Finish finish = finish_of(op);
  map3(warp, op, [=](std::uint32_t a, std::uint32_t b, std::uint32_t c) BURIN_INLINE {
    return finish(
        as_bits(__builtin_fmaf(as_float(flush(a, finish.kept)), as_float(flush(b, finish.kept)),
                               as_float(flush(c, finish.kept)))));
  });
}

// What x - x is.
std::uint32_t zero_of(const Op& op) {
  return static_cast<Rounding>(op.mode[kRounding]) == Rounding::kDown ? kFloatSign : 0;
}

// The sum of exact doubles, rounded once to a float.
BURIN_INLINE inline std::uint32_t add_directed(double a, double b, const Direction& direction,
                                               std::uint32_t zero) {
  const DoublePair sum = exact_sum(a, b);
  // Only unlike signs make a zero that the rounding decides about; like signs keep theirs.
  const std::uint64_t signs = std::bit_cast<std::uint64_t>(a) ^ std::bit_cast<std::uint64_t>(b);
  const std::uint32_t unlike = static_cast<std::uint32_t>(signs >> 32) & zero;
  const std::uint32_t rounded = round_directed(sum, direction);
  return sum.sum == 0 ? rounded | unlike : rounded;
}

BURIN_LANES void execute_fadd_directed(Warp& warp, const Op& op) {
  const Finish finish = finish_of(op);
  const Direction direction = direction_of(static_cast<Rounding>(op.mode[kRounding]));
  const std::uint32_t zero = zero_of(op);
  map2(warp, op, [=](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
    return finish(add_directed(static_cast<double>(as_float(flush(a, finish.kept))),
                               static_cast<double>(as_float(flush(b, finish.kept))), direction,
                               zero));
  });
}

BURIN_LANES void execute_fmul_directed(Warp& warp, const Op& op) {
  const Finish finish = finish_of(op);
  const Direction direction = direction_of(static_cast<Rounding>(op.mode[kRounding]));
  // Bits 84-86 of the word count from D8, 1/8, over none at 4 to M8.
  const double scale = std::ldexp(1.0, op.mode[kScale] - 4);
  map2(warp, op, [=](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
    const double product = static_cast<double>(as_float(flush(a, finish.kept))) *
                           static_cast<double>(as_float(flush(b, finish.kept))) * scale;
    return finish(round_directed({product, 0}, direction));
  });
}

BURIN_LANES void execute_ffma_directed(Warp& warp, const Op& op) {
  const Finish finish = finish_of(op);
  const Direction direction = direction_of(static_cast<Rounding>(op.mode[kRounding]));
  const std::uint32_t zero = zero_of(op);
  map3(warp, op, [=](std::uint32_t a, std::uint32_t b, std::uint32_t c) BURIN_INLINE {
    const double product = static_cast<double>(as_float(flush(a, finish.kept))) *
                           static_cast<double>(as_float(flush(b, finish.kept)));
    return finish(add_directed(product, static_cast<double>(as_float(flush(c, finish.kept))),
                               direction, zero));
  });
}

struct Functions {
  Execute plain;
  Execute modes;
  Execute directed;
};

// `fmz`: the modifier that says how denormals are treated, FTZ or the FMZ of old shaders, which is
// not known here.
bool lower_arithmetic(Lowering& l, const Instruction& i, Op& op, std::string_view flush_name,
                      const Functions& functions) {
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

bool lower_fadd(Lowering& l, const Instruction& i, Op& op) {
  return lower_arithmetic(l, i, op, "ftz",
                          {execute_fadd, execute_fadd_modes, execute_fadd_directed});
}

bool lower_ffma(Lowering& l, const Instruction& i, Op& op) {
  return lower_arithmetic(l, i, op, "fmz",
                          {execute_ffma, execute_ffma_modes, execute_ffma_directed});
}

bool lower_fmul(Lowering& l, const Instruction& i, Op& op) {
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

}  // namespace burin
