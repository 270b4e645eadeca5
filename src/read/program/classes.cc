#include "read/program/classes.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "read/program/words.h"

namespace burin {
namespace {

constexpr std::string_view kClasses[] = {
    "FP64",           "FP32",
    "FP16",           "tensor",
    "conversions",    "special functions",
    "integer",        "uniform",
    "moves",          "lane exchange",
    "global loads",   "global stores",
    "global atomics", "async copies",
    "shared loads",   "shared stores",
    "shared atomics", "local loads",
    "local stores",   "generic loads",
    "generic stores", "generic atomics",
    "constant loads", "textures",
    "bulk copies",    "barriers",
    "control",        "other memory",
    "other",
};

// Mnemonics whose class their pipe does not tell.
struct Named {
  std::string_view in_class;
  std::string_view mnemonics;  // a blank on each side of each
};
constexpr Named kNamed[] = {
    {"conversions", " F2F F2I I2F FRND F2FP F2IP I2FP I2I I2IP "},
    {"integer", " POPC FLO BREV "},
    {"moves", " MOV S2R CS2R S2UR R2UR P2R R2P B2R R2B "},
    {"lane exchange", " SHFL VOTE VOTEU MATCH REDUX MOVM ELECT "},
    {"async copies", " LDGSTS LDGDEPBAR "},
    {"barriers",
     " BAR SYNCS ARRIVES WARPSYNC UCGABAR_ARV UCGABAR_WAIT DEPBAR MEMBAR ERRBAR CGAERRBAR FENCE "
     "WARPGROUP "},
};

bool is_atomic(std::string_view mnemonic) {
  return mnemonic.starts_with("ATOM") || mnemonic == "RED" || mnemonic == "REDG" ||
         mnemonic == "REDS" || mnemonic == "REDAS";
}

std::string class_name(const Instruction& instruction) {
  if (!instruction.known()) return "other";
  const Opcode& opcode = *instruction.opcode;
  const std::string word = " " + std::string(opcode.mnemonic) + " ";
  for (const Named& named : kNamed) {
    if (named.mnemonics.find(word) != std::string_view::npos) return std::string(named.in_class);
  }
  switch (opcode.pipe) {
    case Pipe::kFp64:
      return "FP64";
    case Pipe::kHalf:
      return "FP16";
    case Pipe::kFma:
    case Pipe::kAlu:
      // FFMA, FADD, FSETP, FMNMX … against IMAD, ISETP, LOP3 …
      return opcode.mnemonic.starts_with('F') ? "FP32" : "integer";
    case Pipe::kXu:
      return "special functions";
    case Pipe::kTensor:
      return "tensor";
    case Pipe::kUniform:
      return "uniform";
    case Pipe::kLsu:
      if (opcode.space == Space::kNone) return "other memory";
      return std::string(name(opcode.space)) + (is_atomic(opcode.mnemonic) ? " atomics"
                                                : opcode.stores            ? " stores"
                                                                           : " loads");
    case Pipe::kConstant:
      return "constant loads";
    case Pipe::kTexture:
      return "textures";
    case Pipe::kBulk:
      return "bulk copies";
    case Pipe::kControl:
      return "control";
    case Pipe::kMisc:
      return "other";
  }
  return "other";
}

}  // namespace

std::span<const std::string_view> instruction_classes() {
  return kClasses;
}

std::size_t class_of(const Instruction& instruction) {
  const std::string wanted = class_name(instruction);
  const auto* found = std::ranges::find(kClasses, wanted);
  if (found == std::end(kClasses)) found = std::ranges::find(kClasses, "other memory");
  return static_cast<std::size_t>(found - std::begin(kClasses));
}

}  // namespace burin
