// What a launch does, independent of how long it takes: the traces of a few of its blocks, and how
// the other blocks follow from them. A traced launch can be replayed (grid/replay.h) on any number
// of variants of a machine. Only a different number of SMs or resident blocks requires a new trace.
//
//   Result<std::unique_ptr<TracedLaunch>> traced =
//       trace_launch(kernel, launch, machine, occupancy, options);
//   (*traced)->windows[0].jobs            // the first blocks of the emulated SM
//   (*traced)->strides.alike              // true: one block represents all
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "emulate/values/fault.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "machine/occupancy.h"
#include "read/program/kernel.h"
#include "timing/result/predict_options.h"
#include "timing/trace/block_job.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"
#include "timing/trace/work_sample.h"

namespace burin::timing {

// The blocks of the emulated SM. The emulated SM is the middle one of the SMs with the most blocks,
// so that edge effects of the data do not dominate.
struct SmShare {
  std::uint64_t blocks = 0;  // blocks of the grid
  std::uint64_t sms = 0;
  std::uint64_t own = 0;    // number of the emulated SM
  std::uint64_t count = 0;  // blocks of the emulated SM
  std::uint64_t dealt = 0;

  SmShare() = default;
  SmShare(std::uint64_t grid, double sm_count)
      : blocks(grid), sms(std::min(grid, static_cast<std::uint64_t>(sm_count))) {
    count = (blocks + sms - 1) / sms;
    const std::uint64_t full = blocks % sms == 0 ? sms : blocks % sms;
    own = full / 2;
  }
  // Returns the position of the SM's block number `i` among the blocks that the SMs receive at the
  // same time. The first `dealt` blocks of each SM are dealt out in order; later blocks go to any
  // SM with room.
  std::uint64_t place(std::uint64_t i) const;
  std::uint64_t block(std::uint64_t i) const { return place(i) + i * sms; }
};

// A range of the SM's blocks that is replayed.
struct TracedWindow {
  std::uint64_t first = 0;  // first block, among the SM's blocks
  std::uint64_t count = 0;
  std::uint64_t run = 0;             // number of consecutive blocks taken from each stretch
  std::uint64_t stretch = 0;         // blocks per stretch; 0: all blocks are consecutive
  std::vector<BlockTrace> traces{};  // traces of its own blocks; empty: the reference represents
                                     // all
  bool as_run = false;  // the traces are of the blocks that the SM was observed to run, not of its
                        // share
  std::vector<Sections> sections{};  // one per trace, or one for the reference
  std::vector<BlockJob> jobs{};

  std::uint64_t number(std::uint64_t k) const;   // index among the SM's blocks of the window's k-th
                                                 // block
  std::uint64_t nearest(std::uint64_t i) const;  // inverse of number(), nearest block; may be past
                                                 // the window's end

 private:
  std::uint64_t begin_in(std::uint64_t number) const;  // start of the run within that stretch
};

// The contents of a traced launch. A plain copy would have jobs that point into the original; use
// TracedLaunch, whose copies point into themselves.
struct TracedLaunchState {
  const read::Kernel* kernel = nullptr;
  const launch::Launch* launch = nullptr;
  SmShare share;
  machine::Occupancy occupancy;
  std::uint64_t resident = 1;  // resident blocks of the SM
  BlockTrace reference;
  StrideTable strides;
  // The first blocks, starting on an empty GPU. If there are many blocks, then also some from the
  // middle of the rest, or from all over the rest if blocks do unequal work.
  std::vector<TracedWindow> windows;
  WorkSample works;  // work of blocks from all over the grid; empty if all do the same
  // If works.has_idle(): `share` and the windows are of the active blocks, by position, and `idle`
  // represents the others. `by_position`: addresses follow from the positions, not from the numbers
  // in the grid.
  BlockTrace idle;
  Sections idle_sections;
  bool by_position = false;
  // A block of the longest kind, if it ends an axis and those of the windows are much shorter.
  BlockTrace longest;
  Sections longest_sections;
  // The last block of the grid, if it detects through a counter that it is the last and does
  // additional work.
  BlockTrace last;
  Sections last_sections;
  double chain = 0;           // latency-only time, in cycles, of blocks that wait for each other
  bool tensor_cores = false;  // the kernel uses the tensor cores, which lowers the clock
  std::vector<std::string> notes;
  std::vector<emulate::Fault> faults;  // of the executed blocks, in code order
  std::uint64_t executed = 0;          // warp instructions
  std::vector<std::uint64_t> buffers;  // address of each argument's buffer, else 0
};

struct TracedLaunch : TracedLaunchState {
  TracedLaunch() = default;
  TracedLaunch(const TracedLaunch& other);  // the copy's jobs point into the copy
  TracedLaunch& operator=(const TracedLaunch&) = delete;

  // Returns the job for the SM's block number `i`, based on the traces of a window; without
  // sections.
  BlockJob job(const TracedWindow& window, std::uint64_t i) const;
  const BlockTrace& trace_of(const TracedWindow& window, std::uint64_t i) const;
  // Returns as many idle blocks as an SM holds.
  std::vector<BlockJob> idle_jobs() const;

 private:
  std::uint64_t number_of(std::uint64_t position) const;  // of a block, as strides.numbers has it
};

// `kernel` and `launch` must outlive the result. Of the machine, only the number of SMs matters; of
// the options, those for Unknown values and the limits.
Result<std::unique_ptr<TracedLaunch>> trace_launch(const read::Kernel& kernel,
                                                   const launch::Launch& launch,
                                                   const machine::Machine& machine,
                                                   const machine::Occupancy& occupancy,
                                                   const PredictOptions& options);

}  // namespace burin::timing
