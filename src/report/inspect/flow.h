// Control flow for people: the loop nest as text, the control-flow graph as DOT.
//
//   // sm_90  transpose(float*, float const*): 2 loops
//   offset           depth  blocks  instrs    own  source
//   0120-0310            1       4      52     20  transpose.cu:9-14
//     01a0-0230          2       1      32     32  transpose.cu:11-12
//
// `own` excludes the instructions of inner loops.
#pragma once

#include <cstdint>

#include "read/program/kernel.h"
#include "report/write/output.h"

namespace burin::report {

struct LoopSize {
  std::uint32_t instructions = 0;
  std::uint32_t own = 0;  // excluding inner loops
  std::uint32_t first_offset = 0;
  std::uint32_t last_offset = 0;
};
LoopSize size_of(const read::Kernel& kernel, std::uint32_t loop);

void write_loops(Output& out, const read::Kernel& kernel);

// One `digraph` per kernel; loops are nested clusters.
void write_dot(Output& out, const read::Kernel& kernel);

}  // namespace burin::report
