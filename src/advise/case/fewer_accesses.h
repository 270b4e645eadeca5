// Accesses to global memory that a change issues less often, while the bytes that they move stay: a
// wide access moves what several narrow ones did.
//
//   share_accesses(c, loads, 0.25, match.edits);   // a quarter of the loads, as much traffic
#pragma once

#include <vector>

#include "advise/case/case.h"
#include "analyze/study/edit.h"

namespace burin::advise {

// Adds edits that leave the share `once` of these accesses. Of loads that miss L1, as many stay as
// miss; of stores, as many as their bytes need. Without a study all have the share `once`.
void share_accesses(const Case& c, const read::InstructionSet& accesses, double once,
                    std::vector<analyze::Edit>& edits);

// Code that belongs to a thread, not to the data that it looks at: what it computes before it
// comes to its element, outside of loops. A thread with several elements executes it once.
read::InstructionSet index_code(const Case& c);

}  // namespace burin::advise
