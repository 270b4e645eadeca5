// FP64 arithmetic and comparisons. Unlike FP32, a result that is not a number is the operand that
// was none (the second before the third before the first), made quiet, with the sign it has in its
// register; where the operation itself is invalid it is kFormatF64.nan.
#include <bit>

#include "emulate/numbers/float_compare.h"
#include "emulate/numbers/float_lanes.h"
#include "emulate/state/lower.h"
#include "emulate/state/map.h"

namespace burin::emulate {
namespace {

constexpr std::uint64_t kDoubleSign = kFormatF64.sign();
constexpr std::uint64_t kDoubleExponent = kFormatF64.infinity;

struct alignas(64) Doubles {
  std::uint64_t lane[kWarpLanes];
};

// What its sign modifiers do to the k-th source.
struct Signs {
  std::uint64_t kept;
  std::uint64_t flipped;

  BURIN_INLINE std::uint64_t operator()(std::uint64_t bits) const {
    return (bits & kept) ^ flipped;
  }
};
BURIN_INLINE inline Signs signs_of(const Op& op, std::size_t k) {
  const std::uint8_t signs = op.mode[kSources + k];
  return {(signs & kAbsolute) != 0 ? ~kDoubleSign : ~std::uint64_t{0},
          (signs & kNegated) != 0 ? kDoubleSign : 0};
}

// The registers as they are.
BURIN_INLINE inline void read(const Warp& warp, const Op& op, std::size_t k, Doubles& out) {
  const Lanes& low = warp.plain(op.source[k], 0);
  const Lanes& high = warp.plain(op.source[k], 1);
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out.lane[i] = std::uint64_t{high.lane[i]} << 32 | low.lane[i];
  }
}

BURIN_INLINE inline Mask unknown_of(const Warp& warp, const Op& op, std::size_t sources) {
  Mask unknown = 0;
  for (std::size_t k = 0; k < sources; ++k) {
    unknown |= warp.unknown_of(op.source[k], 0) | warp.unknown_of(op.source[k], 1);
  }
  return unknown;
}

BURIN_INLINE inline void write(Warp& warp, const Op& op, const Doubles& value, Mask unknown) {
  Lanes low;
  Lanes high;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    low.lane[i] = static_cast<std::uint32_t>(value.lane[i]);
    high.lane[i] = static_cast<std::uint32_t>(value.lane[i] >> 32);
  }
  warp.set(op.destination[0], low, unknown);
  warp.set(slot_after(op.destination[0], 1), high, unknown);
}

BURIN_INLINE inline bool nan_bits(std::uint64_t bits) {
  return (bits & ~kDoubleSign) > kDoubleExponent;
}
BURIN_INLINE inline double as_double(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}

// f takes three doubles as bits, their signs changed, and gives a double.
template <typename F>
BURIN_INLINE inline void map_doubles(Warp& warp, const Op& op, std::size_t sources, F f) {
  Doubles a;
  Doubles b;
  Doubles c = {};
  read(warp, op, 0, a);
  read(warp, op, 1, b);
  if (sources == 3) read(warp, op, 2, c);
  const Signs a_signs = signs_of(op, 0);
  const Signs b_signs = signs_of(op, 1);
  const Signs c_signs = signs_of(op, 2);
  Doubles out;
  std::uint64_t nans = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const double result = f(a_signs(a.lane[i]), b_signs(b.lane[i]), c_signs(c.lane[i]));
    out.lane[i] = std::bit_cast<std::uint64_t>(result);
    nans |= result != result ? 1 : 0;
  }
  for (unsigned i = 0; nans != 0 && i < kWarpLanes; ++i) {
    if (nan_bits(out.lane[i])) out.lane[i] = double_nan(a.lane[i], b.lane[i], c.lane[i]);
  }
  write(warp, op, out, unknown_of(warp, op, sources));
}

BURIN_LANES void execute_dadd(Warp& warp, const Op& op) {
  map_doubles(warp, op, 2, [](std::uint64_t a, std::uint64_t b, std::uint64_t) BURIN_INLINE {
    return as_double(a) + as_double(b);
  });
}

BURIN_LANES void execute_dmul(Warp& warp, const Op& op) {
  map_doubles(warp, op, 2, [](std::uint64_t a, std::uint64_t b, std::uint64_t) BURIN_INLINE {
    return as_double(a) * as_double(b);
  });
}

BURIN_LANES void execute_dfma(Warp& warp, const Op& op) {
  map_doubles(warp, op, 3, [](std::uint64_t a, std::uint64_t b, std::uint64_t c) BURIN_INLINE {
    return __builtin_fma(as_double(a), as_double(b), as_double(c));
  });
}

// Directed roundings, one lane at a time.
template <typename F>
void map_directed(Warp& warp, const Op& op, std::size_t sources, F f) {
  map_doubles(warp, op, sources, [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    const auto rounding = static_cast<Rounding>(op.mode[kRounding]);
    const Exact exact =
        f(unpack(a, kFormatF64), unpack(b, kFormatF64), unpack(c, kFormatF64), rounding);
    return as_double(pack(exact, kFormatF64, rounding));
  });
}

void execute_dadd_directed(Warp& warp, const Op& op) {
  map_directed(warp, op, 2, [](const Exact& a, const Exact& b, const Exact&, Rounding rounding) {
    return add(a, b, rounding);
  });
}

void execute_dmul_directed(Warp& warp, const Op& op) {
  map_directed(warp, op, 2, [](const Exact& a, const Exact& b, const Exact&, Rounding) {
    return multiply(a, b);
  });
}

void execute_dfma_directed(Warp& warp, const Op& op) {
  map_directed(warp, op, 3, [](const Exact& a, const Exact& b, const Exact& c, Rounding rounding) {
    return add(multiply(a, b), c, rounding);
  });
}

// DSETP: the comparison's result and its opposite, each joined with the predicate that is read.
BURIN_INLINE inline void write_both(Warp& warp, const Op& op, Truth first, Truth second) {
  const Truth other = truth_of(warp, op.predicate_in[0]);
  const auto logic = static_cast<Logic>(op.mode[kLogic]);
  first = combine(logic, first, other);
  second = combine(logic, second, other);
  write_predicate(warp, op.predicate_out[0], first);
  write_predicate(warp, op.predicate_out[1], second);
}

BURIN_LANES void execute_dsetp(Warp& warp, const Op& op) {
  Doubles a;
  Doubles b;
  read(warp, op, 0, a);
  read(warp, op, 1, b);
  const Signs a_signs = signs_of(op, 0);
  const Signs b_signs = signs_of(op, 1);
  const std::uint32_t relations = op.mode[kRelations];
  Mask value = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    value |= holds(relations, as_double(a_signs(a.lane[i])), as_double(b_signs(b.lane[i]))) << i;
  }
  const Mask unknown = unknown_of(warp, op, 2);
  write_both(warp, op, {value, unknown}, {~value, unknown});
}

// DSETP.MIN and .MAX: whether the first operand is the smaller (larger) one, preferring a number to
// a NaN; and whether both are NaN. Selects after it assemble the result.
void execute_dsetp_choice(Warp& warp, const Op& op) {
  Doubles a;
  Doubles b;
  read(warp, op, 0, a);
  read(warp, op, 1, b);
  const bool minimum = op.mode[kRelations] == kLess;
  const auto order_of = [](std::uint64_t bits) {
    const auto v = static_cast<std::int64_t>(bits);
    return v ^ static_cast<std::int64_t>(static_cast<std::uint64_t>(v >> 63) >> 1);
  };
  Mask first = 0;
  Mask neither = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const bool a_nan = nan_bits(a.lane[i]);
    const bool b_nan = nan_bits(b.lane[i]);
    const std::int64_t x = order_of(signs_of(op, 0)(a.lane[i]));
    const std::int64_t y = order_of(signs_of(op, 1)(b.lane[i]));
    const bool chosen = a_nan ? false : b_nan ? true : minimum ? x < y : x > y;
    first |= Mask{chosen} << i;
    neither |= Mask{a_nan && b_nan} << i;
  }
  const Mask unknown = unknown_of(warp, op, 2);
  write_both(warp, op, {first, unknown}, {neither, unknown});
}

void lower_sources(Lowering& l, std::span<const read::Operand> operands, Op& op) {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    op.source[k] = l.wide_source(operands[k]);
    op.mode[kSources + k] = sign_changes(operands[k]);
  }
}

bool lower_arithmetic(Lowering& l, const read::Instruction& i, Op& op, Execute nearest,
                      Execute directed) {
  if (!sources_are_plain(i)) return false;
  op.destination[0] = l.destination(i.operands()[0]);
  lower_sources(l, i.operands().subspan(1), op);
  const Rounding rounding = rounding_named(i.modifier("round"));
  op.mode[kRounding] = static_cast<std::uint8_t>(rounding);
  op.execute = rounding == Rounding::kNearest ? nearest : directed;
  return true;
}

bool lower_dadd(Lowering& l, const read::Instruction& i, Op& op) {
  return lower_arithmetic(l, i, op, execute_dadd, execute_dadd_directed);
}
bool lower_dmul(Lowering& l, const read::Instruction& i, Op& op) {
  return lower_arithmetic(l, i, op, execute_dmul, execute_dmul_directed);
}
bool lower_dfma(Lowering& l, const read::Instruction& i, Op& op) {
  return lower_arithmetic(l, i, op, execute_dfma, execute_dfma_directed);
}

bool lower_dsetp(Lowering& l, const read::Instruction& i, Op& op) {
  const std::string_view compare = i.modifier("compare");
  const auto logic = logic_named(i.modifier("logic"));
  if (!logic || !sources_are_plain(i)) return false;
  const auto operands = i.operands();
  op.predicate_out = {l.predicate_destination(operands[0]), l.predicate_destination(operands[1])};
  lower_sources(l, operands.subspan(2, 2), op);
  op.predicate_in[0] = l.predicate(operands[4]);
  op.mode[kLogic] = static_cast<std::uint8_t>(*logic);
  if (compare == "MIN" || compare == "MAX") {
    op.mode[kRelations] = compare == "MIN" ? kLess : kGreater;
    op.execute = execute_dsetp_choice;
    return true;
  }
  const auto relations = relations_named(compare);
  if (!relations) return false;
  op.mode[kRelations] = *relations;
  op.execute = execute_dsetp;
  return true;
}

}  // namespace

std::span<const LowerRow> double_rows() {
  static constexpr LowerRow kRows[] = {
      {"DADD", lower_dadd}, {"DMUL", lower_dmul}, {"DFMA", lower_dfma}, {"DSETP", lower_dsetp}};
  return kRows;
}

}  // namespace burin::emulate
