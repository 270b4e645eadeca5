// The complete structure as stable text, for golden tests: any change shows up in a diff.
//
//   function _Z9transposePfPKfi
//     demangled transpose(float*, float const*, int)
//     …
//     block 1: 0120-01a0 loop 0 idom 0 ipdom 2
//       to 1 branch, 2 fall-through
//     0040 000ea8000c1e1900 0000000402027981 B------:R-:W2:Y:S04 LDG.E R2, desc[UR4][R2.64]
//       LDG lsu global loads; address=E; out R2; memory base R2:2 descriptor UR4:2 0x0
//       reads R2:2, UR4:2
//       writes R2
//       needs R2 of 0020, SB0 result of 0010
#pragma once

#include "read/program/kernel.h"
#include "report/write/output.h"

namespace burin::report {

void dump_image(Output& out, const read::Image& image);     // everything outside functions
void dump_kernel(Output& out, const read::Kernel& kernel);  // including its function

}  // namespace burin::report
