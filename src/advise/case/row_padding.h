// By how many words the rows of a shared array must be longer, so that the lanes of a warp that
// access different rows find their words in different banks.
//
//   lanes 0 … 31 in 32 rows, the same column          1 word: row r begins r banks later
//   16 rows, and 2 adjacent columns in each           2 words: a row's columns take 2 banks
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

// `ways`: number of lanes that meet in a bank.
unsigned row_padding(const Case& c, double ways);
// Likewise, for the shared access with the most excessive passes.
unsigned row_padding(const Case& c);

}  // namespace burin::advise
