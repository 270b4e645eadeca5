// What an instruction is. All other rooms ask here, and never compare mnemonics: a new instruction
// then is right everywhere once its row of the tables (form.h) has its flags. All answers come from
// flags that were read when the tables were compiled; no text is compared.
//
//   Instruction i = decode(…);           // ATOMG.E.ADD.64.STRONG.GPU PT, R2, desc[UR4][R6+UR8],
//   R10 is_atomic(i)                         true is_reduction(i)                      false: it
//   returns what was there access_bytes(i)                      8 address_of(i)->base 6
//   feeds_address(i, RegisterFile::kUniform, 8)    true
//   feeds_address(i, RegisterFile::kUniform, 4)    false: a descriptor says how, not where
//
// An unknown word is none of all these: every question about it is answered with no, none or 0.
#pragma once

#include <algorithm>

#include "read/isa/instruction.h"

namespace burin::read {

inline bool has(const Instruction& i, Trait trait) {
  return i.known() && i.opcode->has(trait);
}
inline Sync sync_of(const Instruction& i) {
  return i.known() ? i.opcode->sync : Sync::kNone;
}
inline Arithmetic arithmetic_of(const Instruction& i) {
  return i.known() ? i.opcode->arithmetic : Arithmetic::kNone;
}

// --- Memory. Opcode::space says which memory, loads and stores what is done to it.

// Lanes change memory in one step: ATOM, ATOMG, ATOMS, RED, REDG, REDAS, SURED.
inline bool is_atomic(const Instruction& i) {
  return has(i, Trait::kAtomic);
}
// Memory is changed and nothing returned: RED, REDG, REDAS, SURED, and the bulk UTMAREDG, UBLKRED.
inline bool is_reduction(const Instruction& i) {
  return has(i, Trait::kReduction);
}
// An atomic that gives each lane what was there.
inline bool is_returning_atomic(const Instruction& i) {
  return is_atomic(i) && !is_reduction(i);
}
// Lanes load into registers, or store from them, and do nothing else: LD, LDG, LDS, LDL, LDSM; ST …
// Neither atomics, copies, asynchronous stores and mbarriers, nor constants and textures.
inline bool is_plain_load(const Instruction& i) {
  return i.known() && i.opcode->loads && !i.opcode->stores && i.opcode->pipe == Pipe::kLsu &&
         i.opcode->sync == Sync::kNone && !is_atomic(i) && !has(i, Trait::kAsync);
}
inline bool is_plain_store(const Instruction& i) {
  return i.known() && i.opcode->stores && !i.opcode->loads && i.opcode->pipe == Pipe::kLsu &&
         i.opcode->sync == Sync::kNone && !is_atomic(i) && !has(i, Trait::kAsync);
}
// Its memory operand is in global memory, or may be (generic).
inline bool may_be_global(const Instruction& i) {
  return i.known() && (i.opcode->space == Space::kGlobal || i.opcode->space == Space::kGeneric);
}
// A copy from shared memory to elsewhere; one into it, and what is no copy, is none.
bool copies_from_shared(const Instruction& i);

// The operand that says where in memory it reads or writes, the first of two; null: none.
const Operand* address_of(const Instruction& i);

// The bytes that one lane reads or writes at its address: 1 to 32. 0 where the instruction has none
// or does not tell: mbarriers, textures (their format does), bulk copies, tensor memory.
unsigned access_bytes(const Instruction& i);

// Calls `visit(file, first, count)` for the registers whose sum, with a constant, is an address:
// base registers and uniform registers of all memory operands. The descriptor desc[UR4] in front of
// an address is no part of it. Zero registers are left out.
template <typename Visit>
void for_each_address_register(const Instruction& i, Visit visit) {
  for (const Operand& o : i.operands()) {
    if (o.kind != Operand::Kind::kMemory) continue;
    if (o.base != Operand::kNoRegister && o.base != kZeroRegister) {
      visit(RegisterFile::kGeneral, o.base, unsigned{o.base_count});
    }
    if (o.uniform != Operand::kNoRegister && o.uniform != kZeroRegister) {
      visit(RegisterFile::kUniform, o.uniform, unsigned{o.uniform_count});
    }
  }
}
// Whether the register is one of those. It may be read as data too: `STS [R2], R2`.
inline bool feeds_address(const Instruction& i, RegisterFile file, std::uint16_t index) {
  bool feeds = false;
  for_each_address_register(i, [&](RegisterFile f, std::uint16_t first, unsigned count) {
    feeds = feeds || (f == file && index >= first && index < first + count);
  });
  return feeds;
}

// --- Waiting for others.

// All warps of a block or of a cluster meet: BAR, UCGABAR_ARV, UCGABAR_WAIT.
inline bool is_barrier(const Instruction& i) {
  const Sync sync = sync_of(i);
  return sync == Sync::kBlockBarrier || sync == Sync::kClusterArrive || sync == Sync::kClusterWait;
}
inline bool is_cluster_barrier(const Instruction& i) {
  return is_barrier(i) && sync_of(i) != Sync::kBlockBarrier;
}
// Orders accesses to memory: MEMBAR, FENCE.
inline bool is_fence(const Instruction& i) {
  return sync_of(i) == Sync::kFence || sync_of(i) == Sync::kProxyFence;
}
// Waits for other threads, or for memory that others see; not for a result of its own warp
// (DEPBAR, LDGDEPBAR, WARPGROUP).
bool is_synchronization(const Instruction& i);

// --- Computing.

// Makes registers of registers and constants and does nothing else: no memory, jump or wait.
bool is_computation(const Instruction& i);

inline bool is_conversion(const Instruction& i) {
  return has(i, Trait::kConversion);
}
// … by its row: F2I is one from kF32 to kInteger, whatever its modifiers say of the sizes.
inline bool converts(const Instruction& i, ValueType from, ValueType to) {
  return is_conversion(i) && i.opcode->operand_type == from && i.opcode->result_type == to;
}
// Between float types: F2F.F64.F32. Rounding to a whole number (FRND) has no type to convert to.
bool converts_between_floats(const Instruction& i);
// Copies its source, as it is: MOV, UMOV, and IMAD where it stands for MOV.
bool copies_register(const Instruction& i);
// A sum of integers: IADD3, VIADD, UIADD3, and IMAD where it stands for IADD.
bool adds_integers(const Instruction& i);
// Compares integers and writes predicates, per lane: ISETP.
inline bool compares_integers(const Instruction& i) {
  return has(i, Trait::kCompare) && i.opcode->operand_type == ValueType::kInteger &&
         i.opcode->pipe != Pipe::kUniform;
}
// Floating-point additions and multiplications that one lane does: 2 for FFMA, 4 for HFMA2. 0 for
// matrix products, which a warp does together.
unsigned float_operations(const Instruction& i);

}  // namespace burin::read
