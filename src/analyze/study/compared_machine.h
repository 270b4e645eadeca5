// Machines for replays whose times are compared with each other. Replay times are noisy: any small
// change reorders warps. Several samples, each on a machine that is a little different, show how
// much.
//
//   const Machine sample_2 = off_lockstep(dithered(machine, 2, seed, Varied::kLatencies));
#pragma once

#include <cstdint>

#include "machine/machine.h"

namespace burin::analyze {

inline constexpr unsigned kMaxDithered = 32;  // samples of one seed

// Where atomics wait for each other at the L2 slices, latencies do not change the order in which
// they meet; gaps do.
enum class Varied { kLatencies, kGapsToo };

// The machine with memory latencies and warp starts so little different that only the order in
// which warps meet changes: another sample of the same. Sample 0 of seed 0 is the machine itself.
machine::Machine dithered(const machine::Machine& machine, unsigned sample, std::uint32_t seed,
                          Varied varied);

// Issue slots and the gaps of the fast units are one or two cycles, and warps can run in lockstep
// with them: then anything that is not a whole number of cycles costs more than it should. Replays
// that are compared have them longer by this factor, all of them, so that none runs in lockstep.
// off_lockstep() changes the gaps; issue slots are an option of the replay.
inline constexpr double kOffLockstep = 1.03;
machine::Machine off_lockstep(const machine::Machine& machine);

// A change by exactly so much may put warps into step with each other, or out of it. Samples of a
// changed machine therefore have the change a little smaller or larger, by no more than 20 % of it
// or 3 % of the value; sample 0 has exactly the change.
machine::Machine nudged(const machine::Machine& machine, const machine::Machine& changed,
                        unsigned sample);
double nudged(double value, double changed, unsigned sample);

}  // namespace burin::analyze
