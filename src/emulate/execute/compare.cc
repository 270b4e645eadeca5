// Comparisons, and the smaller or larger of integers.
#include <algorithm>

#include "emulate/state/lower.h"
#include "emulate/state/map.h"
#include "emulate/state/truth.h"

namespace burin::emulate {
namespace {

// A comparison as the orders in which it holds: less, equal, greater.
struct Orders {
  bool less = false;
  bool equal = false;
  bool greater = false;
};

std::optional<Orders> orders_named(std::string_view text) {
  static constexpr std::pair<std::string_view, Orders> kOrders[] = {
      {"F", {false, false, false}}, {"LT", {true, false, false}}, {"EQ", {false, true, false}},
      {"LE", {true, true, false}},  {"GT", {false, false, true}}, {"NE", {true, false, true}},
      {"GE", {false, true, true}},  {"T", {true, true, true}},
  };
  for (const auto& [name, orders] : kOrders)
    if (name == text) return orders;
  return std::nullopt;
}

constexpr std::uint32_t kWordSign = 0x80000000;

struct Compared {
  Mask less = 0;
  Mask equal = 0;
  Mask unknown = 0;
};

// Unsigned numbers with their top bits flipped compare as signed ones do.
BURIN_INLINE inline Compared compare_words(const Warp& warp, const Op& op) {
  const std::uint32_t flip = op.mode[0] != 0 ? 0 : kWordSign;
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.plain(op.source[1]);
  Compared out;
  out.less = mask_of([&](unsigned i) BURIN_INLINE {
    return static_cast<std::int32_t>(a.lane[i] ^ flip) <
           static_cast<std::int32_t>(b.lane[i] ^ flip);
  });
  out.equal = mask_of([&](unsigned i) BURIN_INLINE { return a.lane[i] == b.lane[i]; });
  out.unknown = warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]);
  return out;
}

BURIN_INLINE inline Mask held(const Op& op, const Compared& c, Mask where_equal) {
  const Mask less = op.mode[1] != 0 ? c.less : 0;
  const Mask greater = op.mode[3] != 0 ? ~(c.less | c.equal) : 0;
  return less | greater | (c.equal & where_equal);
}

BURIN_INLINE inline void set_compared(Warp& warp, const Op& op, Truth result) {
  const Logic logic{op.mode[4]};
  const Truth with = truth_of(warp, op.predicate_in[0]);
  const Truth first = combine(logic, result, with);
  const Truth second = combine(logic, ~result, with);
  warp.set_predicate(op.predicate_out[0], first.value, first.unknown);
  warp.set_predicate(op.predicate_out[1], second.value, second.unknown);
}

BURIN_LANES void execute_compare(Warp& warp, const Op& op) {
  const Compared c = compare_words(warp, op);
  set_compared(warp, op, {held(op, c, op.mode[2] != 0 ? kAllLanes : 0), c.unknown});
}

// .EX compares the high words of 64-bit numbers; where they are equal, the predicate that the low
// words gave decides.
BURIN_LANES void execute_compare_extended(Warp& warp, const Op& op) {
  const Compared c = compare_words(warp, op);
  const Truth low = truth_of(warp, op.predicate_in[1]);
  set_compared(warp, op, {held(op, c, low.value), c.unknown | (c.equal & low.unknown)});
}

bool lower_isetp(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  const std::string_view compare_text = i.modifier("compare");
  const auto orders = orders_named(compare_text);
  const auto logic = logic_named(i.modifier("logic"));
  const bool extended = i.modifier("ex") == "EX";
  if (!orders || !logic) return false;
  // Whether the low words still decide in these two, no code has shown.
  if (extended && (compare_text == "F" || compare_text == "T")) return false;
  op.predicate_out = {l.predicate_destination(operands[0]), l.predicate_destination(operands[1])};
  op.source[0] = l.source(operands[2]);
  op.source[1] = l.source(operands[3]);
  op.predicate_in[0] = l.predicate(operands[4]);
  if (extended) op.predicate_in[1] = l.predicate(operands[5]);
  op.mode = {i.modifier("u32").empty(), orders->less, orders->equal, orders->greater,
             static_cast<std::uint8_t>(*logic)};
  op.execute = extended ? execute_compare_extended : execute_compare;
  return true;
}

// The smaller where the predicate holds, else the larger. Nearly always the predicate is a
// constant.
BURIN_LANES void execute_min_max(Warp& warp, const Op& op) {
  const std::uint32_t flip = op.mode[0] != 0 ? 0 : kWordSign;
  const Truth smaller = truth_of(warp, op.predicate_in[0]);
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.plain(op.source[1]);
  Lanes least;
  Lanes most;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const auto x = static_cast<std::int32_t>(a.lane[i] ^ flip);
    const auto y = static_cast<std::int32_t>(b.lane[i] ^ flip);
    least.lane[i] = static_cast<std::uint32_t>(std::min(x, y)) ^ flip;
    most.lane[i] = static_cast<std::uint32_t>(std::max(x, y)) ^ flip;
  }
  if (smaller.value != 0) blend(most, least, smaller.value);
  warp.set(op.destination[0], most,
           warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]) | smaller.unknown);
}

bool lower_imnmx(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  op.source[0] = l.source(operands[1]);
  op.source[1] = l.source(operands[2]);
  op.predicate_in[0] = l.predicate(operands[3]);
  op.mode[0] = i.modifier("u32").empty();
  op.execute = execute_min_max;
  return true;
}

// The V forms: words or pairs of halves, signed or not, with .RELU (nothing below 0).
enum class PartType : std::uint8_t { kU32, kS32, kU16x2, kS16x2 };

std::optional<PartType> part_type_named(std::string_view text) {
  static constexpr std::pair<std::string_view, PartType> kPartTypes[] = {
      {"U32", PartType::kU32},
      {"", PartType::kS32},
      {"U16x2", PartType::kU16x2},
      {"S16x2", PartType::kS16x2}};
  for (const auto& [name, type] : kPartTypes)
    if (name == text) return type;
  return std::nullopt;
}

BURIN_INLINE inline std::uint32_t choose(bool is_signed, bool smaller, std::uint32_t a,
                                         std::uint32_t b) {
  const std::uint32_t flip = is_signed ? 0 : kWordSign;
  const bool less = static_cast<std::int32_t>(a ^ flip) < static_cast<std::int32_t>(b ^ flip);
  return less == smaller ? a : b;
}

// f(a, b, c, is_signed) for the word, or for each half on its own, brought to the top of a word so
// that signs are where they belong and sums wrap where they should.
template <typename F>
BURIN_INLINE inline std::uint32_t by_parts(PartType type, F f, std::uint32_t a, std::uint32_t b,
                                           std::uint32_t c) {
  const bool is_signed = type == PartType::kS32 || type == PartType::kS16x2;
  if (type == PartType::kU32 || type == PartType::kS32) return f(a, b, c, is_signed);
  const std::uint32_t high = f(a & 0xffff0000, b & 0xffff0000, c & 0xffff0000, is_signed);
  return high | f(a << 16, b << 16, c << 16, is_signed) >> 16;
}

template <typename F>
BURIN_INLINE inline void map_parts(Warp& warp, const Op& op, F f) {
  const PartType type{op.mode[0]};
  const bool floor = op.mode[1] != 0;
  const Truth smaller = truth_of(warp, op.predicate_in[0]);
  Lanes scratch;
  Lanes out;
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.get(op.source[1], scratch);
  const Lanes& c = warp.plain(op.source[2]);
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const bool least = (smaller.value >> i & 1) != 0;
    const auto whole = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z, bool is_signed)
                           BURIN_INLINE {
                             const std::uint32_t chosen = f(is_signed, least, x, y, z);
                             return floor ? choose(true, false, chosen, 0) : chosen;
                           };
    out.lane[i] = by_parts(type, whole, a.lane[i], b.lane[i], c.lane[i]);
  }
  warp.set(op.destination[0], out,
           warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]) |
               warp.unknown_of(op.source[2]) | smaller.unknown);
}

BURIN_LANES void execute_choose2(Warp& warp, const Op& op) {
  map_parts(warp, op,
            [](bool is_signed, bool least, std::uint32_t a, std::uint32_t b, std::uint32_t)
                BURIN_INLINE { return choose(is_signed, least, a, b); });
}

BURIN_LANES void execute_choose3(Warp& warp, const Op& op) {
  map_parts(
      warp, op,
      [](bool is_signed, bool least, std::uint32_t a, std::uint32_t b, std::uint32_t c)
          BURIN_INLINE { return choose(is_signed, least, choose(is_signed, least, a, b), c); });
}

BURIN_LANES void execute_add_choose(Warp& warp, const Op& op) {
  map_parts(warp, op,
            [](bool is_signed, bool least, std::uint32_t a, std::uint32_t b, std::uint32_t c)
                BURIN_INLINE { return choose(is_signed, least, a + b, c); });
}

// The predicates say where a was taken, of halves the low and the high one. Equal ones count as a.
void execute_choose2_where(Warp& warp, const Op& op) {
  const PartType type{op.mode[0]};
  const bool is_signed = type == PartType::kS32 || type == PartType::kS16x2;
  const bool halves = type == PartType::kU16x2 || type == PartType::kS16x2;
  const Truth smaller = truth_of(warp, op.predicate_in[0]);
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& b = warp.plain(op.source[1]);
  const auto taken = [&](unsigned shift, std::uint32_t keep) {
    return mask_of([&](unsigned i) {
      const std::uint32_t x = a.lane[i] << shift & keep;
      const std::uint32_t y = b.lane[i] << shift & keep;
      return choose(is_signed, (smaller.value >> i & 1) != 0, x, y) == x;
    });
  };
  const Mask unknown =
      warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]) | smaller.unknown;
  const Mask low = halves ? taken(16, 0xffff0000) : taken(0, 0xffffffff);
  const Mask high = halves ? taken(0, 0xffff0000) : low;
  execute_choose2(warp, op);
  warp.set_predicate(op.predicate_out[0], low, unknown);
  warp.set_predicate(op.predicate_out[1], high, unknown);
}

bool lower_parts(Lowering& l, const read::Instruction& i, Op& op,
                 std::span<const read::Operand> sources) {
  const auto type = part_type_named(i.modifier("type"));
  const bool floor = i.modifier("relu") == "RELU";
  if (!type || (floor && (*type == PartType::kU32 || *type == PartType::kU16x2))) return false;
  op.destination[0] = l.destination(i.operands()[0]);
  for (unsigned k = 0; k < sources.size(); ++k) op.source[k] = l.source(sources[k]);
  op.predicate_in[0] = l.predicate(i.operands().back());
  op.mode = {static_cast<std::uint8_t>(*type), floor};
  return true;
}

bool lower_vimnmx(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  if (!lower_parts(l, i, op, operands.subspan(3, 2))) return false;
  op.predicate_out = {l.predicate_destination(operands[1]), l.predicate_destination(operands[2])};
  const bool halves =
      PartType{op.mode[0]} == PartType::kU16x2 || PartType{op.mode[0]} == PartType::kS16x2;
  const bool low = op.predicate_out[0] != kPredicateSinkSlot;
  const bool high = op.predicate_out[1] != kPredicateSinkSlot;
  if ((high && !halves) || ((low || high) && op.mode[1] != 0)) return false;
  if (low || high) {
    op.execute = execute_choose2_where;
  } else if (!halves && op.mode[1] == 0) {
    op.mode[0] = PartType{op.mode[0]} == PartType::kS32;
    op.execute = execute_min_max;
  } else {
    op.execute = execute_choose2;
  }
  return true;
}

bool lower_vimnmx3(Lowering& l, const read::Instruction& i, Op& op) {
  op.execute = execute_choose3;
  return lower_parts(l, i, op, i.operands().subspan(1, 3));
}

bool lower_viaddmnmx(Lowering& l, const read::Instruction& i, Op& op) {
  op.execute = execute_add_choose;
  if (!lower_parts(l, i, op, i.operands().subspan(1, 3))) return false;
  // A negated pair of halves: each of them, or the word?
  return op.source[1].change == Source::Change::kNone || i.modifier("type") == "U32" ||
         i.modifier("type").empty();
}

}  // namespace

std::span<const LowerRow> compare_rows() {
  static constexpr LowerRow kRows[] = {
      {"ISETP", lower_isetp},   {"UISETP", lower_isetp},    {"IMNMX", lower_imnmx},
      {"VIMNMX", lower_vimnmx}, {"VIMNMX3", lower_vimnmx3}, {"VIADDMNMX", lower_viaddmnmx},
  };
  return kRows;
}

}  // namespace burin::emulate
