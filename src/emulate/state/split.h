// Divergence and reconvergence of lanes.
//
// A convergence barrier (B0 … B15) holds the mask of lanes active at BSSY. BSYNC makes a split wait
// until every lane of that mask that is still alive and has not left by BREAK also waits there. The
// barrier registers are kept per lane: divergent lanes may use the same barrier number for
// different reconvergence points, for example when they call the same function, which saves the
// caller's barrier in a register (BMOV). Divergent lanes run one split after the other. A split
// that runs for long while another split is ready yields to it, so that a lane may wait for another
// lane of its own warp.
#pragma once

#include <cstdint>

#include "emulate/state/warp.h"

namespace burin::emulate {

// Divides the current split: `lanes` continue at `pc` as a new split, the other lanes stay in the
// current split. Neither set may be empty.
void part(Warp& warp, Mask lanes, std::uint32_t pc);

// Makes the lanes of `exec` a separate split and the current one. Lanes whose guard is false
// continue at the next instruction.
void isolate(Warp& warp);

// Releases every split whose awaited lanes have all arrived or exited.
void settle(Warp& warp);

// For a warp that cannot make progress otherwise: lanes that branched out of a BSSY region without
// BREAK wait at the BSYNC of another region, or at a WARPSYNC, for lanes that wait for them inside.
// The lanes that left the smallest such region are removed from its mask. Returns false if there is
// none.
bool release_left_behind(Warp& warp);

// Exits the lanes: they are removed from all splits and no split waits for them any more.
void end_lanes(Warp& warp, Mask lanes);

// Makes another ready split the current one. Returns false if there is none.
bool next_split(Warp& warp);

// Like next_split, for a switch that no instruction requested. The hardware switches splits only at
// certain instructions, so compiled code keeps values in the warp's single set of uniform registers
// across all other instructions, including loops. The uniform registers of the yielding split are
// therefore saved and restored when it resumes.
bool give_way(Warp& warp);

// Restores the uniform registers that the current split had when it yielded.
void take_back_uniform(Warp& warp);

}  // namespace burin::emulate
