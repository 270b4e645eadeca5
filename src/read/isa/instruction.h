// A decoded SASS instruction. `decode` (decode.h) creates it from 16 bytes; `print` (print.h)
// prints it as nvdisasm does. The program model and the emulator read these fields, never the text.
//
//   Instruction i = decode(low, high, {90}, /*offset=*/0x40);
//   i.opcode->mnemonic              "LDG"
//   i.modifier("width")             "64"
//   i.operands()[0]                 register R8, count 2, written
//   i.operands()[1]                 memory, base R12 (count 2), descriptor UR16, value 8
//   i.control.write_barrier         3
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>

#include "read/architecture.h"

namespace burin::read {

inline constexpr std::uint32_t kInstructionBytes = 16;

// The execution unit of an instruction. The names are those of the machine files.
enum class Pipe : std::uint8_t {
  kFma,   // FP32 multiply-add, and the integer multiply-adds that share it
  kAlu,   // integer, logic, compare, select, min/max
  kHalf,  // packed FP16/BF16
  kFp64,
  kXu,        // transcendental functions and conversions
  kTensor,    // HMMA, IMMA, DMMA, HGMMA, UTC*MMA
  kUniform,   // the uniform datapath
  kLsu,       // global, local, generic and shared memory; shuffles
  kTexture,   // textures and surfaces
  kBulk,      // TMA and other bulk copies
  kControl,   // branches, barriers, calls
  kConstant,  // LDC: indexed constant loads
  kMisc,      // moves between register files, special registers, NOP
};
std::string_view name(Pipe pipe);

enum class Space : std::uint8_t { kNone, kGeneric, kGlobal, kShared, kLocal, kConstant, kTensor };

// What an instruction waits for or orders. Each comment gives the flag of the table row and the
// instructions that have it.
enum class Sync : std::uint8_t {
  kNone,
  kBlockBarrier,   // block_barrier: BAR
  kBarrierResult,  // barrier_result: B2R reads the result of a barrier
  kClusterArrive,  // cluster_arrive: UCGABAR_ARV
  kClusterWait,    // cluster_wait: UCGABAR_WAIT
  kWarp,           // warp_sync: WARPSYNC
  kMbarrier,       // mbarrier: SYNCS, on an mbarrier in shared memory
  kCopyArrive,     // copy_arrive: ARRIVES, at an mbarrier after the thread's copies complete
  kFence,          // fence: MEMBAR
  kProxyFence,     // proxy_fence: FENCE, between plain and asynchronous accesses
  kErrorBarrier,   // error_barrier: ERRBAR, CGAERRBAR
  kScoreboard,     // scoreboard: DEPBAR
  kCopyCommit,     // copy_commit: LDGDEPBAR ties copies to a scoreboard
  kProducts,       // products: WARPGROUP, for a warpgroup's matrix products
};

// The arithmetic operation; kNone for all operations that no caller distinguishes.
enum class Arithmetic : std::uint8_t {
  kNone,
  kAdd,
  kMultiply,
  kMultiplyAdd,
  kMatrix,
  kShift,     // shift: SHF, of a pair of words
  kShiftAdd,  // shift_add: LEA, (a << n) + b
  kLogic,     // logic: LOP3 and PLOP3, by a table of eight truth values
  kAbsolute,  // absolute: IABS
};

// The type of an instruction's sources. Where a modifier selects the type (F2F.F64.F32), this is
// the most common type. kF8 covers all formats of 8 bits or fewer.
enum class ValueType : std::uint8_t { kInteger, kF8, kF16, kF32, kF64 };

// Further properties of a form: bits of Opcode::traits, set by the flags of the table row. Each
// comment starts with the flag.
enum class Trait : std::uint8_t {
  kAtomic,      // atomic: each lane updates memory atomically (ATOM, RED …)
  kReduction,   // reduce: updates memory, per lane or in bulk, without a result (RED, UBLKRED …)
  kAsync,       // async: another unit completes it later; another instruction waits for that
  kCopy,        // copy: from memory to memory (LDGSTS, UTMALDG …)
  kTensorMap,   // map: reads a tensor map (TMA descriptor)
  kCrossLane,   // lanes: moves values between lanes (SHFL, VOTE …)
  kMove,        // move: copies the source (MOV, UMOV)
  kTransfer,    // transfer: between register files or from a special register (R2UR, S2R …)
  kPass,        // pass: the result is one of the sources, or bytes of the sources, of any type
  kCompare,     // compare: writes predicates (ISETP …)
  kConversion,  // FROM>TO, such as f32>int
  kExtremum,    // extremum: the smallest or largest of its sources (FMNMX, VIMNMX3 …)
  kOfSum,       // of_sum: an extremum that adds two of its sources first (VIADDMNMX)
  kPair,        // pair: two 32-bit operations at once (FFMA2)
  kSpecialFunction,  // special: MUFU
  kDivisionCheck,    // division_check: tests whether a division needs the slow path (FCHK)
  kIndirect,         // indirect: the target comes from a register (BRX, BRXU)
  kCacheControl,     // cache: controls the caches of global memory (CCTL)
  kValueTimed,       // value_timed: latency depends on the values of the sources (MATCH)
};

// Properties common to all instructions of one form. traits.h has the queries.
struct Opcode {
  std::string_view mnemonic;
  Pipe pipe = Pipe::kMisc;
  Space space = Space::kNone;  // memory space of the memory operand
  enum Flow : std::uint8_t {
    kNext,    // falls through
    kBranch,  // BRA, BRX, JMP …: jumps to the target if the guard holds
    kCall,    // CALL: continues after the call on return
    kReturn,  // RET
    kExit,    // EXIT, KILL: terminates the lane
    kPush,    // BSSY: names a convergence point, falls through
    kSync,    // BSYNC: waits at the convergence point
    kTrap,    // BPT.TRAP
  } flow = kNext;
  bool loads = false;   // reads memory
  bool stores = false;  // writes memory
  Sync sync = Sync::kNone;
  Arithmetic arithmetic = Arithmetic::kNone;
  ValueType operand_type = ValueType::kInteger;
  ValueType result_type = ValueType::kInteger;  // differs from operand_type in conversions only
  std::uint32_t traits = 0;                     // bit mask of 1 << Trait

  constexpr bool has(Trait trait) const {
    return (traits >> static_cast<unsigned>(trait) & 1) != 0;
  }
};

enum class RegisterFile : std::uint8_t {
  kGeneral,           // R0 … R254, RZ
  kUniform,           // UR0 … UR62 (UR254 on sm_100+), URZ
  kPredicate,         // P0 … P6, PT
  kUniformPredicate,  // UP0 … UP6, UPT
  kConvergence,       // B0 … B15
};

// The index of RZ, URZ, PT and UPT, independent of their encoding.
inline constexpr std::uint16_t kZeroRegister = 0x1ff;

struct Operand {
  enum class Kind : std::uint8_t {
    kRegister,   // index, count
    kImmediate,  // value; printed in hexadecimal
    kOffset,     // value, printed after the previous operand: `RET.REL.NODEC R2 0x40`
    kFloat,      // value: the bits; `format` gives the number format
    kConstant,   // c[bank][value], plus a general (base) or uniform register; cx[…] when descriptor
    kMemory,     // [base + uniform + value], through a descriptor if there is one
    kSpecial,    // value: number of the special register; suffix: its name
    kScoreboard,       // value: SB0 … SB5 (DEPBAR)
    kScoreboardSet,    // value: one bit per scoreboard (DEPBAR)
    kPredicateSet,     // value: one bit per predicate of `file` (P2R, R2P)
    kGroupScoreboard,  // value: gsb0 …, the scoreboards of warpgroup matrix products
    kTarget,           // value: byte offset in the function
    kWord,             // a keyword operand such as `gsb0`, held in `suffix`
  };
  enum class Format : std::uint8_t { kHex, kSignedHex, kF32, kF64, kF16, kBf16, kF16x2, kBf16x2 };

  Kind kind = Kind::kRegister;
  RegisterFile file = RegisterFile::kGeneral;
  Format format = Format::kHex;
  std::uint8_t count = 1;  // number of registers covered, starting at `index`
  std::uint16_t index = kZeroRegister;
  bool read = true;
  bool written = false;
  bool negated = false;   // -x
  bool absolute = false;  // |x|
  bool inverted = false;  // ~x, or !p
  bool reuse = false;     // kept in the operand cache
  bool hidden = false;    // nvdisasm does not print it
  bool spaced = false;    // a constant that can have a suffix: printed as `c[0x0] [0x10]`

  // For kMemory and kConstant.
  std::uint8_t bank = 0;
  std::uint16_t base = kNoRegister;        // first of `base_count` general registers
  std::uint16_t uniform = kNoRegister;     // first of `uniform_count` uniform registers
  std::uint16_t descriptor = kNoRegister;  // first register of a uniform register pair
  std::uint8_t base_count = 1;
  std::uint8_t uniform_count = 1;
  bool hidden_descriptor = false;

  std::string_view suffix;  // printed after the operand: "H0_H0", "64", "ROW"
  std::string_view scale;   // printed after the base register: "X4", "64", "U32"
  std::string_view prefix;  // printed before a bracket: "gdesc", "tmem", "idesc"
  std::int64_t value = 0;

  static constexpr std::uint16_t kNoRegister = 0xffff;

  bool is_register(RegisterFile f) const { return kind == Kind::kRegister && file == f; }
};

// A modifier: {"round", "RZ"}. `text` is printed after the mnemonic unless it is empty or hidden.
struct Modifier {
  std::string_view name;
  std::string_view text;
};

// The scheduling bits that ptxas encodes in each instruction word.
struct Control {
  std::uint8_t stall = 0;          // cycles until this warp may issue its next instruction
  bool yield = false;              // hint: issue from another warp next
  std::uint8_t write_barrier = 7;  // scoreboard released when the result is written; 7: none
  std::uint8_t read_barrier = 7;   // scoreboard released when the operands are read; 7: none
  std::uint8_t wait_mask = 0;      // scoreboards that must be zero to issue
  std::uint8_t reuse = 0;  // reused operand slots: bit 0 A, bit 1 B, bit 2 C; bit 3 in MMA.SP
};

struct Guard {
  bool uniform = false;
  bool negated = false;
  std::uint16_t index = kZeroRegister;  // kZeroRegister: always true; with `negated`: never true

  bool always() const { return index == kZeroRegister && !negated; }
};

struct Instruction {
  static constexpr std::size_t kMaxOperands = 12;
  static constexpr std::size_t kMaxModifiers = 12;

  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint32_t offset = 0;        // byte offset in the function
  const Opcode* opcode = nullptr;  // null: the decoder does not know this word
  Guard guard;
  Control control;
  std::uint8_t operand_count = 0;
  std::uint8_t modifier_count = 0;
  std::array<Operand, kMaxOperands> operand_storage;
  std::array<Modifier, kMaxModifiers> modifier_storage;

  bool known() const { return opcode != nullptr; }
  std::string_view mnemonic() const { return known() ? opcode->mnemonic : "UNKNOWN"; }
  std::span<const Operand> operands() const { return {operand_storage.data(), operand_count}; }
  std::span<const Modifier> modifiers() const { return {modifier_storage.data(), modifier_count}; }

  // The text of the named modifier; "" if it is absent or has a default that is not printed.
  std::string_view modifier(std::string_view name) const {
    for (const Modifier& m : modifiers())
      if (m.name == name) return m.text;
    return {};
  }
};

// Calls `visit(file, first, count)` for every register range that the instruction reads
// (for_each_read) or writes (for_each_write). Reads include the guard and the address registers.
// Zero registers and PT are skipped.
template <typename Visit>
void for_each_read(const Instruction& instruction, Visit visit) {
  if (instruction.guard.index != kZeroRegister) {
    visit(instruction.guard.uniform ? RegisterFile::kUniformPredicate : RegisterFile::kPredicate,
          instruction.guard.index, 1u);
  }
  for (const Operand& o : instruction.operands()) {
    if (o.kind == Operand::Kind::kRegister) {
      if (o.read && o.index != kZeroRegister) visit(o.file, o.index, unsigned{o.count});
      continue;
    }
    if (o.kind == Operand::Kind::kPredicateSet) {
      for (std::uint16_t p = 0; p < 7 && o.read; ++p)
        if (o.value >> p & 1) visit(o.file, p, 1u);
      continue;
    }
    const auto part = [&](RegisterFile file, std::uint16_t index, unsigned count) {
      if (index != Operand::kNoRegister && index != kZeroRegister) visit(file, index, count);
    };
    part(RegisterFile::kGeneral, o.base, o.base_count);
    part(RegisterFile::kUniform, o.uniform, o.uniform_count);
    part(RegisterFile::kUniform, o.descriptor, 2);
  }
}

template <typename Visit>
void for_each_write(const Instruction& instruction, Visit visit) {
  for (const Operand& o : instruction.operands()) {
    if (!o.written) continue;
    if (o.kind == Operand::Kind::kRegister && o.index != kZeroRegister) {
      visit(o.file, o.index, unsigned{o.count});
    }
    for (std::uint16_t p = 0; p < 7 && o.kind == Operand::Kind::kPredicateSet; ++p)
      if (o.value >> p & 1) visit(o.file, p, 1u);
  }
}

}  // namespace burin::read
