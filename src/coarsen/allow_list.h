// Every PTX opcode and modifier that coarsening knows, and what it may do with it. Nothing is
// transformed on a guess: an opcode or a modifier that is not in the table is refused by name.
//
//   ld.global.nc.v4.f32   loads
//   ld.volatile.shared    refused: "a volatile access orders threads"
//   bar.sync              one barrier for all copies, in flow that all of them share
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "read/ptx/module.h"

namespace burin::coarsen {

enum class Treatment : std::uint8_t {
  kCompute,  // its result depends on its operands alone; once if these are the same in all copies
  kLoad,     // likewise, since no other thread may write there without a barrier between
  kStore,
  kAtomic,   // once for each copy
  kFence,    // orders a thread's own accesses
  kBarrier,  // once for all copies
  kWarp,     // exchanges values between the lanes of a warp: every copy must be a whole warp
  kCall,     // of a function that the file holds and that may be called once for each copy
  kControl,  // branches and returns
  kRefused,
};
std::string_view describe(Treatment treatment);  // "computes", "refused"

struct OpcodeRule {
  std::string_view
      opcodes;  // "add sub"; "ld.volatile": ld with this modifier. The first rule counts
  Treatment treatment = Treatment::kRefused;
  std::string_view modifiers;  // that may follow; names of groups, as modifier_groups() lists them,
                               // and single ones
  std::string_view reason;     // for refusing it: "the result is the time of day"
};
std::span<const OpcodeRule> opcode_rules();

struct ModifierGroup {
  std::string_view name;  // "type"
  std::string_view modifiers;
};
std::span<const ModifierGroup> modifier_groups();

// An Error ("line 12: ld.volatile.shared: …") for what is refused or unknown.
Result<Treatment> treatment_of(const read::ptx::Instruction& instruction);

}  // namespace burin::coarsen
