#include "read/program/words.h"

// No `default` in these: the compiler names the one that a new enumerator lacks.
namespace burin::read {

std::string_view name(Entry::Kind value) {
  switch (value) {
    case Entry::Kind::kCubin:
      return "cubin";
    case Entry::Kind::kPtx:
      return "ptx";
    case Entry::Kind::kLtoIr:
      return "lto";
    case Entry::Kind::kOther:
      return "other";
  }
  return "";
}

std::string_view name(Entry::Packing value) {
  switch (value) {
    case Entry::Packing::kRaw:
      return "raw";
    case Entry::Packing::kZstd:
      return "zstd";
    case Entry::Packing::kLz4:
      return "lz4";
  }
  return "";
}

std::string_view name(Container::Format value) {
  switch (value) {
    case Container::Format::kCubin:
      return "cubin";
    case Container::Format::kFatbin:
      return "fatbin";
    case Container::Format::kHostElf:
      return "host";
    case Container::Format::kArchive:
      return "archive";
    case Container::Format::kPtx:
      return "ptx";
    case Container::Format::kZip:
      return "zip";
    case Container::Format::kFolder:
      return "folder";
  }
  return "";
}

std::string_view name(Edge::Kind value) {
  switch (value) {
    case Edge::Kind::kFallThrough:
      return "fall-through";
    case Edge::Kind::kBranch:
      return "branch";
    case Edge::Kind::kIndirect:
      return "indirect";
    case Edge::Kind::kReturn:
      return "return";
  }
  return "";
}

std::string_view name(Operand::Kind value) {
  switch (value) {
    case Operand::Kind::kRegister:
      return "register";
    case Operand::Kind::kImmediate:
      return "immediate";
    case Operand::Kind::kOffset:
      return "offset";
    case Operand::Kind::kFloat:
      return "float";
    case Operand::Kind::kConstant:
      return "constant";
    case Operand::Kind::kMemory:
      return "memory";
    case Operand::Kind::kSpecial:
      return "special";
    case Operand::Kind::kScoreboard:
      return "scoreboard";
    case Operand::Kind::kScoreboardSet:
      return "scoreboard-set";
    case Operand::Kind::kPredicateSet:
      return "predicates";
    case Operand::Kind::kGroupScoreboard:
      return "group-scoreboard";
    case Operand::Kind::kTarget:
      return "target";
    case Operand::Kind::kWord:
      return "word";
  }
  return "";
}

std::string_view name(Operand::Format value) {
  switch (value) {
    case Operand::Format::kHex:
      return "hex";
    case Operand::Format::kSignedHex:
      return "signed";
    case Operand::Format::kF32:
      return "f32";
    case Operand::Format::kF64:
      return "f64";
    case Operand::Format::kF16:
      return "f16";
    case Operand::Format::kBf16:
      return "bf16";
    case Operand::Format::kF16x2:
      return "f16x2";
    case Operand::Format::kBf16x2:
      return "bf16x2";
  }
  return "";
}

std::string_view name(Space value) {
  switch (value) {
    case Space::kNone:
      return "";
    case Space::kGeneric:
      return "generic";
    case Space::kGlobal:
      return "global";
    case Space::kShared:
      return "shared";
    case Space::kLocal:
      return "local";
    case Space::kConstant:
      return "constant";
    case Space::kTensor:
      return "tensor";
  }
  return "";
}

std::string_view name(Opcode::Flow value) {
  switch (value) {
    case Opcode::kNext:
      return "";
    case Opcode::kBranch:
      return "branch";
    case Opcode::kCall:
      return "call";
    case Opcode::kReturn:
      return "return";
    case Opcode::kExit:
      return "exit";
    case Opcode::kPush:
      return "push";
    case Opcode::kSync:
      return "sync";
    case Opcode::kTrap:
      return "trap";
  }
  return "";
}

namespace {
std::string_view letters(RegisterFile file) {
  switch (file) {
    case RegisterFile::kGeneral:
      return "R";
    case RegisterFile::kUniform:
      return "UR";
    case RegisterFile::kPredicate:
      return "P";
    case RegisterFile::kUniformPredicate:
      return "UP";
    case RegisterFile::kConvergence:
      return "B";
  }
  return "";
}
}  // namespace

std::string register_name(RegisterFile file, unsigned index) {
  const std::string name(letters(file));
  if (index != kZeroRegister) return name + std::to_string(index);
  return name + (name.ends_with('P') ? 'T' : 'Z');  // PT is true, RZ zero
}

std::string arch_name(Entry::Kind kind, Architecture arch) {
  std::string text = to_string(arch);
  if (kind == Entry::Kind::kPtx) text.replace(0, text.find('_'), "compute");
  return text;
}

}  // namespace burin::read
