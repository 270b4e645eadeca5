// LDC and ULDC: loads from the constant banks. Their rows are in the table of the other loads.
#pragma once

#include "emulate/state/lower.h"

namespace burin::emulate {

bool lower_ldc(Lowering& lowering, const read::Instruction& instruction, Op& op);

}  // namespace burin::emulate
