#include "read/program/classes.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "read/isa/traits.h"
#include "read/program/words.h"

namespace burin::read {
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

// The class that goes before that of the pipe; empty: none.
std::string_view class_by_trait(const Opcode& opcode) {
  if (opcode.pipe == Pipe::kUniform) return {};
  if (opcode.has(Trait::kConversion)) return "conversions";
  if (opcode.has(Trait::kMove) || opcode.has(Trait::kTransfer)) return "moves";
  if (opcode.has(Trait::kCrossLane)) return "lane exchange";
  if (opcode.sync == Sync::kCopyCommit) return "async copies";
  if (opcode.has(Trait::kCopy) && opcode.pipe == Pipe::kLsu) return "async copies";
  return opcode.sync != Sync::kNone ? "barriers" : std::string_view();
}

std::string class_name(const Instruction& instruction) {
  if (!instruction.known()) return "other";
  const Opcode& opcode = *instruction.opcode;
  if (const std::string_view found = class_by_trait(opcode); !found.empty()) {
    return std::string(found);
  }
  const bool is_integer = opcode.operand_type == ValueType::kInteger;
  switch (opcode.pipe) {
    case Pipe::kFp64:
      return "FP64";
    case Pipe::kHalf:
      return "FP16";
    case Pipe::kFma:
    case Pipe::kAlu:
      // FFMA, FADD, FSETP, FMNMX … against IMAD, ISETP, LOP3 …
      return is_integer ? "integer" : "FP32";
    case Pipe::kXu:
      return is_integer ? "integer" : "special functions";  // POPC, FLO, BREV are integer
    case Pipe::kTensor:
      return "tensor";
    case Pipe::kUniform:
      return "uniform";
    case Pipe::kLsu:
      if (opcode.space == Space::kNone) return "other memory";
      return std::string(name(opcode.space)) + (is_atomic(instruction) ? " atomics"
                                                : opcode.stores        ? " stores"
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

}  // namespace burin::read
