// What kind of dependency a stall is, by its reason and the instruction that caused it.
//
//   dependency_of(ldg, Stall::kLongScoreboard, false)   kGlobalMemory
//   dependency_of(stg, Stall::kShortScoreboard, true)   kWriteAfterRead
#pragma once

#include <cstdint>

#include "advise/blame/blame.h"

namespace burin::advise {

// Where the cause of a stall is looked for.
enum class BlameSearch : std::uint8_t {
  kOwn,              // nowhere: the instruction itself
  kScoreboard,       // who set the scoreboards that it waits for
  kBefore,           // the instruction that issued before it
  kSynchronization,  // the barrier that it stands at or behind
  kProducts,         // the warpgroup's products before it
  kConstant,         // the constant that it reads
};
BlameSearch search_of(launch::Stall stall);

bool is_product(const read::Instruction& instruction);  // of a warpgroup

// Whether results of the instruction are waited for as memory's (long_scoreboard), rather than as
// those of units inside the SM (short_scoreboard).
bool is_long(const read::Instruction& instruction);

// A stall that no other instruction is found to cause.
BlamedStall uncaused(std::uint32_t waits, launch::Stall stall, const launch::StallCycles& cycles);

// `after_read`: the cause had only to read its operands.
Dependency dependency_of(const read::Instruction& cause, launch::Stall stall, bool after_read);

}  // namespace burin::advise
