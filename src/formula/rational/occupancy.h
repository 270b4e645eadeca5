// Occupancy as a rational program: definitions over hardware values and the block, for the `let`
// lines of an .rp file.
//
//   occupancy_definitions("12", "0")       12 registers a thread, no shared memory
//     let block_warps = ceildiv(bx * by * bz, 32)
//     …
//     let resident_blocks = min(…)         blocks that an SM holds; 0: the block does not fit
//     let resident_warps = resident_blocks * block_warps
//
// Equal to machine::occupancy() for blocks with one barrier and no cluster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formula/rational/rational_program.h"

namespace burin::formula {

// The inputs that the definitions read, in this order: schedulers warps_per_sm blocks_per_sm
// registers_per_sm registers_per_block register_granule shared_per_sm shared_per_block
// shared_granule shared_reserved.
std::vector<std::string> occupancy_inputs();

// `registers` per thread and `shared` bytes per block are expressions.
std::vector<NamedExpression> occupancy_definitions(std::string_view registers,
                                                   std::string_view shared);

// Fig. 3.1 of KLARAPTOR's thesis: blocks per SM from R, Z, T (registers per thread, words of shared
// memory and threads per block) and Rmax, Zmax, Bmax, Wmax.
Expression published_active_blocks();
// Its formula 3.1: warps per SM by those blocks, as a share of the maximum.
Expression published_occupancy();

}  // namespace burin::formula
