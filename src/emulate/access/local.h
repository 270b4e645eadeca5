// Local memory of the threads: the stack and spilled registers.
//
// Each thread has its own bytes [0, Grid::local_bytes). The threads of a warp are interleaved word
// by word, because they mostly access the same address at the same time.
#pragma once

#include "emulate/memory/memory.h"

namespace burin::emulate {

struct Warp;

// `undefined` contains only lanes for which all bytes read were never written by their thread:
// compilers load whole words of which only a part was stored, and use only that part.
void load_local(Warp& warp, WarpLoad& load);
void store_local(Warp& warp, WarpStore& store);
// Reads one byte of one thread, without a fault. Returns false if it is outside.
bool read_local(const Warp& warp, unsigned lane, std::uint64_t address, Datum& out);

}  // namespace burin::emulate
