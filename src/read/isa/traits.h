// Queries about what an instruction does. All other folders use these and never compare mnemonics,
// so a new instruction is handled everywhere once its table row (form.h) has the right flags. The
// answers come from flags that were parsed when the tables were compiled; no text is compared.
//
//   // ATOMG.E.ADD.64.STRONG.GPU PT, R2, desc[UR4][R6+UR8], R10
//   Instruction i = decode(…);
//   is_atomic(i)                                   true
//   is_reduction(i)                                false: it returns the old value
//   access_bytes(i)                                8
//   address_of(i)->base                            6
//   feeds_address(i, RegisterFile::kUniform, 8)    true
//   feeds_address(i, RegisterFile::kUniform, 4)    false: the descriptor is not part of the address
//
// For a word that the decoder does not know, every query returns false, kNone, null or 0.
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

// --- Memory. Opcode::space is the memory space; Opcode::loads and Opcode::stores the direction.

// True if each lane updates memory atomically: ATOM, ATOMG, ATOMS, RED, REDG, REDAS, SURED.
inline bool is_atomic(const Instruction& i) {
  return has(i, Trait::kAtomic);
}
// True if it updates memory without returning a value: RED, REDG, REDAS, SURED, and the bulk
// operations UTMAREDG and UBLKRED.
inline bool is_reduction(const Instruction& i) {
  return has(i, Trait::kReduction);
}
// True for an atomic that returns the old value to each lane.
inline bool is_returning_atomic(const Instruction& i) {
  return is_atomic(i) && !is_reduction(i);
}
// True if each lane only loads into registers (LD, LDG, LDS, LDL, LDSM), or only stores from
// registers (ST …). False for atomics, copies, asynchronous stores, mbarriers, constants and
// textures.
inline bool is_plain_load(const Instruction& i) {
  return i.known() && i.opcode->loads && !i.opcode->stores && i.opcode->pipe == Pipe::kLsu &&
         i.opcode->sync == Sync::kNone && !is_atomic(i) && !has(i, Trait::kAsync);
}
inline bool is_plain_store(const Instruction& i) {
  return i.known() && i.opcode->stores && !i.opcode->loads && i.opcode->pipe == Pipe::kLsu &&
         i.opcode->sync == Sync::kNone && !is_atomic(i) && !has(i, Trait::kAsync);
}
// True for a plain load of memory that the kernel nowhere stores to (LDG.….CONSTANT): the compiler
// knows that it may pass any store.
inline bool is_read_only_load(const Instruction& i) {
  return is_plain_load(i) && i.modifier("order").starts_with("CONSTANT");
}
// True if the memory operand is in global memory, or may be (generic address).
inline bool may_be_global(const Instruction& i) {
  return i.known() && (i.opcode->space == Space::kGlobal || i.opcode->space == Space::kGeneric);
}
// True for a copy from shared memory to another space; false for copies into shared memory and for
// instructions that are not copies.
bool copies_from_shared(const Instruction& i);

// The memory operand with the address that is read or written; the first one if there are two. Null
// if there is none.
const Operand* address_of(const Instruction& i);

// Bytes that one lane reads or writes at its address: 1 to 32. 0 if the instruction accesses no
// memory or does not encode a size: mbarriers, textures (the format gives it), bulk copies, tensor
// memory.
unsigned access_bytes(const Instruction& i);

// Calls `visit(file, first, count)` for the registers that are added up to form an address: the
// base registers and uniform registers of all memory operands. A descriptor such as desc[UR4] is
// not part of the address. Zero registers are skipped.
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
// True if the register is one of the address registers. It may be read as data too: `STS [R2], R2`.
inline bool feeds_address(const Instruction& i, RegisterFile file, std::uint16_t index) {
  bool feeds = false;
  for_each_address_register(i, [&](RegisterFile f, std::uint16_t first, unsigned count) {
    feeds = feeds || (f == file && index >= first && index < first + count);
  });
  return feeds;
}

// --- Synchronisation.

// True for a barrier across all warps of a block or cluster: BAR, UCGABAR_ARV, UCGABAR_WAIT.
inline bool is_barrier(const Instruction& i) {
  const Sync sync = sync_of(i);
  return sync == Sync::kBlockBarrier || sync == Sync::kClusterArrive || sync == Sync::kClusterWait;
}
inline bool is_cluster_barrier(const Instruction& i) {
  return is_barrier(i) && sync_of(i) != Sync::kBlockBarrier;
}
// True if it orders memory accesses: MEMBAR, FENCE.
inline bool is_fence(const Instruction& i) {
  return sync_of(i) == Sync::kFence || sync_of(i) == Sync::kProxyFence;
}
// True if it synchronises with other threads, or orders memory that other threads see. False for
// waits on results of the same warp (DEPBAR, LDGDEPBAR, WARPGROUP).
bool is_synchronization(const Instruction& i);

// --- Computation.

// True if it only computes registers from registers and constants: no memory access, no branch, no
// wait.
bool is_computation(const Instruction& i);

inline bool is_conversion(const Instruction& i) {
  return has(i, Trait::kConversion);
}
// True for a conversion from type `from` to type `to`, by its table row: F2I converts kF32 to
// kInteger, whatever sizes its modifiers select.
inline bool converts(const Instruction& i, ValueType from, ValueType to) {
  return is_conversion(i) && i.opcode->operand_type == from && i.opcode->result_type == to;
}
// True for a conversion between floating-point types: F2F.F64.F32. FRND, which rounds to an integer
// value, is not one: it has no destination type.
bool converts_between_floats(const Instruction& i);
// True if it copies its source unchanged: MOV, UMOV, and IMAD used as MOV.
bool copies_register(const Instruction& i);
// True for an integer addition: IADD3, VIADD, UIADD3, and IMAD used as IADD.
bool adds_integers(const Instruction& i);
// True if the result is the smallest or largest of its sources: FMNMX, IMNMX, VIMNMX3. VIADDMNMX is
// also an extremum of a sum: it adds two of them first.
inline bool is_extremum(const Instruction& i) {
  return has(i, Trait::kExtremum);
}
inline bool is_extremum_of_sum(const Instruction& i) {
  return is_extremum(i) && has(i, Trait::kOfSum);
}
// True if it compares integers per lane and writes predicates: ISETP.
inline bool compares_integers(const Instruction& i) {
  return has(i, Trait::kCompare) && i.opcode->operand_type == ValueType::kInteger &&
         i.opcode->pipe != Pipe::kUniform;
}
// Floating-point operations (additions and multiplications) per lane: 2 for FFMA, 4 for HFMA2. 0
// for matrix products, which a warp computes collectively.
unsigned float_operations(const Instruction& i);

}  // namespace burin::read
