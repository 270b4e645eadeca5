// Accesses at addresses computed from loaded values, with no order among the lanes: a table that is
// looked up, a hash. No change of the code makes adjacent lanes access adjacent elements. Another
// order of the data may, or a copy of the table in shared memory.
//
//   const Unordered unordered = unordered_accesses(c, row_walk(c));
//   unordered.accesses[i]     instruction i is such an access
//   unordered.sortable[i]     so many threads access each sector that sorted lanes need no others
//   unordered.fits[i]         a block accesses its part of the table often enough to copy it
#pragma once

#include <optional>

#include "advise/case/case.h"
#include "advise/patterns/mapping/row_walk.h"

namespace burin::advise {

struct Unordered {
  read::InstructionSet accesses{};
  read::InstructionSet sortable{};
  read::InstructionSet fits{};

  bool has_remedy(std::uint32_t access) const { return sortable[access] != 0 || fits[access] != 0; }
};
// Rows that lanes can share have an order. All sets are empty of instructions without a study.
Unordered unordered_accesses(const Case& c, const std::optional<RowWalk>& walk);

}  // namespace burin::advise
