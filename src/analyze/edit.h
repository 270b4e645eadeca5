// The same launch with a cause of waiting removed, as far as time is concerned: what a fix could
// gain at the most, before anybody writes it.
//
//   Edit padded{.kind = Edit::Kind::kNoConflicts, .instructions = loads};
//   study.edited({padded})                    // 2.2: so many times as fast
//
// The kernel is not executed again. Its trace is replayed with other requests, without some of its
// instructions, or with results that are there at once; all else is as it was, so that what the
// removed cause had hidden now takes its time. Where one edit's instructions are another's too, all
// of them apply.
#pragma once

#include <cstdint>
#include <string>

#include "read/program/instruction_set.h"

namespace burin::analyze {

struct Edit {
  enum class Kind : std::uint8_t {
    // Each request to global memory touches the fewest sectors that its bytes need, side by side.
    // A warp takes whole lines of those that its lanes had touched, each request others, so that
    // what is read by all of them together is what was read before, once.
    kIdealSectors,
    kNoConflicts,    // shared memory is passed over as often as the bytes need, no more
    kHidden,         // whoever waits for a result finds it there; units and queues are taken still
    kSkipped,        // not executed: no issue, no unit, no result that anybody waits for
    kShare,          // only `value` (0 … 1) of the executions are done, evenly spread
    kRetyped,        // each becomes `value` instructions of the timing class `to_class`
    kNoBarrierWait,  // nobody waits at these barriers for the last to come
    kFetched,        // their code is always at hand
    kL2Hit,          // their loads are found in the L2 cache
    kStaged,         // … in shared memory, in the banks that their addresses say
    kEarlier,        // results come `value` cycles sooner, as if asked for so much before
    kSpread,         // what some warps of a block do of these, all of them share (spread_work.h)
    kFewerBlocks,  // `value` of the blocks do it all: so much of starting blocks and warps is left
  };
  Kind kind = Kind::kHidden;
  read::InstructionSet instructions{};  // a flag for each of the kernel's
  double value = 0;                     // of kShare, kEarlier and kFewerBlocks; of kRetyped 0 is 1
  std::string to_class{};               // of kRetyped: "fma", as machine files name it
};

}  // namespace burin::analyze
