// Lowers a kernel and its launch to a Program, in which every instruction is an Op and every
// constant has its value.
//
// Each execute/*.cc ends in a table of rows, one per mnemonic:
//
//   bool lower_iadd3(Lowering& l, const Instruction& i, Op& op) {
//     op.source[0] = l.source(i.operands()[2]);
//     …
//     op.execute = execute_iadd3;
//     return true;           // false: this variant is not known; it is refused by name when met
//   }
//   std::span<const LowerRow> integer_rows() { static constexpr LowerRow kRows[] = {{"IADD3",
//   lower_iadd3}}; return kRows; }
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulate/state/clock_wait.h"
#include "emulate/state/op.h"
#include "read/program/kernel.h"

namespace burin::emulate {

// The constant banks as the kernel sees them. A byte whose value is not given is Unknown.
struct ConstantMemory {
  struct Bank {
    std::vector<std::uint8_t> bytes;
    std::vector<bool> unknown;  // per byte; empty: all known
  };
  std::map<std::uint32_t, Bank> banks;

  // Returns the 32-bit word at byte `offset` of the bank. Bytes beyond the end of the bank are
  // known zeros.
  struct Word {
    std::uint32_t value = 0;
    bool unknown = false;
  };
  Word word(std::uint32_t bank, std::uint64_t offset) const;
};

struct Program {
  const read::Kernel* kernel = nullptr;
  std::vector<Op> ops;  // one per instruction
  // Per instruction: the words of a wide load that are never read, as bits. ptxas loads 16 bytes
  // where the code uses 12.
  std::vector<std::uint8_t> unread;
  std::vector<bool> unlikely;  // per basic block; see unlikely.h
  ClockWaits clock_waits;
  std::vector<Lanes> pool;
  std::vector<Mask> pool_unknown;  // 0 or kAllLanes, per entry of the pool
  ConstantMemory constants;
};

class Lowering {
 public:
  explicit Lowering(Program& program) : program_(program) {}

  // Lowers a 32-bit source: register, uniform register, immediate, float immediate, or
  // c[bank][offset] without an index register. The operand's sign becomes the Source's change:
  // negated → kNegate, inverted → kInvert. The further registers of a pair or quadruple are at
  // slot_after(slot, k).
  Source source(const read::Operand& operand);
  // Like source(), with the signs of a float: negated, absolute → kFloat….
  Source float_source(const read::Operand& operand);
  // Lowers a 64-bit source: returns the low half, with the high half at slot_after(slot, 1); pool
  // entries are allocated in pairs. A float immediate gives the bits of the double. An integer
  // immediate is sign-extended, or zero-extended if `zero_extended`. Operand signs (negated,
  // absolute, inverted) are ignored here: the execute function applies them.
  Source wide_source(const read::Operand& operand, bool zero_extended = false);
  // Puts the words into consecutive pool entries, for example the contents of a multi-word
  // c[bank][offset].
  Source pooled(std::span<const std::uint32_t> words);

  std::uint16_t destination(const read::Operand& operand) const;  // kSinkSlot for RZ
  std::uint8_t predicate_destination(const read::Operand& operand) const;
  PredicateSource predicate(const read::Operand& operand) const;

  const Program& program() const { return program_; }

 private:
  Source constant(const read::Operand& operand, unsigned words);

  Program& program_;
  std::map<std::vector<std::uint64_t>, std::uint16_t> pooled_;
};

struct LowerRow {
  std::string_view mnemonic;
  bool (*lower)(Lowering&, const read::Instruction&, Op&);
};

// Lowers an instruction that needs only its function: {"YIELD", lower_plain<execute_yield>}.
template <Execute function>
bool lower_plain(Lowering&, const read::Instruction&, Op& op) {
  op.execute = function;
  return true;
}
// For instructions without effect on values: hints, and waits for work that is already complete.
inline void execute_nothing(Warp&, const Op&) {}

std::span<const LowerRow> integer_rows();    // execute/integer.cc: additions
std::span<const LowerRow> multiply_rows();   // execute/multiply.cc
std::span<const LowerRow> logic_rows();      // execute/logic.cc
std::span<const LowerRow> shift_rows();      // execute/shift.cc: shifts and bit fields
std::span<const LowerRow> compare_rows();    // execute/compare.cc: comparisons, minimum and maximum
std::span<const LowerRow> video_rows();      // execute/video.cc: absolute differences
std::span<const LowerRow> move_rows();       // execute/move.cc
std::span<const LowerRow> permute_rows();    // execute/permute.cc
std::span<const LowerRow> special_rows();    // execute/special.cc: special registers
std::span<const LowerRow> lane_rows();       // execute/lane.cc: cross-lane operations
std::span<const LowerRow> float_rows();      // execute/float.cc
std::span<const LowerRow> double_rows();     // execute/double.cc
std::span<const LowerRow> half_rows();       // execute/half.cc
std::span<const LowerRow> convert_rows();    // execute/convert.cc
std::span<const LowerRow> memory_rows();     // execute/memory.cc
std::span<const LowerRow> atomic_rows();     // execute/atomic.cc
std::span<const LowerRow> control_rows();    // execute/control.cc
std::span<const LowerRow> barrier_rows();    // execute/barrier.cc
std::span<const LowerRow> tensor_rows();     // execute/tensor.cc
std::span<const LowerRow> texture_rows();    // execute/texture.cc
std::span<const LowerRow> warpgroup_rows();  // execute/warpgroup.cc
std::span<const LowerRow> bulk_rows();       // execute/bulk.cc: mbarrier, TMA, bulk copies

// Lowers the kernel. An instruction that no row accepts gets an Op that, when executed, stops the
// run with a message naming the instruction and its line. `constants` holds the launch block, the
// parameters and the kernel's own banks.
std::unique_ptr<Program> lower(const read::Kernel& kernel, ConstantMemory constants);

}  // namespace burin::emulate
