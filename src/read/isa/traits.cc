#include "read/isa/traits.h"

#include <algorithm>
#include <string_view>

#include "read/isa/register_counts.h"

namespace burin::read {

bool copies_from_shared(const Instruction& i) {
  if (!has(i, Trait::kCopy)) return false;
  // A bulk copy between two spaces has its spaces as modifiers.
  if (i.opcode->space == Space::kNone) return i.modifier("from") == "S";
  return i.opcode->space == Space::kGlobal && !i.opcode->loads;
}

const Operand* address_of(const Instruction& i) {
  const auto found = std::ranges::find(i.operands(), Operand::Kind::kMemory, &Operand::kind);
  return found == i.operands().end() ? nullptr : &*found;
}

unsigned access_bytes(const Instruction& i) {
  if (!i.known() || !(i.opcode->loads || i.opcode->stores)) return 0;
  const Pipe pipe = i.opcode->pipe;
  const bool surface = pipe == Pipe::kTexture && i.modifier("kind") == "D";
  const bool by_lane = pipe == Pipe::kLsu || pipe == Pipe::kConstant || pipe == Pipe::kUniform;
  if (!(by_lane || surface) || i.opcode->sync != Sync::kNone) return 0;
  const std::string_view width = i.modifier("width");
  if (width == "U8" || width == "S8") return 1;
  if (width == "U16" || width == "S16") return 2;
  if (width == "256") return 32;
  if (!width.empty()) return 4 * isa::registers_of(width, false);
  if (const std::string_view type = i.modifier("type"); !type.empty()) {
    return 4 * isa::registers_of(type, false);
  }
  return 4 * isa::registers_of(i.modifier("number"), false);  // of matrices: LDSM, STSM
}

bool is_synchronization(const Instruction& i) {
  switch (sync_of(i)) {
    case Sync::kBlockBarrier:
    case Sync::kClusterArrive:
    case Sync::kClusterWait:
    case Sync::kWarp:
    case Sync::kMbarrier:
    case Sync::kCopyArrive:
    case Sync::kFence:
    case Sync::kProxyFence:
    case Sync::kErrorBarrier:
      return true;
    case Sync::kNone:
    case Sync::kBarrierResult:
    case Sync::kScoreboard:
    case Sync::kCopyCommit:
    case Sync::kProducts:
      return false;
  }
  return false;
}

bool is_computation(const Instruction& i) {
  if (!i.known() || i.opcode->loads || i.opcode->stores) return false;
  if (i.opcode->flow != Opcode::kNext || i.opcode->sync != Sync::kNone) return false;
  switch (i.opcode->pipe) {
    case Pipe::kFma:
    case Pipe::kAlu:
    case Pipe::kHalf:
    case Pipe::kFp64:
    case Pipe::kXu:
    case Pipe::kUniform:
      return true;
    case Pipe::kTensor:  // not those that allocate tensor memory
      return i.opcode->arithmetic == Arithmetic::kMatrix;
    case Pipe::kLsu:
    case Pipe::kMisc:
      return i.opcode->has(Trait::kCrossLane) || i.opcode->has(Trait::kTransfer);
    case Pipe::kTexture:
    case Pipe::kBulk:
    case Pipe::kControl:
    case Pipe::kConstant:
      return false;
  }
  return false;
}

bool converts_between_floats(const Instruction& i) {
  return is_conversion(i) && i.opcode->operand_type != ValueType::kInteger &&
         i.opcode->result_type != ValueType::kInteger && !i.modifier("to").empty();
}

bool copies_register(const Instruction& i) {
  return has(i, Trait::kMove) || i.modifier("alias") == "MOV";
}

bool adds_integers(const Instruction& i) {
  if (i.modifier("alias") == "IADD") return true;
  return arithmetic_of(i) == Arithmetic::kAdd && i.opcode->operand_type == ValueType::kInteger;
}

// Whether a factor of a multiply-add is RZ: compilers load constants by `HFMA2.MMA R1, -RZ, RZ, …`.
static bool only_moves_addend(const Instruction& i) {
  if (i.opcode->arithmetic != Arithmetic::kMultiplyAdd) return false;
  return std::ranges::any_of(
      i.operands().first(std::min<std::size_t>(3, i.operand_count)), [](const Operand& o) {
        return o.is_register(RegisterFile::kGeneral) && !o.written && o.index == kZeroRegister;
      });
}

unsigned float_operations(const Instruction& i) {
  if (!i.known() || i.opcode->operand_type == ValueType::kInteger) return 0;
  if (only_moves_addend(i)) return 0;
  const bool two = i.opcode->operand_type == ValueType::kF16 || i.opcode->has(Trait::kPair);
  switch (i.opcode->arithmetic) {
    case Arithmetic::kAdd:
    case Arithmetic::kMultiply:
      return two ? 2 : 1;
    case Arithmetic::kMultiplyAdd:
      return two ? 4 : 2;
    case Arithmetic::kNone:
    case Arithmetic::kMatrix:
    case Arithmetic::kShift:
    case Arithmetic::kShiftAdd:
    case Arithmetic::kLogic:
    case Arithmetic::kAbsolute:
      return 0;
  }
  return 0;
}

}  // namespace burin::read
