// Reads and writes 16-byte matrix rows in shared memory for the matrix instructions, with checks of
// bounds, alignment, initialisation and races.
#pragma once

#include <cstdint>

#include "emulate/memory/shared.h"
#include "emulate/state/warp.h"

namespace burin::emulate {

// Return false and report a fault for the lane's thread if the row cannot be accessed; `out` is
// then all Unknown.
bool read_row(Warp& warp, std::uint64_t address, unsigned lane, Datum& out);
bool write_row(Warp& warp, std::uint64_t address, unsigned lane, const Datum& in);

}  // namespace burin::emulate
