// Matrix rows of 16 bytes in shared memory, as the matrix instructions read and write them: with
// the checks of bounds, alignment, initialisation and order.
#pragma once

#include <cstdint>

#include "emulate/memory/shared.h"
#include "emulate/state/warp.h"

namespace burin::emulate {

// False, and a fault noted for the lane's thread, where the row cannot be accessed; `out` is then
// all Unknown.
bool read_row(Warp& warp, std::uint64_t address, unsigned lane, Datum& out);
bool write_row(Warp& warp, std::uint64_t address, unsigned lane, const Datum& in);

}  // namespace burin::emulate
