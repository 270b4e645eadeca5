#include "read/isa/print.h"

#include <bit>
#include <cmath>
#include <cstdio>

#include "base/format.h"

namespace burin {
namespace {

void append_number(std::uint64_t value, int base, std::string& out) {
  char digits[24];
  char* end = digits + sizeof digits;
  char* at = end;
  do {
    *--at = "0123456789abcdef"[value % static_cast<unsigned>(base)];
    value /= static_cast<unsigned>(base);
  } while (value != 0);
  out.append(at, end);
}

void append_hex(std::int64_t value, std::string& out) {
  std::uint64_t magnitude = static_cast<std::uint64_t>(value);
  if (value < 0) {
    out += '-';
    magnitude = 0 - magnitude;
  }
  out += "0x";
  append_number(magnitude, 16, out);
}

// nvdisasm's way with floating-point immediates: 20 significant digits, exponents spelled out for
// large numbers, and a space behind the words for infinity and not-a-number.
void append_double(double value, bool quiet, std::string& out) {
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
    out.append(text, static_cast<std::size_t>(size));
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

void append_float(const Operand& operand, std::string& out) {
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
      append_hex(operand.value, out);
      break;
  }
}

void append_register(RegisterFile file, std::uint16_t index, std::string& out) {
  static constexpr std::string_view kNames[] = {"R", "UR", "P", "UP", "B"};
  out += kNames[static_cast<std::size_t>(file)];
  if (index != kZeroRegister) {
    append_number(index, 10, out);
  } else {
    const bool predicate =
        file == RegisterFile::kPredicate || file == RegisterFile::kUniformPredicate;
    out += predicate ? 'T' : 'Z';
  }
}

void append_offset(std::int64_t value, bool first, std::string& out) {
  if (!first) out += '+';
  append_hex(value, out);
}

// [R2.X4+UR4+0x10], desc[UR4][R2.64], gdesc[UR4]
void append_address(const Operand& o, std::string& out) {
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
  if (o.base != Operand::kNoRegister && (o.base != kZeroRegister || o.scale.starts_with('X') ||
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

void append_constant(const Operand& o, std::string& out) {
  if (o.descriptor != Operand::kNoRegister) {
    out += "cx[";
    append_register(RegisterFile::kUniform, o.descriptor, out);
  } else {
    out += "c[";
    append_hex(o.bank, out);
  }
  out += o.spaced ? "] [" : "][";
  bool first = true;
  if (o.base != Operand::kNoRegister && o.base != kZeroRegister) {
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

void append_operand(const Operand& o, std::string& out) {
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
        append_hex(o.value, out);
      } else {
        out += "0x";
        append_number(static_cast<std::uint64_t>(o.value), 16, out);
      }
      break;
    case Operand::Kind::kOffset:
    case Operand::Kind::kTarget:
      append_hex(o.value, out);
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
      append_number(static_cast<std::uint64_t>(o.value), 10, out);
      break;
    case Operand::Kind::kScoreboardSet:
      out += '{';
      for (int i = 5, seen = 0; i >= 0; --i) {
        if ((o.value >> i & 1) == 0) continue;
        if (seen++ != 0) out += ',';
        append_number(static_cast<std::uint64_t>(i), 10, out);
      }
      out += '}';
      break;
    case Operand::Kind::kGroupScoreboard:
      out += "gsb";
      append_number(static_cast<std::uint64_t>(o.value), 10, out);
      break;
    case Operand::Kind::kWord:
      out += o.prefix;
      if (o.prefix.empty()) {
        out += o.suffix;
        plain_suffix = false;
      }
      break;
  }
  // A constant keeps its suffix inside the bars, a register outside.
  const bool inside = o.kind == Operand::Kind::kConstant;
  if (o.absolute && !inside) out += '|';
  if (o.reuse) out += ".reuse";
  if (plain_suffix && !o.suffix.empty()) {
    out += '.';
    out += o.suffix;
  }
  if (o.absolute && inside) out += '|';
}

}  // namespace

void print(const Instruction& instruction, std::string& out) {
  if (!instruction.known()) {
    out += fmt::format("UNKNOWN 0x{:016x}{:016x}", instruction.high, instruction.low);
    return;
  }
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
    if (operand.kind == Operand::Kind::kOffset && operand.value == 0) continue;
    out += first || operand.kind == Operand::Kind::kOffset ? " " : ", ";
    append_operand(operand, out);
    first = false;
  }
}

}  // namespace burin
