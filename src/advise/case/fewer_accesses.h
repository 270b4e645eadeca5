// Accesses to global memory that a change issues less often while moving the same bytes: one wide
// access replaces several narrow ones.
//
//   share_accesses(c, loads, 0.25, match.edits);   // a quarter of the loads, as much traffic
#pragma once

#include <vector>

#include "advise/case/case.h"
#include "analyze/study/edit.h"

namespace burin::advise {

// Adds edits that leave the share `once` of these accesses, but at least as many loads as miss L1,
// and as many stores as their bytes need. Without a study all accesses have the share `once`.
void share_accesses(const Case& c, const read::InstructionSet& accesses, double once,
                    std::vector<analyze::Edit>& edits);

// Per-thread code: computations outside loops that precede the thread's first element. A thread
// with several elements executes it once.
read::InstructionSet index_code(const Case& c);

}  // namespace burin::advise
