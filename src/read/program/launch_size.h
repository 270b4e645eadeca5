// Whether the code reads the launch dimensions, and a thread's place in them. sm_70 to sm_90 keep
// the dimensions at the start of constant bank 0.
//
// A kernel that reads its block size was written for blocks of any size. A kernel that reads its
// grid size uses it to step to further work (a grid-stride loop).
#pragma once

#include <array>

#include "read/program/kernel.h"

namespace burin::read {

bool reads_block_size(const Kernel& kernel);
bool reads_grid_size(const Kernel& kernel);
// Along each axis: x, y, z.
std::array<bool, 3> grid_sizes_read(const Kernel& kernel);
// The same for one instruction.
std::array<bool, 3> grid_sizes_read(const Instruction& instruction);
// Whether the code reads threadIdx or blockDim along the axis: 0 is x.
bool reads_thread_axis(const Kernel& kernel, unsigned axis);
// Which coordinates of the block the code reads: blockIdx.x, .y, .z.
std::array<bool, 3> block_indices_read(const Kernel& kernel);

}  // namespace burin::read
