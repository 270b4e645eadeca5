// F2FP, I2FP, F2IP, I2I and I2IP. Where two values are packed, the second operand's is the low one.
#include "emulate/numbers/pack.h"

#include <algorithm>
#include <array>
#include <optional>

#include "emulate/numbers/float_format.h"
#include "emulate/numbers/half.h"
#include "emulate/state/map.h"

namespace burin::emulate {
namespace {

// F2FP to FP16 or BF16, to nearest and with nothing else: what kernels are full of.
BURIN_LANES void execute_pack_half(Warp& warp, const Op& op) {
  map2(warp, op, [](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
    return float_to_half(a) << 16 | float_to_half(b);
  });
}
BURIN_LANES void execute_pack_bfloat(Warp& warp, const Op& op) {
  map2(warp, op, [](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
    return float_to_bfloat(a) << 16 | float_to_bfloat(b);
  });
}

constexpr std::array<FloatType, 6> kPackedTypes = {{{"F16", kFormatF16},
                                                    {"BF16", kFormatBf16},
                                                    {"F32", kFormatF32},
                                                    {"TF32", kFormatTf32},
                                                    {"E5M2", kFormatE5m2},
                                                    {"E4M3", kFormatE4m3}}};

std::uint32_t convert(const Op& op, std::uint32_t bits) {
  const FloatFormat& to = kPackedTypes[op.mode[kTo]].format;
  const Exact exact = unpack(bits, kPackedTypes[op.mode[kFrom]].format);
  std::uint64_t result = pack(exact, to, static_cast<Rounding>(op.mode[kRounding]));
  if (exact.is_nan()) return static_cast<std::uint32_t>(to.nan);
  if (op.mode[kSaturates] != 0 && (result & ~to.sign()) > to.largest) {
    result = (exact.negative ? to.sign() : 0) | to.largest;
  }
  if (op.mode[kRectifies] != 0 && exact.negative) result = 0;
  return static_cast<std::uint32_t>(result);
}

// PACK_AB: two values of a source each, 16 bits wide.
void execute_pack_ab(Warp& warp, const Op& op) {
  map2(warp, op,
       [&](std::uint32_t a, std::uint32_t b) { return convert(op, a) << 16 | convert(op, b); });
}
// MERGE_C: one value; the other half would come from C, which is always RZ.
void execute_pack_one(Warp& warp, const Op& op) {
  map1(warp, op, [&](std::uint32_t a) { return convert(op, a); });
}
// PACK_B to TF32: a float that has lost its last bits.
void execute_pack_tf32(Warp& warp, const Op& op) {
  map1(warp, op, [&](std::uint32_t a) { return convert(op, a) << 13; });
}
// PACK_AB_MERGE_C: two bytes below the low half of C.
void execute_pack_bytes(Warp& warp, const Op& op) {
  map3(warp, op, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return c << 16 | convert(op, a) << 8 | convert(op, b);
  });
}
// UNPACK_B_MERGE_C: the same from two halves of one source.
void execute_narrow_halves(Warp& warp, const Op& op) {
  map2(warp, op, [&](std::uint32_t b, std::uint32_t c) {
    return c << 16 | convert(op, b >> 16) << 8 | convert(op, b & 0xffff);
  });
}
// UNPACK_B: two bytes become two halves.
void execute_widen_bytes(Warp& warp, const Op& op) {
  map1(warp, op, [&](std::uint32_t b) {
    const std::uint32_t bytes = b >> op.mode[kShift];
    return convert(op, bytes >> 8 & 0xff) << 16 | convert(op, bytes & 0xff);
  });
}

struct Packing {
  std::string_view name;
  std::size_t sources;  // after the destination
  bool last_is_zero;    // the last of them must be RZ and is not read
  Execute execute;
};
constexpr Packing kPackings[] = {
    {"PACK_AB", 2, false, execute_pack_ab},
    {"MERGE_C", 2, true, execute_pack_one},
    {"PACK_B", 1, false, execute_pack_tf32},
    {"PACK_AB_MERGE_C", 3, false, execute_pack_bytes},
    {"UNPACK_B_MERGE_C", 2, false, execute_narrow_halves},
    {"UNPACK_B", 1, false, execute_widen_bytes},
};

// Integers of 32 bits to F32, with any rounding.
BURIN_LANES void execute_signed_to_float(Warp& warp, const Op& op) {
  const auto rounding = static_cast<Rounding>(op.mode[kRounding]);
  map1(warp, op, [=](std::uint32_t a) BURIN_INLINE {
    return round_directed({static_cast<double>(static_cast<std::int32_t>(a)), 0}, rounding);
  });
}
BURIN_LANES void execute_unsigned_to_float(Warp& warp, const Op& op) {
  const auto rounding = static_cast<Rounding>(op.mode[kRounding]);
  map1(warp, op, [=](std::uint32_t a) BURIN_INLINE {
    return round_directed({static_cast<double>(a), 0}, rounding);
  });
}

// F2IP: two floats as bytes below the low half of C.
void execute_f2ip(Warp& warp, const Op& op) {
  const bool is_signed = op.mode[kTo] != 0;
  const auto byte = [&](std::uint32_t bits) {
    const Exact whole =
        round_to_integer(unpack(bits, kFormatF32), static_cast<Rounding>(op.mode[kRounding]));
    return static_cast<std::uint32_t>(saturate(whole, 8, is_signed, 0) & 0xff);
  };
  map3(warp, op, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return c << 16 | byte(a) << 8 | byte(b);
  });
}

struct Range {
  std::string_view name;
  std::int32_t lowest;
  std::int32_t highest;
  std::uint8_t bits;
};
constexpr Range kRanges[] = {
    {"U8", 0, 255, 8}, {"S8", -128, 127, 8}, {"U16", 0, 65535, 16}, {"S16", -32768, 32767, 16},
    {"U2", 0, 3, 2},   {"S2", -2, 1, 2},     {"U4", 0, 15, 4},      {"S4", -8, 7, 4}};

const Range* range_named(std::string_view name) {
  const auto* found = std::find_if(std::begin(kRanges), std::end(kRanges),
                                   [&](const Range& r) { return r.name == name; });
  return found == std::end(kRanges) ? nullptr : found;
}

BURIN_INLINE inline std::uint32_t clamp_to(const Range& range, std::uint32_t bits) {
  return static_cast<std::uint32_t>(
      std::clamp(static_cast<std::int32_t>(bits), range.lowest, range.highest));
}

// op.mode[kTo] is the index in kRanges.
BURIN_LANES void execute_i2i(Warp& warp, const Op& op) {
  const Range& range = kRanges[op.mode[kTo]];
  map1(warp, op, [&](std::uint32_t a) BURIN_INLINE { return clamp_to(range, a); });
}

// I2IP: two clamped integers, with bits of C in the remaining upper part.
BURIN_LANES void execute_i2ip(Warp& warp, const Op& op) {
  const Range& range = kRanges[op.mode[kTo]];
  const unsigned bits = range.bits;
  const std::uint32_t mask = (1u << bits) - 1;
  const std::uint32_t c_kept = bits == 16 ? 0 : 0xffffffff;
  const unsigned c_shift = 2 * bits % 32;
  map3(warp, op, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) BURIN_INLINE {
    return (c & c_kept) << c_shift | (clamp_to(range, a) & mask) << bits |
           (clamp_to(range, b) & mask);
  });
}

bool is_zero_register(const read::Operand& o) {
  return o.is_register(read::RegisterFile::kGeneral) && o.index == read::kZeroRegister;
}

}  // namespace

bool lower_f2fp(Lowering& l, const read::Instruction& i, Op& op) {
  // Up to sm_86 the only source is F32, and F16 goes without saying.
  const bool old = i.modifier("to").empty();
  const std::string_view to_name = !old                             ? i.modifier("to")
                                   : i.modifier("format") == "BF16" ? "BF16"
                                                                    : "F16";
  const auto from = index_of(kPackedTypes, old ? "F32" : i.modifier("from"));
  const auto to = index_of(kPackedTypes, to_name);
  const auto* packing =
      std::find_if(std::begin(kPackings), std::end(kPackings),
                   [&](const Packing& p) { return p.name == i.modifier("pack"); });
  const auto operands = i.operands().subspan(1);
  // Bits 79-80: of the values that print nothing, only 0 is known to round to nearest.
  const std::uint64_t rounding_bits = i.high >> (79 - 64) & 3;
  if (!from || !to || packing == std::end(kPackings) || operands.size() != packing->sources ||
      !sources_are_plain(i) || (rounding_bits != 0 && rounding_bits != 3)) {
    return false;
  }
  std::size_t sources = packing->sources;
  if (packing->last_is_zero && !is_zero_register(operands[--sources])) return false;
  op.destination[0] = l.destination(i.operands()[0]);
  for (std::size_t k = 0; k < sources; ++k) op.source[k] = l.float_source(operands[k]);
  const Rounding rounding = rounding_bits == 3 ? Rounding::kZero : Rounding::kNearest;
  op.mode[kFrom] = *from;
  op.mode[kTo] = *to;
  op.mode[kRounding] = static_cast<std::uint8_t>(rounding);
  op.mode[kRectifies] = i.modifier("relu") == "RELU";
  op.mode[kSaturates] = i.modifier("satfinite") == "SATFINITE";
  op.mode[kShift] = operands[0].suffix == "H1" ? 16 : 0;
  op.execute = packing->execute;
  const bool simple = packing->execute == execute_pack_ab && rounding == Rounding::kNearest &&
                      op.mode[kRectifies] == 0 && op.mode[kSaturates] == 0;
  if (simple) op.execute = to_name == "F16" ? execute_pack_half : execute_pack_bfloat;
  return true;
}

bool lower_i2fp(Lowering& l, const read::Instruction& i, Op& op) {
  if (!sources_are_plain(i)) return false;
  const std::string_view from = i.modifier("from");
  op.destination[0] = l.destination(i.operands()[0]);
  op.source[0] = l.source(i.operands()[1]);
  op.mode[kRounding] = static_cast<std::uint8_t>(rounding_named(i.modifier("round")));
  op.execute = from == "U32" ? execute_unsigned_to_float : execute_signed_to_float;
  return from == "U32" || from == "S32" || from.empty();
}

bool lower_f2ip(Lowering& l, const read::Instruction& i, Op& op) {
  if (!sources_are_plain(i) || i.modifier("ntz").empty()) return false;
  op.destination[0] = l.destination(i.operands()[0]);
  op.source[0] = l.float_source(i.operands()[1]);
  op.source[1] = l.float_source(i.operands()[2]);
  op.source[2] = l.source(i.operands()[3]);
  op.mode[kRounding] = static_cast<std::uint8_t>(rounding_named(i.modifier("round")));
  op.mode[kTo] = i.modifier("to") == "S8";
  op.execute = execute_f2ip;
  return true;
}

bool lower_i2i(Lowering& l, const read::Instruction& i, Op& op) {
  const Range* range = range_named(i.modifier("to"));
  if (range == nullptr || !sources_are_plain(i)) return false;
  op.destination[0] = l.destination(i.operands()[0]);
  op.source[0] = l.source(i.operands()[1]);
  op.mode[kTo] = static_cast<std::uint8_t>(range - kRanges);
  op.execute = execute_i2i;
  return true;
}

bool lower_i2ip(Lowering& l, const read::Instruction& i, Op& op) {
  const Range* range = range_named(i.modifier("to"));
  if (range == nullptr || i.modifier("sat") != "SAT" || !sources_are_plain(i)) return false;
  const read::Operand& c = i.operands()[3];
  const std::string_view part = range->bits == 4 ? "24" : range->bits == 2 ? "28" : "";
  if (c.suffix != part) return false;
  op.destination[0] = l.destination(i.operands()[0]);
  op.source[0] = l.source(i.operands()[1]);
  op.source[1] = l.source(i.operands()[2]);
  op.source[2] = l.source(c);
  op.mode[kTo] = static_cast<std::uint8_t>(range - kRanges);
  op.execute = execute_i2ip;
  return true;
}

}  // namespace burin::emulate
