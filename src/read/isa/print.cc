#include "read/isa/print.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdio>

#include "base/format.h"

namespace burin::read {
namespace {

// A line under construction. No instruction comes near its size; what would not fit is cut off.
class Text {
 public:
  void operator+=(char c) {
    if (size_ < sizeof data_) data_[size_++] = c;
  }
  void operator+=(std::string_view text) {
    const std::size_t size = std::min(text.size(), sizeof data_ - size_);
    for (std::size_t i = 0; i < size; ++i) data_[size_ + i] = text[i];
    size_ += size;
  }
  std::string_view view() const { return {data_, size_}; }

 private:
  char data_[1024];
  std::size_t size_ = 0;
};

// Register and scoreboard numbers: at most three digits.
void append_decimal(unsigned value, Text& out) {
  assert(value < 1000);
  char digits[3];
  char* at = digits + 3;
  do {
    *--at = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  out += std::string_view(at, static_cast<std::size_t>(digits + 3 - at));
}

void append_hex(std::uint64_t value, Text& out) {
  char digits[18];
  char* at = digits + sizeof digits;
  do {
    *--at = "0123456789abcdef"[value & 15];
    value >>= 4;
  } while (value != 0);
  *--at = 'x';
  *--at = '0';
  out += std::string_view(at, static_cast<std::size_t>(digits + sizeof digits - at));
}

void append_signed_hex(std::int64_t value, Text& out) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value < 0) out += '-';
  append_hex(value < 0 ? 0 - bits : bits, out);
}

// nvdisasm's way with floating-point immediates: 20 significant digits, exponents spelled out for
// large numbers, and a space behind the words for infinity and not-a-number.
void append_double(double value, bool quiet, Text& out) {
  if (std::isnan(value)) {
    out += std::signbit(value) ? '-' : '+';
    out += quiet ? "QNAN " : "SNAN ";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-INF " : "+INF ";
  } else if (value == 0 && std::signbit(value)) {
    out += "-0.0 ";
  } else {
    char text[48];
    const char* format = std::fabs(value) < 1e9 ? "%.20g" : "%.20e";
    const int size = std::snprintf(text, sizeof text, format, value);
    out += std::string_view(text, static_cast<std::size_t>(size));
  }
}

double half_to_double(std::uint16_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  if (exponent == 31) return fraction ? std::copysign(NAN, sign) : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

double bfloat_to_double(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(std::uint32_t{bits} << 16));
}

void append_float(const Operand& operand, Text& out) {
  const auto bits = static_cast<std::uint64_t>(operand.value);
  const auto low = static_cast<std::uint16_t>(bits);
  const auto high = static_cast<std::uint16_t>(bits >> 16);
  switch (operand.format) {
    case Operand::Format::kF32:
      append_double(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))),
                    true, out);
      break;
    case Operand::Format::kF64:
      append_double(std::bit_cast<double>(bits), (bits >> 51 & 1) != 0, out);
      break;
    case Operand::Format::kF16x2:
      append_double(half_to_double(high), true, out);
      out += ", ";
      append_double(half_to_double(low), true, out);
      break;
    case Operand::Format::kBf16x2:
      append_double(bfloat_to_double(high), true, out);
      out += ", ";
      append_double(bfloat_to_double(low), true, out);
      break;
    case Operand::Format::kF16:
      append_double(half_to_double(low), true, out);
      break;
    case Operand::Format::kBf16:
      append_double(bfloat_to_double(low), true, out);
      break;
    case Operand::Format::kHex:
    case Operand::Format::kSignedHex:
      append_signed_hex(operand.value, out);
      break;
  }
}

void append_register(RegisterFile file, std::uint16_t index, Text& out) {
  static constexpr std::string_view kNames[] = {"R", "UR", "P", "UP", "B"};
  if (file == RegisterFile::kConvergence && (index == 26 || index == 27)) {
    out += index == 26 ? "MACTIVE" : "MATEXIT";  // masks that BMOV reaches as if they were barriers
    return;
  }
  out += kNames[static_cast<std::size_t>(file)];
  if (index != kZeroRegister) {
    append_decimal(index, out);
  } else {
    const bool predicate =
        file == RegisterFile::kPredicate || file == RegisterFile::kUniformPredicate;
    out += predicate ? 'T' : 'Z';
  }
}

void append_offset(std::int64_t value, bool first, Text& out) {
  if (!first) out += '+';
  append_signed_hex(value, out);
}

// [R2.X4+UR4+0x10], desc[UR4][R2.64], gdesc[UR4]
void append_address(const Operand& o, Text& out) {
  const bool descriptor = o.descriptor != Operand::kNoRegister && !o.hidden_descriptor;
  if (descriptor) {
    out += "desc[";
    append_register(RegisterFile::kUniform, o.descriptor, out);
    out += ']';
    const bool bare = o.base == Operand::kNoRegister && o.uniform == Operand::kNoRegister;
    if (bare) return;
  }
  out += o.prefix;
  out += '[';
  bool first = true;
  const bool has_uniform = o.uniform != Operand::kNoRegister;
  if (o.base != Operand::kNoRegister &&
      (o.base != kZeroRegister || o.scale.starts_with('X') || o.scale == "U32" ||
       (!has_uniform && (o.value == 0 || descriptor)))) {
    append_register(RegisterFile::kGeneral, o.base, out);
    if (!o.scale.empty()) {
      out += '.';
      out += o.scale;
    }
    first = false;
  }
  if (has_uniform) {
    if (!first) out += '+';
    append_register(RegisterFile::kUniform, o.uniform, out);
    first = false;
  }
  if (o.value != 0 || first) append_offset(o.value, first, out);
  out += ']';
}

void append_constant(const Operand& o, Text& out) {
  if (o.descriptor != Operand::kNoRegister) {
    out += "cx[";
    append_register(RegisterFile::kUniform, o.descriptor, out);
  } else {
    out += "c[";
    append_signed_hex(o.bank, out);
  }
  out += o.spaced ? "] [" : "][";
  bool first = true;
  const bool bare = o.value == 0 && o.uniform == Operand::kNoRegister;
  if (o.base != Operand::kNoRegister && (o.base != kZeroRegister || bare)) {
    append_register(RegisterFile::kGeneral, o.base, out);
    first = false;
  }
  if (o.uniform != Operand::kNoRegister && o.uniform != kZeroRegister) {
    append_register(RegisterFile::kUniform, o.uniform, out);
    first = false;
  }
  if (o.value != 0 || first) append_offset(o.value, first, out);
  out += ']';
}

void append_operand(const Operand& o, Text& out) {
  if (o.negated) out += '-';
  if (o.inverted) {
    const bool predicate =
        o.kind == Operand::Kind::kRegister &&
        (o.file == RegisterFile::kPredicate || o.file == RegisterFile::kUniformPredicate);
    out += predicate ? '!' : '~';
  }
  if (o.absolute) out += '|';
  bool plain_suffix = true;
  switch (o.kind) {
    case Operand::Kind::kRegister:
      append_register(o.file, o.index, out);
      break;
    case Operand::Kind::kImmediate:
      if (o.format == Operand::Format::kSignedHex) {
        append_signed_hex(o.value, out);
      } else {
        append_hex(static_cast<std::uint64_t>(o.value), out);
      }
      break;
    case Operand::Kind::kOffset:
    case Operand::Kind::kTarget:
      append_signed_hex(o.value, out);
      break;
    case Operand::Kind::kFloat:
      append_float(o, out);
      break;
    case Operand::Kind::kConstant:
      append_constant(o, out);
      break;
    case Operand::Kind::kMemory:
      append_address(o, out);
      break;
    case Operand::Kind::kSpecial:
      out += o.suffix;
      plain_suffix = false;
      break;
    case Operand::Kind::kScoreboard:
      out += "SB";
      append_decimal(static_cast<unsigned>(o.value), out);
      break;
    case Operand::Kind::kScoreboardSet:
      out += '{';
      for (int i = 5, seen = 0; i >= 0; --i) {
        if ((o.value >> i & 1) == 0) continue;
        if (seen++ != 0) out += ',';
        append_decimal(static_cast<unsigned>(i), out);
      }
      out += '}';
      break;
    case Operand::Kind::kGroupScoreboard:
      out += "gsb";
      append_decimal(static_cast<unsigned>(o.value), out);
      break;
    case Operand::Kind::kPredicateSet:
    case Operand::Kind::kWord:
      out += o.prefix;
      if (o.prefix.empty()) {
        out += o.suffix;
        plain_suffix = false;
      }
      break;
  }
  // Constants and uniform registers keep their suffix inside the bars, general registers outside.
  const bool inside = o.kind == Operand::Kind::kConstant || o.file == RegisterFile::kUniform;
  if (o.absolute && !inside) out += '|';
  if (o.reuse) out += ".reuse";
  if (plain_suffix && !o.suffix.empty()) {
    out += '.';
    out += o.suffix;
  }
  if (o.absolute && inside) out += '|';
}

}  // namespace

void print(const Instruction& instruction, std::string& text) {
  if (!instruction.known()) {
    text += fmt::format("UNKNOWN 0x{:016x}{:016x}", instruction.high, instruction.low);
    return;
  }
  Text out;
  const Guard& guard = instruction.guard;
  if (!guard.always()) {
    out += guard.negated ? "@!" : "@";
    append_register(guard.uniform ? RegisterFile::kUniformPredicate : RegisterFile::kPredicate,
                    guard.index, out);
    out += ' ';
  }
  out += instruction.opcode->mnemonic;
  for (const Modifier& modifier : instruction.modifiers()) {
    if (modifier.text.empty()) continue;
    out += '.';
    out += modifier.text;
  }
  bool first = true;
  for (const Operand& operand : instruction.operands()) {
    if (operand.hidden) continue;
    out += first || operand.kind == Operand::Kind::kOffset ? " " : ", ";
    append_operand(operand, out);
    first = false;
  }
  text += out.view();
}

}  // namespace burin::read
