// Conversions of single values: F2F, F2I, I2F, FRND. Every variant has the general way through
// Exact; those that kernels are full of have a fast one. Packing conversions are in
// execute/pack.cc.
#include <array>
#include <cmath>
#include <optional>

#include "emulate/numbers/float_format.h"
#include "emulate/numbers/float_lanes.h"
#include "emulate/numbers/pack.h"
#include "emulate/state/lower.h"
#include "emulate/state/map.h"

namespace burin::emulate {
namespace {

constexpr std::array<FloatType, 4> kFloatTypes = {
    {{"F16", kFormatF16}, {"BF16", kFormatBf16}, {"F32", kFormatF32}, {"F64", kFormatF64}}};

struct IntegerType {
  std::string_view name;
  std::uint8_t bits;
  bool is_signed;
};
constexpr std::array<IntegerType, 8> kIntegerTypes = {{{"U8", 8, false},
                                                       {"S8", 8, true},
                                                       {"U16", 16, false},
                                                       {"S16", 16, true},
                                                       {"U32", 32, false},
                                                       {"S32", 32, true},
                                                       {"U64", 64, false},
                                                       {"S64", 64, true}}};

Rounding rounding_of(const Op& op) {
  return static_cast<Rounding>(op.mode[kRounding]);
}

// A lane's value, `bits` wide, moved down from where its part of the register is.
struct Reader {
  Reader(const Warp& warp, const Op& op, unsigned width)
      : low(warp.plain(op.source[0])),
        high(width == 64 ? warp.plain(op.source[0], 1) : low),
        shift(op.mode[kShift]),
        bits(width),
        unknown(warp.unknown_of(op.source[0]) |
                (width == 64 ? warp.unknown_of(op.source[0], 1) : 0)) {}

  std::uint64_t operator()(unsigned lane) const {
    if (bits == 64) return std::uint64_t{high.lane[lane]} << 32 | low.lane[lane];
    return low.lane[lane] >> shift & (~std::uint64_t{0} >> (64 - bits));
  }

  const Lanes& low;
  const Lanes& high;
  unsigned shift;
  unsigned bits;
  Mask unknown;
};

struct FloatReader {
  FloatReader(const Warp& warp, const Op& op)
      : format(kFloatTypes[op.mode[kFrom]].format),
        read(warp, op, format.width),
        signs(op.mode[kSources]),
        flushes(op.mode[kFlushes] != 0 && format.width == 32) {}

  std::uint64_t operator()(unsigned lane) const {
    std::uint64_t value = read(lane);
    if ((signs & kAbsolute) != 0) value &= ~format.sign();
    if ((signs & kNegated) != 0) value ^= format.sign();
    return flushes ? flush(value, format) : value;
  }

  const FloatFormat& format;
  Reader read;
  std::uint8_t signs;
  bool flushes;
};

// Executes for the lanes of exec: one at a time, since nothing here is worth a vector.
template <typename F>
void each_lane(Warp& warp, const Op& op, unsigned result_bits, Mask unknown, F value_of) {
  Lanes low = {};
  Lanes high = {};
  for_each_lane(warp.exec, [&](unsigned i) {
    const std::uint64_t value = value_of(i);
    low.lane[i] = static_cast<std::uint32_t>(value);
    high.lane[i] = static_cast<std::uint32_t>(value >> 32);
  });
  warp.set(op.destination[0], low, unknown);
  if (result_bits == 64) warp.set(slot_after(op.destination[0], 1), high, unknown);
}

// Conversions to and from doubles preserve NaNs: the sign and as much of the payload as fits, made
// quiet.
std::uint64_t convert_nan(std::uint64_t bits, const FloatFormat& from, const FloatFormat& to) {
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << (from.precision - 1)) - 1);
  const int widening = to.precision - from.precision;
  const std::uint64_t quiet = std::uint64_t{1} << (to.precision - 2);
  return ((bits & from.sign()) != 0 ? to.sign() : 0) | to.infinity | quiet |
         (widening >= 0 ? fraction << widening : fraction >> -widening);
}

void execute_f2f(Warp& warp, const Op& op) {
  const FloatReader read(warp, op);
  const FloatFormat& to = kFloatTypes[op.mode[kTo]].format;
  const bool flushes = op.mode[kFlushes] != 0 && to.width == 32;
  const bool doubles = to.width == 64 || read.format.width == 64;
  each_lane(warp, op, to.width, read.read.unknown, [&](unsigned i) {
    const Exact exact = unpack(read(i), read.format);
    if (exact.is_nan() && doubles) return convert_nan(read.read(i), read.format, to);
    const std::uint64_t result = pack(exact, to, rounding_of(op));
    return flushes ? flush(result, to) : result;
  });
}

void execute_f2f_narrow(Warp& warp, const Op& op) {  // F32.F64
  const FloatReader read(warp, op);
  const Rounding rounding = rounding_of(op);
  each_lane(warp, op, 32, read.read.unknown, [&](unsigned i) {
    const double value = std::bit_cast<double>(read(i));
    if (value != value) return convert_nan(read.read(i), kFormatF64, kFormatF32);
    return std::uint64_t{round_directed({value, 0}, rounding)};
  });
}

void execute_f2f_widen(Warp& warp, const Op& op) {  // F64.F32
  const FloatReader read(warp, op);
  each_lane(warp, op, 64, read.read.unknown, [&](unsigned i) {
    const auto bits = static_cast<std::uint32_t>(read(i));
    if (is_nan(bits) != 0) return convert_nan(read.read(i), kFormatF32, kFormatF64);
    return std::bit_cast<std::uint64_t>(static_cast<double>(as_float(bits)));
  });
}

Exact integer_at(const Reader& read, const IntegerType& type, unsigned lane) {
  std::uint64_t value = read(lane);
  const std::uint64_t sign = std::uint64_t{1} << (type.bits - 1);
  const bool negative = type.is_signed && (value & sign) != 0;
  if (negative) value = (0 - value) & (~std::uint64_t{0} >> (64 - type.bits));
  return from_integer(value, negative);
}

void execute_i2f(Warp& warp, const Op& op) {
  const IntegerType& from = kIntegerTypes[op.mode[kFrom]];
  const FloatFormat& to = kFloatTypes[op.mode[kTo]].format;
  const Reader read(warp, op, from.bits);
  each_lane(warp, op, to.width, read.unknown,
            [&](unsigned i) { return pack(integer_at(read, from, i), to, rounding_of(op)); });
}

void execute_i2f_double(Warp& warp, const Op& op) {  // F64 from at most 32 bits: exact
  const IntegerType& from = kIntegerTypes[op.mode[kFrom]];
  const Reader read(warp, op, from.bits);
  const unsigned unused = 32 - from.bits;
  each_lane(warp, op, 64, read.unknown, [&](unsigned i) {
    const auto raw = static_cast<std::uint32_t>(read(i));
    const double value =
        from.is_signed ? static_cast<double>(static_cast<std::int32_t>(raw << unused) >> unused)
                       : static_cast<double>(raw);
    return std::bit_cast<std::uint64_t>(value);
  });
}

void execute_f2i(Warp& warp, const Op& op) {
  const FloatReader read(warp, op);
  const IntegerType& to = kIntegerTypes[op.mode[kTo]];
  const std::uint64_t nan = op.mode[kNanIsZero] != 0 ? 0 : std::uint64_t{1} << (to.bits - 1);
  each_lane(warp, op, to.bits, read.read.unknown, [&](unsigned i) {
    return saturate(round_to_integer(unpack(read(i), read.format), rounding_of(op)), to.bits,
                    to.is_signed, nan);
  });
}

BURIN_INLINE inline double round_double(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearest:
      return __builtin_nearbyint(value);
    case Rounding::kDown:
      return __builtin_floor(value);
    case Rounding::kUp:
      return __builtin_ceil(value);
    case Rounding::kZero:
      return __builtin_trunc(value);
  }
  return value;
}

// F32 to 32 bits: doubles hold all of them.
BURIN_LANES void execute_f2i_word(Warp& warp, const Op& op) {
  const IntegerType& to = kIntegerTypes[op.mode[kTo]];
  const double lowest = to.is_signed ? -0x1p31 : 0;
  const double highest = to.is_signed ? 0x1p31 - 1 : 0x1p32 - 1;
  const std::uint32_t kept = kept_bits(op);
  const std::uint32_t nan = op.mode[kNanIsZero] != 0 ? 0 : kFloatSign;
  const Rounding rounding = rounding_of(op);
  map1(warp, op, [=](std::uint32_t a) BURIN_INLINE {
    const double value = static_cast<double>(as_float(flush(a, kept)));
    const double whole = round_double(value, rounding);
    const double floored = whole > lowest ? whole : lowest;
    const double clamped = floored < highest ? floored : highest;
    const auto integer = static_cast<std::uint32_t>(static_cast<std::int64_t>(clamped));
    return is_nan(a) != 0 ? nan : integer;
  });
}

void execute_frnd(Warp& warp, const Op& op) {
  const FloatReader read(warp, op);
  each_lane(warp, op, read.format.width, read.read.unknown, [&](unsigned i) {
    const Exact exact = unpack(read(i), read.format);
    if (exact.is_nan() && read.format.width == 64) {
      return convert_nan(read.read(i), kFormatF64, kFormatF64);
    }
    return pack(round_to_integer(exact, rounding_of(op)), read.format, Rounding::kNearest);
  });
}

BURIN_LANES void execute_frnd_single(Warp& warp, const Op& op) {
  const std::uint32_t kept = kept_bits(op);
  const Rounding rounding = rounding_of(op);
  map1(warp, op, [=](std::uint32_t a) BURIN_INLINE {
    const double value = static_cast<double>(as_float(flush(a, kept)));
    return one_nan(as_bits(static_cast<float>(round_double(value, rounding))));
  });
}

// The parts of a register that operands name.
std::optional<std::uint8_t> shift_of(std::string_view part) {
  static constexpr std::array<std::pair<std::string_view, std::uint8_t>, 5> kShifts = {
      {{"", 0}, {"H1", 16}, {"B1", 8}, {"B2", 16}, {"B3", 24}}};
  for (const auto& [name, shift] : kShifts)
    if (name == part) return shift;
  return std::nullopt;
}

// The source, 64 bits wide or the part of a register that its suffix names.
bool lower_source(Lowering& l, const read::Instruction& i, unsigned bits, Op& op) {
  const read::Operand& operand = i.operands()[1];
  const auto shift = shift_of(operand.suffix);
  if (!shift || !sources_are_plain(i)) return false;
  op.destination[0] = l.destination(i.operands()[0]);
  op.source[0] = bits == 64 ? l.wide_source(operand) : l.float_source(operand);
  op.mode[kShift] = *shift;
  op.mode[kSources] = sign_changes(operand);
  op.mode[kRounding] = static_cast<std::uint8_t>(rounding_named(i.modifier("round")));
  op.mode[kFlushes] = i.modifier("ftz") == "FTZ";
  op.mode[kNanIsZero] = i.modifier("ntz") == "NTZ";
  return true;
}

bool lower_f2f(Lowering& l, const read::Instruction& i, Op& op) {
  const auto from = index_of(kFloatTypes, i.modifier("from"));
  const auto to = index_of(kFloatTypes, i.modifier("to"));
  if (!from || !to || !lower_source(l, i, kFloatTypes[*from].format.width, op)) return false;
  op.mode[kFrom] = *from;
  op.mode[kTo] = *to;
  const bool flushes = op.mode[kFlushes] != 0;
  const std::string_view from_name = kFloatTypes[*from].name;
  const std::string_view to_name = kFloatTypes[*to].name;
  op.execute = execute_f2f;
  if (from_name == "F64" && to_name == "F32" && !flushes) op.execute = execute_f2f_narrow;
  if (from_name == "F32" && to_name == "F64") op.execute = execute_f2f_widen;
  return true;
}

bool lower_i2f(Lowering& l, const read::Instruction& i, Op& op) {
  const auto from = index_of(kIntegerTypes, i.modifier("from"), "S32");
  const auto to = index_of(kFloatTypes, i.modifier("to"), "F32");
  if (!from || !to || !lower_source(l, i, kIntegerTypes[*from].bits, op)) return false;
  op.mode[kFrom] = *from;
  op.mode[kTo] = *to;
  const bool small = kIntegerTypes[*from].bits <= 32;
  op.execute = execute_i2f;
  if (small && kFloatTypes[*to].name == "F64") op.execute = execute_i2f_double;
  if (kIntegerTypes[*from].bits == 32 && kFloatTypes[*to].name == "F32") {
    return lower_i2fp(l, i, op);
  }
  return true;
}

bool lower_f2i(Lowering& l, const read::Instruction& i, Op& op) {
  const auto from = index_of(kFloatTypes, i.modifier("from"), "F32");
  const auto to = index_of(kIntegerTypes, i.modifier("to"), "S32");
  if (!from || !to || !lower_source(l, i, kFloatTypes[*from].format.width, op)) return false;
  op.mode[kFrom] = *from;
  op.mode[kTo] = *to;
  const bool words = kFloatTypes[*from].name == "F32" && kIntegerTypes[*to].bits == 32;
  op.execute = words ? execute_f2i_word : execute_f2i;
  return true;
}

bool lower_frnd(Lowering& l, const read::Instruction& i, Op& op) {
  const auto from = index_of(kFloatTypes, i.modifier("from"), "F32");
  if (!from || !lower_source(l, i, kFloatTypes[*from].format.width, op)) return false;
  op.mode[kFrom] = *from;
  op.execute = kFloatTypes[*from].name == "F32" ? execute_frnd_single : execute_frnd;
  return true;
}

}  // namespace

std::span<const LowerRow> convert_rows() {
  static constexpr LowerRow kRows[] = {
      {"F2F", lower_f2f},   {"F2I", lower_f2i},   {"I2F", lower_i2f},
      {"FRND", lower_frnd}, {"F2FP", lower_f2fp}, {"I2FP", lower_i2fp},
      {"F2IP", lower_f2ip}, {"I2I", lower_i2i},   {"I2IP", lower_i2ip},
  };
  return kRows;
}

}  // namespace burin::emulate
