// Whether the code asks how it was launched, as sm_70 to sm_90 keep it at the begin of the
// constants.
//
// A kernel that asks for the size of its blocks was written for blocks of any size; one that asks
// for the size of the grid goes on to further work by it.
#pragma once

#include "read/program/kernel.h"

namespace burin::read {

bool reads_block_size(const Kernel& kernel);
bool reads_grid_size(const Kernel& kernel);

}  // namespace burin::read
