// Loops that only wait for time to pass: `while (clock64() - start < cycles);`, and the same with
// %globaltimer. All their exits depend on clocks, and on nothing that the loop loads.
//
// The value of a clock is Unknown to the kernel's results, but each warp counts the time. In such a
// loop the comparisons with that time count as known, so that the wait takes as long as on a GPU.
// The longer a wait has lasted, the further a read advances the time: a wait of a second takes a
// few hundred iterations, and 6 % too long at most.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emulate/state/op.h"
#include "read/program/kernel.h"

namespace burin::emulate {

struct Program;

// What an instruction is to the clock wait around it, as bits.
enum ClockRole : std::uint8_t {
  kReadsClock = 1,  // reads the clock that ends the wait
  kComparesClock = 2,
  kLeavesIfTaken = 4,  // a branch out of the loop
  kLeavesUnlessTaken = 8,
};

// Of the instructions of a program.
struct ClockWaits {
  std::vector<std::uint8_t> roles;  // one entry per instruction; empty: no such loop
  // The functions of the comparisons and branches, which are replaced by others that call them.
  std::map<std::uint32_t, Execute> originals;
};

// Time that passes at one read of a clock.
inline constexpr std::uint64_t kCyclesPerRead = 40;
// By which %globaltimer counts.
inline constexpr std::uint64_t kCyclesPerNanosecond = 2;

// Whether the instruction reads the SM's clock: %clock or %clock64.
bool reads_cycles(const read::Instruction& instruction);
// … or %globaltimer.
bool reads_clock(const read::Instruction& instruction);

// Finds the loops of a lowered program. The results of their comparisons are known from now on;
// what such a loop writes is Unknown in lanes that have left it.
void decide_by_clock(Program& program);

// Advances the warp's time for a read of a clock, and sets Warp::slept.
void advance_clock(Warp& warp);

}  // namespace burin::emulate
