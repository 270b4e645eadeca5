// The numbered barriers of a block, from outside of the instructions that use them.
#pragma once

namespace burin::emulate {

struct Block;

// Opens every barrier that is complete: threads that have ended are waited for no longer.
void check_barriers(Block& block);

}  // namespace burin::emulate
