// From a kernel and a launch to a Program: every instruction an Op, every constant in place.
//
// Each execute_*.cc ends in a table of rows, one per mnemonic:
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
#include "emulate/state/op.h"
#include "read/program/kernel.h"

namespace burin::emulate {

// The constant banks as the kernel sees them. A byte that nobody told us is Unknown.
struct ConstantMemory {
  struct Bank {
    std::vector<std::uint8_t> bytes;
    std::vector<bool> unknown;  // empty: all known
  };
  std::map<std::uint32_t, Bank> banks;

  // The 32 bits at byte `offset` of the bank. Bytes beyond its end are zero, and known.
  struct Word {
    std::uint32_t value = 0;
    bool unknown = false;
  };
  Word word(std::uint32_t bank, std::uint64_t offset) const;
};

struct Program {
  const read::Kernel* kernel = nullptr;
  std::vector<Op> ops;  // one per instruction
  std::vector<Lanes> pool;
  std::vector<Mask> pool_unknown;  // 0 or kAllLanes, per entry of the pool
  ConstantMemory constants;
};

class Lowering {
 public:
  explicit Lowering(Program& program) : program_(program) {}

  // A 32-bit source: register, uniform register, immediate, float immediate, or c[bank][offset]
  // without an index register. The operand's sign is taken over: negated → kNegate, inverted →
  // kInvert. Registers of a pair or quadruple follow at slot_after(slot, k).
  Source source(const read::Operand& operand);
  // The same with the sign of a float: negated, absolute → kFloat….
  Source float_source(const read::Operand& operand);
  // The low half of a 64-bit source, the high half at slot_after(slot, 1): pool entries come in
  // pairs. A float immediate gives the bits of the double; an integer immediate is extended by its
  // sign or, with zero_extended, with zeros. A sign (negated, absolute, inverted) is left out: the
  // function handles it.
  Source wide_source(const read::Operand& operand, bool zero_extended = false);
  // `count` words in a row from the pool: what a c[bank][offset] of that many words holds.
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

// For rows with nothing to lower but the function: {"YIELD", lower_plain<execute_yield>}.
template <Execute function>
bool lower_plain(Lowering&, const read::Instruction&, Op& op) {
  op.execute = function;
  return true;
}
// What only makes things faster, or waits for what is already done.
inline void execute_nothing(Warp&, const Op&) {}

std::span<const LowerRow> integer_rows();    // execute_integer.cc: sums
std::span<const LowerRow> multiply_rows();   // execute_multiply.cc
std::span<const LowerRow> logic_rows();      // execute_logic.cc
std::span<const LowerRow> shift_rows();      // execute_shift.cc: and bit fields
std::span<const LowerRow> compare_rows();    // execute_compare.cc: and the smaller or larger
std::span<const LowerRow> video_rows();      // execute_video.cc: absolute differences
std::span<const LowerRow> move_rows();       // execute_move.cc
std::span<const LowerRow> permute_rows();    // execute_permute.cc
std::span<const LowerRow> special_rows();    // execute_special.cc: special registers
std::span<const LowerRow> lane_rows();       // execute_lane.cc: what crosses lanes
std::span<const LowerRow> float_rows();      // execute_float.cc
std::span<const LowerRow> double_rows();     // execute_double.cc
std::span<const LowerRow> half_rows();       // execute_half.cc
std::span<const LowerRow> convert_rows();    // execute_convert.cc
std::span<const LowerRow> memory_rows();     // execute_memory.cc
std::span<const LowerRow> atomic_rows();     // execute_atomic.cc
std::span<const LowerRow> control_rows();    // execute_control.cc
std::span<const LowerRow> barrier_rows();    // execute_barrier.cc
std::span<const LowerRow> tensor_rows();     // execute_tensor.cc
std::span<const LowerRow> warpgroup_rows();  // execute_warpgroup.cc
std::span<const LowerRow> bulk_rows();       // execute_bulk.cc: mbarrier, TMA, bulk copies

// An instruction that no row takes gets an Op that ends the run with its name and line when it is
// reached. `constants` holds the launch block, the parameters and the kernel's own banks.
std::unique_ptr<Program> lower(const read::Kernel& kernel, ConstantMemory constants);

}  // namespace burin::emulate
