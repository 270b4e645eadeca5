// The operands of an instruction.
#pragma once

#include "read/ptx/token_stream.h"

namespace burin::read::ptx {

// Fills opcode and operands, and takes the semicolon. The current token is the opcode.
//
//   ld.global.v2.f32 {%f1, %f2}, [%rd1+-8];
//     →  kVector {kName %f1, kName %f2}, kAddress {kName %rd1, kNumber -8}
//
// Constants may be expressions: (1<<3)-1 is one kNumber.
bool read_opcode_and_operands(TokenStream& tokens, Instruction& instruction);

}  // namespace burin::read::ptx
