#include "read/isa/decode.h"

#include <algorithm>
#include <bit>

#include "base/format.h"
#include "read/isa/form.h"
#include "read/isa/register_counts.h"
#include "read/isa/special_register.h"

namespace burin::read {
namespace {

using isa::Form;
using isa::OperandForm;
using isa::Word;

std::int64_t sign_extend(std::uint64_t value, unsigned width) {
  if (width == 0 || width >= 64) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

// FSWZADD's pattern: two bits for each of four lanes, which say how it adds the two values: both as
// they are, one of them negated, or the second alone. All 256 are made once.
std::string_view swizzle_text(std::uint8_t pattern) {
  static const auto kTexts = [] {
    static constexpr std::string_view kLanes[] = {"PP", "PN", "NP", "ZP"};
    std::array<std::string, 256> texts;
    for (unsigned i = 0; i < texts.size(); ++i)
      for (int bit = 6; bit >= 0; bit -= 2) texts[i] += kLanes[i >> bit & 3];
    return texts;
  }();
  return kTexts[pattern];
}

// Everything that depends on the word and its architecture while one instruction is put together.
struct Decoder {
  const Word& word;
  const Form& form;
  std::uint16_t sm;
  std::uint32_t offset;
  Instruction& out;

  std::uint16_t general(unsigned at) const {
    const std::uint64_t index = word.bits(at, 8);
    return index == 255 ? kZeroRegister : static_cast<std::uint16_t>(index);
  }
  std::uint16_t uniform(unsigned at) const {
    const unsigned width = sm >= 100 ? 8 : 6;
    const std::uint64_t index = word.bits(at, width);
    return index == (1u << width) - 1 ? kZeroRegister : static_cast<std::uint16_t>(index);
  }
  std::uint16_t register_at(RegisterFile file, unsigned at) const {
    return file == RegisterFile::kUniform ? uniform(at) : general(at);
  }

  std::uint8_t count_of(const OperandForm& o) const {
    if (o.count_of.empty()) return o.count;
    const auto rule = isa::registers_by_rule(o.count_of, word, out);
    const unsigned count =
        rule ? *rule : isa::registers_of(out.modifier(o.count_of), out.modifier("to") == "F16");
    return static_cast<std::uint8_t>(std::min(o.count * count, 128u));  // LDTM.x128 is the most
  }

  // The type that a conversion reads, e.g. "F16"; empty for the default of 32 bits.
  std::string_view source_type() const {
    const std::string_view from = out.modifier("from");
    return from.empty() ? out.modifier("format") : from;
  }

  void source_signs(Operand& operand, const OperandForm& o, unsigned at) const {
    using Type = OperandForm::Type;
    const bool half = o.type == Type::kHalf || o.type == Type::kWholeHalf;
    // Where the sign bits of the slots are: first register, the field at 32, the register at 64.
    const unsigned negate = at == 24 ? 72 : at == 32 ? 63 : half ? 84 : 75;
    const unsigned absolute = at == 24 ? 73 : at == 32 ? 62 : half ? 83 : 74;
    switch (o.type) {
      case Type::kFloat:
      case Type::kSourceFloat:
      case Type::kDouble:
      case Type::kHalf:
      case Type::kWholeHalf:
        operand.negated = word.bit(negate);
        operand.absolute = word.bit(absolute);
        break;
      case Type::kInteger:
        operand.negated = word.bit(negate);
        break;
      case Type::kCarry:
        (word.bit(74) ? operand.inverted : operand.negated) = word.bit(negate);
        break;
      case Type::kPlain:
      case Type::kUnsignedFloat:
      case Type::kSourceInteger:
      case Type::kSigned:
        break;
    }
    if (o.inverted_by != 0) operand.inverted = word.bit(o.inverted_by);
    if (o.type == Type::kSourceFloat || o.type == Type::kSourceInteger) {
      static constexpr std::string_view kHalves[] = {"", "H1", "", ""};
      static constexpr std::string_view kBytes[] = {"", "B1", "B2", "B3"};
      const std::string_view type = source_type();
      if (type.ends_with("16")) operand.suffix = kHalves[word.bits(60, 2)];
      if (type.ends_with("8")) operand.suffix = kBytes[word.bits(60, 2)];
      operand.spaced = type.ends_with("16") || type.ends_with("8");
    }
    if (o.type == Type::kHalf) {
      operand.spaced = true;
      static constexpr std::string_view kSwizzles[] = {"", "F32", "H0_H0", "H1_H1"};
      operand.suffix = kSwizzles[word.bits(at == 24 ? 74 : at == 32 ? 60 : 81, 2)];
      if (operand.suffix.empty() && o.slot == 'B' && word.bit(86)) operand.suffix = "H0_NH1";
    }
  }

  Operand::Format immediate_format(const OperandForm& o) const {
    using Type = OperandForm::Type;
    if (o.type == Type::kFloat || o.type == Type::kUnsignedFloat) return Operand::Format::kF32;
    if (o.type == Type::kDouble) return Operand::Format::kF64;
    if (o.type == Type::kHalf || o.type == Type::kWholeHalf) {
      const bool bfloat = out.modifier("format") == "BF16_V2";
      return bfloat ? Operand::Format::kBf16x2 : Operand::Format::kF16x2;
    }
    if (o.type == Type::kSourceFloat) {
      const std::string_view type = source_type();
      return type == "F64"    ? Operand::Format::kF64
             : type == "F16"  ? Operand::Format::kF16
             : type == "BF16" ? Operand::Format::kBf16
                              : Operand::Format::kF32;
    }
    return Operand::Format::kHex;
  }

  // One of the three source slots. Bits 9-11 of the opcode say which of them is not a register.
  void slot(const OperandForm& o, Operand& operand) const {
    const unsigned variant = (word.low >> 9) & 7;
    enum { kReg24, kReg32, kReg64, kImmediate, kConstant, kUniform } place = kReg24;
    const bool third = variant == 2 || variant == 3 || variant == 7;  // C is the one at bit 32
    const auto at_32 = variant == 2 || variant == 4   ? kImmediate
                       : variant == 3 || variant == 5 ? kConstant
                       : variant == 6 || variant == 7 ? kUniform
                                                      : kReg32;
    if (o.slot == 'B') place = third ? kReg64 : at_32;
    if (o.slot == 'C') place = third ? at_32 : kReg64;
    if (o.slot == 'S' || o.slot == 'D') place = at_32;

    operand.format = immediate_format(o);
    switch (place) {
      case kImmediate: {
        operand.kind = Operand::Kind::kImmediate;
        const std::uint64_t bits = word.bits(32, 32);
        operand.value = static_cast<std::int64_t>(bits);
        if (operand.format != Operand::Format::kHex) {
          operand.kind = Operand::Kind::kFloat;
          if (operand.format == Operand::Format::kF64)
            operand.value = std::bit_cast<std::int64_t>(bits << 32);
        } else if (o.is_signed) {
          operand.value = sign_extend(bits, 32);
          operand.format = Operand::Format::kSignedHex;
        }
        return;
      }
      case kConstant:
        operand.kind = Operand::Kind::kConstant;
        operand.count = count_of(o);
        operand.bank = static_cast<std::uint8_t>(word.bits(54, 5));
        operand.value = 4 * sign_extend(word.bits(40, 14), 14);
        if (word.bit(91)) operand.descriptor = uniform(32);
        source_signs(operand, o, 32);
        return;
      default:
        break;
    }
    const unsigned at = place == kReg24 ? 24 : place == kReg64 ? 64 : 32;
    operand.kind = Operand::Kind::kRegister;
    operand.file = place == kUniform ? RegisterFile::kUniform : o.file;
    operand.index = register_at(operand.file, at);
    operand.count = count_of(o);
    operand.written = o.written;
    source_signs(operand, o, at);
    if (operand.file == RegisterFile::kGeneral) {
      const unsigned which = o.slot == 'A' ? 0 : o.slot == 'B' || o.slot == 'S' ? 1 : 2;
      operand.reuse = (out.control.reuse >> which & 1) != 0;
    }
  }

  void register_operand(const OperandForm& o, Operand& operand) const {
    operand.file = o.file;
    operand.written = o.written;
    operand.read = !o.written || o.read_too;
    if (o.file == RegisterFile::kPredicate || o.file == RegisterFile::kUniformPredicate) {
      const std::uint64_t index = o.inverse ? 7 - word.bits(o.at, 3) : word.bits(o.at, 3);
      operand.index = index == 7 ? kZeroRegister : static_cast<std::uint16_t>(index);
      if (!o.written) operand.inverted = word.bit(o.at + 3u);
      operand.hidden = o.optional && index == 7 && !operand.inverted;
      return;
    }
    operand.index = register_at(o.file, o.at);
    if (o.field.pieces > 1) {
      const std::uint64_t index = o.field(word);
      operand.index = index == 255 ? kZeroRegister : static_cast<std::uint16_t>(index);
    }
    operand.count = count_of(o);
    operand.hidden = o.optional && operand.index == kZeroRegister;
    if (o.inverted_by != 0) operand.inverted = word.bit(o.inverted_by);
    if (o.reused_by != 0) operand.reuse = word.bit(o.reused_by);
  }

  void address(const OperandForm& o, Operand& operand) const {
    operand.kind =
        o.kind == OperandForm::Kind::kConstant ? Operand::Kind::kConstant : Operand::Kind::kMemory;
    operand.prefix = o.word;
    if (o.base != 0) operand.base = general(o.base);
    const bool has_uniform = o.uniform != 0 && (o.uniform_flag == 0 || word.bit(o.uniform_flag));
    if (has_uniform) {
      const bool descriptor = o.descriptor_flag != 0 && word.bit(o.descriptor_flag);
      std::uint16_t& place = descriptor ? operand.descriptor : operand.uniform;
      place = uniform(o.uniform);
      if (o.next_uniform && place != kZeroRegister) ++place;
      operand.hidden_descriptor = descriptor && sm < 90 && !word.bit(101);
    }
    if (o.descriptor != 0) operand.descriptor = uniform(o.descriptor);
    if (o.scale != 0) {
      static constexpr std::string_view kScales[] = {"", "X4", "X8", "X16"};
      operand.scale = kScales[word.bits(o.scale, 2)];
    }
    bool wide = o.long_base || (o.wide != 0 && out.modifier("e") == "E");
    if (o.long_base) operand.scale = "64";
    if (o.wide != 0 && (has_uniform || o.next_uniform)) {
      wide = word.bit(o.wide);
      operand.scale = wide ? "64" : "U32";
      operand.uniform_count = 2;  // whichever of the two is the pointer, the uniform one is whole
    }
    operand.base_count = wide ? 2 : 1;
    if (o.count != 1) operand.base_count = operand.uniform_count = o.count;
    if (o.tile != 0) {  // coordinates follow in the registers behind
      operand.uniform_count = static_cast<std::uint8_t>(o.count + word.bits(o.tile, 3) + 1);
    }
    if (o.surface != 0) {
      static constexpr std::uint8_t kCoordinates[] = {1, 1, 2, 2, 3, 3, 1, 1};
      operand.base_count = kCoordinates[word.bits(o.surface, 3)];
    }
    if (o.field.pieces != 0)
      operand.value = sign_extend(o.field(word), o.field.width) * (std::int64_t{1} << o.shift);
    // Something must stand between the brackets.
    if (o.uniform_optional && operand.uniform == kZeroRegister &&
        (o.base != 0 || operand.value != 0)) {
      operand.uniform = Operand::kNoRegister;
    }
    if (operand.kind == Operand::Kind::kConstant) {
      operand.bank = static_cast<std::uint8_t>(word.bits(54, 5));
      if (has_uniform && o.uniform_flag != 0) {  // cx[UR][…]
        operand.descriptor = operand.uniform;
        operand.uniform = Operand::kNoRegister;
      }
    }
  }

  std::int64_t target(const OperandForm& o) const {
    std::int64_t relative;
    if (o.field.pieces != 0) {
      relative = 4 * sign_extend(o.field(word), o.field.width);
    } else if (sm >= 90) {
      relative = 4 * sign_extend(word.bits(34, 48) << 8 | word.bits(16, 8), 56);
    } else {
      relative = 4 * sign_extend(word.bits(34, 48), 48);
    }
    return o.absolute_target ? relative : relative + offset + 16;
  }

  // In place: an Operand is large, and this is the inner loop of every listing.
  void read(const OperandForm& o, Operand& operand) const {
    using Kind = OperandForm::Kind;
    operand = Operand{};
    switch (o.kind) {
      case Kind::kSlot:
        slot(o, operand);
        break;
      case Kind::kRegister:
        register_operand(o, operand);
        break;
      case Kind::kAddress:
      case Kind::kConstant:
        address(o, operand);
        break;
      case Kind::kImmediate: {
        operand.kind = o.behind ? Operand::Kind::kOffset : Operand::Kind::kImmediate;
        const std::uint64_t bits = o.field(word);
        operand.value =
            o.is_signed ? sign_extend(bits, o.field.width) : static_cast<std::int64_t>(bits);
        if (o.is_signed) operand.format = Operand::Format::kSignedHex;
        break;
      }
      case Kind::kTarget:
        operand.kind = o.behind ? Operand::Kind::kOffset : Operand::Kind::kTarget;
        operand.value = target(o);
        operand.hidden = o.optional && operand.value == 0;
        break;
      case Kind::kSpecial:
        operand.kind = Operand::Kind::kSpecial;
        operand.value = static_cast<std::int64_t>(o.field(word));
        operand.suffix = special_register_name(static_cast<std::uint8_t>(operand.value), sm);
        break;
      case Kind::kScoreboard:
        operand.kind = Operand::Kind::kScoreboard;
        operand.value = static_cast<std::int64_t>(o.field(word));
        break;
      case Kind::kScoreboardSet:
        operand.kind = Operand::Kind::kScoreboardSet;
        operand.value = static_cast<std::int64_t>(o.field(word));
        break;
      case Kind::kGroupScoreboard:
        operand.kind = Operand::Kind::kGroupScoreboard;
        operand.value = static_cast<std::int64_t>(word.bits(o.at, 3));
        operand.hidden = operand.value == 7;
        break;
      case Kind::kConvergence:
        operand.file = RegisterFile::kConvergence;
        // BMOV, whose barrier is at bit 24, reaches more than the sixteen.
        operand.index = static_cast<std::uint16_t>(word.bits(o.at, o.at == 24 ? 5 : 4));
        operand.written = o.written;
        operand.read = !o.written || o.read_too;
        break;
      case Kind::kPredicateSet:
        operand.kind = Operand::Kind::kPredicateSet;
        operand.file = o.file;
        operand.prefix = o.word;
        operand.value = static_cast<std::int64_t>(o.field(word));
        operand.written = o.written;
        operand.read = !o.written;
        break;
      case Kind::kSwizzle:
        operand.kind = Operand::Kind::kWord;
        operand.prefix = swizzle_text(static_cast<std::uint8_t>(o.field(word)));
        operand.value = static_cast<std::int64_t>(o.field(word));
        break;
      case Kind::kWord:
        operand.kind = Operand::Kind::kWord;
        operand.prefix = o.word;
        break;
    }
    if (!o.suffix.texts.empty() && operand.kind != Operand::Kind::kFloat) {
      operand.suffix = o.suffix(word);
      operand.spaced = true;
    }
  }

  // IMAD is also the machine's move, add and shift; the disassembler names what it is used as.
  void alias_imad() {
    const auto ops = out.operands();
    if (!out.modifier("x").empty() || ops.size() < 4) return;
    const Operand& a = ops[1];
    const Operand& b = ops[2];
    const Operand& c = ops[3];
    const auto zero = [](const Operand& o) {
      return o.is_register(RegisterFile::kGeneral) && o.index == kZeroRegister && !o.negated;
    };
    std::string_view alias;
    const bool plain_c = c.file == RegisterFile::kGeneral || c.kind != Operand::Kind::kRegister;
    if (zero(a) && zero(b) && plain_c && c.descriptor == Operand::kNoRegister) {
      alias = "MOV";
    } else if (b.kind == Operand::Kind::kImmediate && b.value == 1) {
      alias = "IADD";
    } else if (b.kind == Operand::Kind::kImmediate && zero(c) &&
               std::has_single_bit(static_cast<std::uint32_t>(b.value))) {
      alias = "SHL";
    }
    if (alias.empty() || out.modifier_count == Instruction::kMaxModifiers) return;
    for (unsigned i = out.modifier_count; i > 0; --i)
      out.modifier_storage[i] = out.modifier_storage[i - 1];
    out.modifier_storage[0] = {"alias", alias};
    ++out.modifier_count;
  }

  void run() {
    out.opcode = &form.opcode;
    for (const isa::ModifierForm& m : form.modifiers) {
      if (!m.when(word)) continue;
      out.modifier_storage[out.modifier_count++] = {m.name, m.choice(word)};
    }
    for (const OperandForm& o : form.operands) {
      if (!o.when(word)) continue;
      // A row may list more operands than fit, but its conditions never let that many through.
      assert(out.operand_count < Instruction::kMaxOperands);
      if (out.operand_count == Instruction::kMaxOperands) break;
      read(o, out.operand_storage[out.operand_count++]);
    }
    if (form.imad) alias_imad();
  }
};

Control control_of(const Word& word) {
  Control control;
  control.stall = static_cast<std::uint8_t>(word.bits(105, 4));
  control.yield = !word.bit(109);
  control.write_barrier = static_cast<std::uint8_t>(word.bits(110, 3));
  control.read_barrier = static_cast<std::uint8_t>(word.bits(113, 3));
  control.wait_mask = static_cast<std::uint8_t>(word.bits(116, 6));
  control.reuse = static_cast<std::uint8_t>(word.bits(122, 4));
  return control;
}

}  // namespace

bool can_decode(Architecture arch) {
  return arch.sm >= 70 && arch.sm <= 121;
}

void decode_into(std::uint64_t low, std::uint64_t high, Architecture arch, std::uint32_t offset,
                 Instruction& out) {
  const Word word{low, high};
  out.low = low;
  out.high = high;
  out.offset = offset;
  out.opcode = nullptr;
  out.operand_count = 0;
  out.modifier_count = 0;
  out.guard = {};
  out.control = control_of(word);
  const Form* form = can_decode(arch) ? isa::find_form(word, arch.sm) : nullptr;
  const std::uint64_t guard = word.bits(12, 3);
  out.guard.index = guard == 7 ? kZeroRegister : static_cast<std::uint16_t>(guard);
  out.guard.negated = word.bit(15);
  if (form == nullptr) return;
  out.guard.uniform = form->uniform_guard;
  Decoder{word, *form, arch.sm, offset, out}.run();
}

Instruction decode(std::uint64_t low, std::uint64_t high, Architecture arch, std::uint32_t offset) {
  Instruction out;
  decode_into(low, high, arch, offset, out);
  return out;
}

void decode_at(Bytes code, std::uint32_t index, Architecture arch, Instruction& out) {
  const std::uint32_t offset = 16 * index;
  Cursor word(code.subspan(offset, 16));
  const std::uint64_t low = word.u64();
  decode_into(low, word.u64(), arch, offset, out);
}

Result<std::vector<Instruction>> decode_all(Bytes code, Architecture arch) {
  if (!can_decode(arch)) {
    return Error{
        fmt::format("{} cannot be disassembled: burin decodes sm_70 to sm_121", to_string(arch))};
  }
  if (code.size() % 16 != 0) {
    return Error{fmt::format(
        "the code has {} bytes, not a multiple of the 16-byte instruction size", code.size())};
  }
  std::vector<Instruction> instructions(code.size() / 16);
  for (std::uint32_t i = 0; i < instructions.size(); ++i) decode_at(code, i, arch, instructions[i]);
  return instructions;
}

}  // namespace burin::read
