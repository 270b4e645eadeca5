// Lanes parting and meeting again.
//
// A convergence barrier (B0 … B15) holds the lanes that BSSY saw. BSYNC makes a split wait until
// every one of them that is still alive, and has not left by BREAK, waits there too. Every lane has
// its own: lanes that parted may use the same number for different meetings, as they do when they
// call the same function, which keeps its caller's in a register meanwhile (BMOV). Lanes that
// part run one split after the other; a split that runs for long while another is ready gives way,
// so that a lane may wait for another of its own warp.
#pragma once

#include <cstdint>

#include "emulate/state/warp.h"

namespace burin::emulate {

// Parts the current split: `lanes` of it go to `pc` as a split of their own, the rest stays.
// Neither may be empty.
void part(Warp& warp, Mask lanes, std::uint32_t pc);

// Makes `exec` a split of its own, the current one; the lanes whose guard does not hold go on at
// the next instruction.
void isolate(Warp& warp);

// Lets go on whoever waits for lanes that have all come, or ended.
void settle(Warp& warp);

// Ends the lanes: they wait nowhere and nobody waits for them.
void end_lanes(Warp& warp, Mask lanes);

// Makes another ready split the current one. False where there is none.
bool next_split(Warp& warp);

// The same where no instruction asked for it. The hardware changes sides only at such instructions,
// so code keeps values in the warp's one set of uniform registers across anything else, a loop too:
// the split that gives way finds its own again.
bool give_way(Warp& warp);

// Puts back the current split's uniform registers, which it had when it gave way.
void take_back_uniform(Warp& warp);

}  // namespace burin::emulate
