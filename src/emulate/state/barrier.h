// Access to a block's numbered barriers (BAR) from outside the barrier instructions.
#pragma once

namespace burin::emulate {

struct Block;

// Releases every barrier that is complete. Exited threads are no longer waited for.
void check_barriers(Block& block);

}  // namespace burin::emulate
