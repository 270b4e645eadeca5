// Programs for tests, written instruction by instruction:
//
//   WrittenProgram p;
//   p.op("MOV").writes(R(0));
//   p.op("BRA").when(0).to(3);
//   p.op("EXIT");
//   Kernel kernel = p.build();
#pragma once

#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "read/isa/form.h"
#include "read/program/kernel.h"

namespace burin::test {

struct Register {
  read::RegisterFile file;
  std::uint16_t index;
  bool operator==(const Register&) const = default;
};
inline Register R(int n) {
  return {read::RegisterFile::kGeneral, static_cast<std::uint16_t>(n)};
}
inline Register UR(int n) {
  return {read::RegisterFile::kUniform, static_cast<std::uint16_t>(n)};
}
inline Register P(int n) {
  return {read::RegisterFile::kPredicate, static_cast<std::uint16_t>(n)};
}
inline Register UP(int n) {
  return {read::RegisterFile::kUniformPredicate, static_cast<std::uint16_t>(n)};
}
inline constexpr int kTrue = read::kZeroRegister;  // PT

// As the tables have it; null, an unknown word, for what they do not have.
inline const read::Opcode* opcode(std::string_view mnemonic) {
  static const std::map<std::string_view, read::Opcode> all = [] {
    std::map<std::string_view, read::Opcode> found;
    for (const char* table : read::isa::tables()) {
      const auto forms = read::isa::compile_forms(table);
      if (!forms.ok()) throw std::runtime_error(forms.error().message);
      for (const read::isa::Form& form : *forms) found.emplace(form.opcode.mnemonic, form.opcode);
    }
    return found;
  }();
  const auto at = all.find(mnemonic);
  return at == all.end() ? nullptr : &at->second;
}

class Builder {
 public:
  explicit Builder(read::Instruction& instruction) : i_(instruction) {}

  Builder& when(int p) { return guard(p, false, false); }
  Builder& unless(int p) { return guard(p, true, false); }
  Builder& when_uniform(int p) { return guard(p, false, true); }
  Builder& reads(Register r, int count = 1) { return operand(r, count, true, false, false); }
  // desc[descriptor][base + uniform]
  Builder& at(Register base, Register uniform, Register descriptor) {
    value(read::Operand::Kind::kMemory, 0);
    read::Operand& o = i_.operand_storage[i_.operand_count - 1u];
    o.base = base.index;
    o.base_count = 2;
    o.uniform = uniform.index;
    o.descriptor = descriptor.index;
    return *this;
  }
  Builder& reads_constant() { return value(read::Operand::Kind::kConstant, 0x210); }
  Builder& reads_not(Register r) { return operand(r, 1, true, false, true); }
  Builder& writes(Register r, int count = 1) { return operand(r, count, false, true, false); }
  Builder& to(std::int64_t instruction) {
    return value(read::Operand::Kind::kTarget, 16 * instruction);
  }
  Builder& modifier(std::string_view text) {
    i_.modifier_storage[i_.modifier_count++] = {"test", text};
    return *this;
  }
  Builder& sets(int scoreboard) {
    i_.control.write_barrier = static_cast<std::uint8_t>(scoreboard);
    return *this;
  }
  Builder& frees(int scoreboard) {
    i_.control.read_barrier = static_cast<std::uint8_t>(scoreboard);
    return *this;
  }
  Builder& waits(unsigned mask) {
    i_.control.wait_mask = static_cast<std::uint8_t>(mask);
    return *this;
  }
  Builder& stall(int cycles) {
    i_.control.stall = static_cast<std::uint8_t>(cycles);
    return *this;
  }
  // DEPBAR.LE SB<scoreboard>, count, {mask}
  Builder& until(int scoreboard, int count, int mask = 0) {
    value(read::Operand::Kind::kScoreboard, scoreboard);
    value(read::Operand::Kind::kImmediate, count);
    return mask == 0 ? *this : value(read::Operand::Kind::kScoreboardSet, mask);
  }

 private:
  Builder& guard(int p, bool negated, bool uniform) {
    i_.guard = {uniform, negated, static_cast<std::uint16_t>(p)};
    return *this;
  }
  Builder& operand(Register r, int count, bool read, bool written, bool inverted) {
    read::Operand& o = i_.operand_storage[i_.operand_count++];
    o.kind = read::Operand::Kind::kRegister;
    o.file = r.file;
    o.index = r.index;
    o.count = static_cast<std::uint8_t>(count);
    o.read = read;
    o.written = written;
    o.inverted = inverted;
    return *this;
  }
  Builder& value(read::Operand::Kind kind, std::int64_t v) {
    read::Operand& o = i_.operand_storage[i_.operand_count++];
    o.kind = kind;
    o.value = v;
    return *this;
  }

  read::Instruction& i_;
};

struct WrittenProgram {
  std::vector<read::Instruction> instructions;
  read::Function function;
  read::Image image;

  std::uint32_t here() const { return static_cast<std::uint32_t>(instructions.size()); }

  Builder op(std::string_view mnemonic) {
    read::Instruction& i = instructions.emplace_back();
    i.offset = 16 * (here() - 1);
    i.opcode = opcode(mnemonic);
    return Builder(i);
  }
  // The kernel points into this program.
  read::Kernel build(read::KernelOptions options = {}) const {
    return build_from(instructions, image, function, options);
  }
};

}  // namespace burin::test
