// STAS: a store to the shared memory of a block in the cluster that signals its bytes to an
// mbarrier. Its lowering row is in the table of the other stores. REDAS does the same with an
// atomic.
#pragma once

#include "emulate/access/access.h"
#include "emulate/state/lower.h"

namespace burin::emulate {

bool lower_stas(Lowering& lowering, const read::Instruction& instruction, Op& op);

// STAS and REDAS have an address of two registers: the destination, and the mbarrier in the same
// block.
bool lower_async_address(const read::Operand& operand, Op& op);
Access& begin_async_access(Warp& warp, const Op& op, AccessKind kind);
// Signals the lanes' bytes to the mbarrier. Like all asynchronous copies, they arrive immediately
// (bulk.h explains why that is valid).
void complete_bytes(Warp& warp, const Op& op, const Access& access, Mask lanes);

}  // namespace burin::emulate
