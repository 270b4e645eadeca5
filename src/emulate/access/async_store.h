// STAS: a store to the shared memory of a block in the cluster that tells an mbarrier of its bytes;
// its row stands with those of the other stores. REDAS does the same with an atomic.
#pragma once

#include "emulate/access/access.h"
#include "emulate/state/lower.h"

namespace burin::emulate {

bool lower_stas(Lowering& lowering, const read::Instruction& instruction, Op& op);

// Both have an address of two registers: where the bytes go, and the mbarrier in that block.
bool lower_async_address(const read::Operand& operand, Op& op);
Access& begin_async_access(Warp& warp, const Op& op, AccessKind kind);
// The lanes' bytes have arrived. As all copies, they do so at once (bulk.h says why that is right).
void complete_bytes(Warp& warp, const Op& op, const Access& access, Mask lanes);

}  // namespace burin::emulate
