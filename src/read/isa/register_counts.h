// How many registers an operand covers when the count depends on more than an access width: matrix
// fragments, warpgroup tiles, texture results and texture coordinates.
#pragma once

#include <string_view>

#include "read/isa/form.h"

namespace burin::read::isa {

// The number of registers that a modifier's text implies. 64 and 128 are widths in bits, F16x8 and
// E5M2x16 are vectors, 64x256x16 is a warpgroup tile (`narrow`: with 16-bit results), and x16 or
// the 4 of LDSM are register counts. Any other text is one register.
unsigned registers_of(std::string_view text, bool narrow);

// The register count by one of the rules that a table row names after `*`:
//   fragA, fragB, fragC   a lane's share of the matrices of HMMA, IMMA, BMMA, DMMA and QMMA
//   result0, result1      the two result operands of TEX and other texture instructions
//   place0, place1        the coordinate operands of texture instructions
// Returns nullopt if `rule` is not one of these names.
std::optional<unsigned> registers_by_rule(std::string_view rule, const Word& word,
                                          const Instruction& instruction);

}  // namespace burin::read::isa
