// How many registers an operand covers where that depends on more than a width: matrix fragments,
// tiles of a warpgroup, texture results and coordinates.
#pragma once

#include <string_view>

#include "read/isa/form.h"

namespace burin::read::isa {

// The registers that a modifier's text stands for: 64 and 128 are bits, F16x8 and E5M2x16 vectors,
// 64x256x16 a warpgroup's tile (`narrow`: of 16-bit results); x16, and the 4 of LDSM, say the
// number itself. Anything else is one register.
unsigned registers_of(std::string_view text, bool narrow);

// One of the rules that a table names behind `*`: fragA, fragB, fragC (a warp's share of the
// matrices of HMMA, IMMA, BMMA, DMMA, QMMA), result0, result1 (the two result registers of TEX and
// its kin), place0, place1 (their coordinates). Nothing where `rule` is not one of them.
std::optional<unsigned> registers_by_rule(std::string_view rule, const Word& word,
                                          const Instruction& instruction);

}  // namespace burin::read::isa
