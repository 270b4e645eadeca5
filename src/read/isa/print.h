// Prints an Instruction as text, exactly as nvdisasm does.
#pragma once

#include <string>

#include "read/isa/instruction.h"

namespace burin::read {

// Appends "@P0 LDG.E.64 R8, desc[UR16][R12.64+0x8]" to `text`, without the closing semicolon.
void print(const Instruction& instruction, std::string& text);

}  // namespace burin::read
