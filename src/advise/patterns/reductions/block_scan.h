// Prefix sums over the threads of a block with a barrier for each step: every thread adds what is
// 1, 2, 4, … places before it in shared memory.
//
//   if (const std::optional<BlockScan> scan = block_scan(c)) …
//     scan->steps      10: of 1,024 threads
//     scan->barriers   20
//     scan->flags      true: the values are 0 or 1, as of an `if`
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advise/case/case.h"

namespace burin::advise {

struct BlockScan {
  unsigned steps = 0;
  unsigned barriers = 0;  // of these steps, that each warp waits at
  bool flags = false;
  std::string combine{};  // "v += other", "v = max(v, other)"
  // Needless if warps scan their values by shuffles: barriers, stores, and loads of a thread's own
  // value. The other loads of the steps take as long as shuffles.
  read::InstructionSet needless{};
  std::uint32_t barrier = read::kNoIndex;  // one of those
};
// Needs a study. Empty if the steps are not those of a scan: in a reduction, ever fewer threads
// store; a sort or a recurrence compares its values or combines them in several ways.
std::optional<BlockScan> block_scan(const Case& c);

std::string block_scan_text(const Case& c, const BlockScan& scan);
std::string block_scan_hint(const Case& c, const BlockScan& scan);

}  // namespace burin::advise
