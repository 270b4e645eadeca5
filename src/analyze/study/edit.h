// A hypothetical edit: the same launch with one cause of waiting removed, for timing only. It gives
// an upper limit on what a fix could gain before anyone writes the fix.
//
//   Edit padded{.kind = Edit::Kind::kNoConflicts, .instructions = loads};
//   study.edited({padded})                    // 2.2: the launch is 2.2 times as fast
//
// The kernel is not executed again. Its trace is replayed with different requests, without some of
// its instructions, or with results available at once. Everything else is unchanged, so costs that
// the removed cause had hidden become visible. Where several edits name the same instruction,
// every edit applies.
#pragma once

#include <cstdint>
#include <string>

#include "read/program/instruction_set.h"

namespace burin::analyze {

struct Edit {
  enum class Kind : std::uint8_t {
    // Each request to global memory touches the minimum number of sectors for its bytes, all
    // adjacent. A warp uses whole cache lines from the lines that its lanes had touched, and each
    // request uses different sectors, so that together the requests read the same data as before,
    // each sector once.
    kIdealSectors,
    kNoConflicts,    // shared memory takes only the passes that the bytes need
    kPadded,         // … those of an array that leaves one element free after every 128 bytes
    kHidden,         // results are ready at once; units and queues are still occupied
    kSkipped,        // not executed: no issue slot, no unit, no result to wait for
    kShare,          // only the fraction `value` (0 … 1) is executed, evenly spread
    kRetyped,        // each becomes `value` instructions of timing class `to_class`
    kNoBarrierWait,  // warps do not wait for each other at these barriers
    kFetched,        // instruction fetch always hits
    kL2Hit,          // loads hit in the L2 cache
    kStaged,         // loads hit in shared memory, in the banks given by their addresses
    kEarlier,        // results arrive `value` cycles earlier, as if requested earlier
    // Atomics in global memory: the lanes of a warp at one address are combined before the update
    // (shuffles, then one lane).
    kCombined,
    // Atomics in global memory: each block updates a copy of its own in shared memory, lanes at one
    // address combined, and adds it to global memory at the end. Of the requests, the fraction
    // `value` stays in global memory: the final additions, of consecutive words.
    kPrivate,
    kSpread,  // work done by some warps of a block is shared by all (spread_work.h)
    // The fraction `value` of the blocks does all the work: only that fraction of the block and
    // warp start-up cost is left.
    kFewerBlocks,
  };
  Kind kind = Kind::kHidden;
  read::InstructionSet instructions{};  // one flag for each instruction of the kernel
  double value = 0;        // for kShare, kEarlier, kPrivate, kFewerBlocks; for kRetyped, 0 means 1
  std::string to_class{};  // for kRetyped: a class name as in machine files, e.g. "fma"
};

}  // namespace burin::analyze
