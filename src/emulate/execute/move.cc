// Moves: between registers, predicates and the uniform file, whole, chosen or byte by byte.
#include "emulate/state/lower.h"
#include "emulate/state/map.h"
#include "emulate/state/truth.h"
#include "emulate/state/uniform.h"

namespace burin::emulate {
namespace {

BURIN_LANES void execute_move(Warp& warp, const Op& op) {
  Lanes scratch;
  const Lanes& value = warp.get(op.source[0], scratch);
  warp.set(op.destination[0], value, warp.unknown_of(op.source[0]));
}

// A MOV that names some of every four lanes leaves the others alone.
void execute_move_some(Warp& warp, const Op& op) {
  const Mask exec = warp.exec;
  warp.exec &= op.immediate;
  execute_move(warp, op);
  warp.exec = exec;
}

bool lower_mov(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  op.source[0] = l.source(operands[1]);
  op.execute = execute_move;
  if (operands.size() > 2) {
    op.immediate = static_cast<Mask>(operands[2].value) * 0x11111111;
    op.execute = execute_move_some;
  }
  return true;
}

// a if the predicate is true, else b. With an Unknown predicate, equal sources still give a known
// result.
BURIN_LANES void execute_select(Warp& warp, const Op& op) {
  Lanes sa;
  Lanes sb;
  const Lanes& a = warp.get(op.source[0], sa);
  const Lanes& b = warp.get(op.source[1], sb);
  const Truth choice = truth_of(warp, op.predicate_in[0]);
  const Mask unknown_a = warp.unknown_of(op.source[0]);
  const Mask unknown_b = warp.unknown_of(op.source[1]);
  Lanes out;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out.lane[i] = (choice.value >> i & 1) != 0 ? a.lane[i] : b.lane[i];
  }
  Mask unknown = (choice.value & unknown_a) | (~choice.value & unknown_b);
  if (choice.unknown != 0) {
    const Mask differ = mask_of([&](unsigned i) BURIN_INLINE { return a.lane[i] != b.lane[i]; });
    unknown |= choice.unknown & (unknown_a | unknown_b | differ);
  }
  warp.set(op.destination[0], out, unknown);
}

bool lower_sel(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  op.source[0] = l.source(operands[1]);
  op.source[1] = l.source(operands[2]);
  op.predicate_in[0] = l.predicate(operands[3]);
  op.execute = execute_select;
  return true;
}

// The predicates selected by the mask go to one byte of the register; the rest is taken from a. Bit
// 7 has no predicate and reads as 0.
void execute_pack(Warp& warp, const Op& op) {
  const Lanes& a = warp.plain(op.source[0]);
  const unsigned shift = op.mode[0];
  Lanes out;
  Mask unknown = warp.unknown_of(op.source[0]);
  for (unsigned i = 0; i < kWarpLanes; ++i) out.lane[i] = a.lane[i] & ~(op.immediate << shift);
  for (unsigned p = 0; p < 7; ++p) {
    if ((op.immediate >> p & 1) == 0) continue;
    const unsigned slot = op.mode[1] + p;
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      out.lane[i] |= (warp.predicates[slot] >> i & 1) << (shift + p);
    }
    unknown |= warp.predicate_unknown[slot];
  }
  warp.set(op.destination[0], out, unknown);
}

void execute_unpack(Warp& warp, const Op& op) {
  const Lanes a = warp.plain(op.source[0]);
  const Mask unknown = warp.unknown_of(op.source[0]);
  for (unsigned p = 0; p < 7; ++p) {
    if ((op.immediate >> p & 1) == 0) continue;
    const unsigned bit = op.mode[0] + p;
    warp.set_predicate(static_cast<std::uint8_t>(op.mode[1] + p),
                       mask_of([&](unsigned i) { return (a.lane[i] >> bit & 1) != 0; }), unknown);
  }
}

void take_predicates(Op& op, const read::Operand& set, std::string_view byte) {
  op.mode[0] = static_cast<std::uint8_t>(byte.empty() ? 0 : 8 * (byte[1] - '0'));  // B1, B2, B3
  op.mode[1] = set.file == read::RegisterFile::kUniformPredicate ? kUniformPredicateSlot : 0;
}

bool lower_p2r(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  take_predicates(op, operands[1], i.modifier("byte"));
  op.immediate = static_cast<std::uint32_t>(operands[3].value);
  if (op.immediate > 0xff) return false;
  op.destination[0] = l.destination(operands[0]);
  op.source[0] = l.source(operands[2]);
  op.execute = execute_pack;
  return true;
}

bool lower_r2p(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  take_predicates(op, operands[0], operands[1].suffix);
  op.immediate = static_cast<std::uint32_t>(operands[0].value);
  op.source[0] = l.source(operands[1]);
  op.execute = execute_unpack;
  return true;
}

// Copies a register to the uniform file: one value for the warp. If the lanes disagree, it is the
// value of one lane. Compilers ensure that they agree; cuBLAS copies the thread index in this way,
// and then uses only the part of it that is the warp index.
//
// With a predicate, each lane learns whether its value differs from that of the chosen lane; .OR
// combines this with the previous predicate. A loop around it serves one value after another: lanes
// stay in the loop while their predicate is true. Unknown values count as equal. mode[0]: there is
// a predicate, mode[1]: .OR
void execute_to_uniform(Warp& warp, const Op& op) {
  const auto first = static_cast<unsigned>(std::countr_zero(warp.exec));
  const Lanes& from = warp.plain(op.source[0]);
  const std::uint32_t value = from.lane[first];
  const Mask unknown = warp.unknown_of(op.source[0]) & warp.exec;
  if (op.mode[0] != 0) {
    Mask differs = mask_of([&](unsigned i) { return from.lane[i] != value; });
    if (unknown != 0) differs = 0;
    Mask doubt = 0;
    if (op.mode[1] != 0) {
      differs |= warp.get(op.predicate_in[0]);
      doubt = warp.unknown_of(op.predicate_in[0]);
    }
    warp.set_predicate(op.predicate_out[0], differs, doubt);
  }
  set_uniform(warp, op.destination[0], value, unknown != 0);
}

bool lower_r2ur(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  op.predicate_out[0] = l.predicate_destination(operands[0]);
  op.mode[0] = op.predicate_out[0] != kPredicateSinkSlot;
  op.mode[1] = i.modifier("or") == "OR";
  op.predicate_in[0] = {.slot = op.predicate_out[0]};
  op.destination[0] = l.destination(operands[1]);
  op.source[0] = l.source(operands[2]);
  op.execute = execute_to_uniform;
  return true;
}

// The address of an instruction: its own, or the one it names. Code starts at 0.
void execute_code_address(Warp& warp, const Op& op) {
  Lanes low;
  Lanes high;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    low.lane[i] = static_cast<std::uint32_t>(op.offset);
    high.lane[i] = static_cast<std::uint32_t>(op.offset >> 32);
  }
  warp.set(op.destination[0], low, 0);
  warp.set(slot_after(op.destination[0], 1), high, 0);
}

bool lower_lepc(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  op.offset = operands.size() > 1 ? operands[1].value : i.offset;
  op.execute = execute_code_address;
  return true;
}

}  // namespace

std::span<const LowerRow> move_rows() {
  static constexpr LowerRow kRows[] = {
      {"MOV", lower_mov},   {"UMOV", lower_mov},  {"SEL", lower_sel},   {"USEL", lower_sel},
      {"P2R", lower_p2r},   {"R2P", lower_r2p},   {"UP2UR", lower_p2r}, {"UR2UP", lower_r2p},
      {"R2UR", lower_r2ur}, {"LEPC", lower_lepc},
  };
  return kRows;
}

}  // namespace burin::emulate
