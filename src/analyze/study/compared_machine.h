// Machines for replays whose times are compared with each other. Replay times are noisy, because
// any small change reorders warps. Several samples, each on a slightly different machine, measure
// that noise.
//
//   const Machine sample_2 = off_lockstep(dithered(machine, 2, seed, Varied::kLatencies));
#pragma once

#include <cstdint>

#include "machine/machine.h"

namespace burin::analyze {

inline constexpr unsigned kMaxDithered = 32;  // samples of one seed

// If atomics queue at the L2 slices, latencies do not change the order in which they arrive; gaps
// do.
enum class Varied { kLatencies, kGapsToo };

// The machine with slightly varied memory latencies and warp starts, so that only warp ordering
// changes: another sample of the same machine. Sample 0 of seed 0 is the machine itself.
machine::Machine dithered(const machine::Machine& machine, unsigned sample, std::uint32_t seed,
                          Varied varied);

// Issue slots and the gaps of the fast units are one or two cycles, and warps can run in lockstep
// with them. Anything that is not a whole number of cycles then costs more than it should. In
// replays that are compared, issue slots and gaps are all longer by this factor to prevent
// lockstep. off_lockstep() changes the gaps; issue slots are an option of the replay.
inline constexpr double kOffLockstep = 1.03;
machine::Machine off_lockstep(const machine::Machine& machine);

// A particular amount of change may happen to put warps into lockstep, or take them out of it. The
// samples of a changed machine therefore vary the amount, by at most 20 % of it or 3 % of the
// value. Sample 0 has exactly the change.
machine::Machine nudged(const machine::Machine& machine, const machine::Machine& changed,
                        unsigned sample);
double nudged(double value, double changed, unsigned sample);

}  // namespace burin::analyze
