// Classifies a stall's dependency from the stall reason and the instruction that caused it.
//
//   dependency_of(ldg, Stall::kLongScoreboard, false)   kGlobalMemory
//   dependency_of(stg, Stall::kShortScoreboard, true)   kWriteAfterRead
#pragma once

#include <cstdint>

#include "advise/blame/blame.h"

namespace burin::advise {

// Where to search for the cause of a stall.
enum class BlameSearch : std::uint8_t {
  kOwn,              // no search: the instruction itself
  kScoreboard,       // the instructions that set the scoreboards it waits for
  kBefore,           // the instruction issued before it
  kSynchronization,  // the barrier at or before it
  kProducts,         // the warpgroup products before it
  kConstant,         // the constant that it reads
  kStores,           // the last store or atomic before it
};
BlameSearch search_of(launch::Stall stall);

bool is_product(const read::Instruction& instruction);  // a warpgroup's matrix product

// Returns whether waits for the instruction's results are long_scoreboard (memory) rather than
// short_scoreboard (units inside the SM).
bool is_long(const read::Instruction& instruction);

// Makes a stall without a cause in another instruction.
BlamedStall uncaused(std::uint32_t waits, launch::Stall stall, const launch::StallCycles& cycles);

// Returns the kind of dependency. `after_read`: the waiting instruction only needs `cause` to have
// read its operands.
Dependency dependency_of(const read::Instruction& cause, launch::Stall stall, bool after_read);

}  // namespace burin::advise
