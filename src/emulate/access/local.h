// The threads' local memory: the stack and what of the registers was spilled to it.
//
// Each thread has bytes [0, Grid::local_bytes) of its own. All threads of a warp keep theirs side
// by side, word by word, because they mostly use the same address at once.
#pragma once

#include "emulate/memory/memory.h"

namespace burin::emulate {

struct Warp;

// `undefined` names the lanes that read only bytes that their thread has never written: compilers
// read a word of which only a part was stored, and use that part.
void load_local(Warp& warp, WarpLoad& load);
void store_local(Warp& warp, WarpStore& store);

}  // namespace burin::emulate
