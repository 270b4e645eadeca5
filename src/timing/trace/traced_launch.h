// What a launch did, before anybody asks how long it takes: the traces of a few of its blocks, and
// how those of the others follow from them. Made once, it is replayed (replay.h) on as many
// variants of a machine as one likes; only another number of SMs or of resident blocks needs
// another.
//
//   Result<std::unique_ptr<TracedLaunch>> traced =
//       trace_launch(kernel, launch, machine, occupancy, options);
//   (*traced)->windows[0].jobs            // the first blocks of the SM that is emulated
//   (*traced)->strides.alike              // true: one block stands for all
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
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

// The blocks of the emulated SM: of all SMs with the most blocks the middle one, so that what
// happens at the edges of the data does not decide.
struct SmShare {
  std::uint64_t blocks = 0;  // of the grid
  std::uint64_t sms = 0;
  std::uint64_t own = 0;    // number of the SM
  std::uint64_t count = 0;  // its blocks
  std::uint64_t dealt = 0;

  SmShare() = default;
  SmShare(std::uint64_t grid, double sm_count)
      : blocks(grid), sms(std::min(grid, static_cast<std::uint64_t>(sm_count))) {
    count = (blocks + sms - 1) / sms;
    const std::uint64_t full = blocks % sms == 0 ? sms : blocks % sms;
    own = full / 2;
  }
  // Where its block number `i` stands among those that the SMs get together. The first `dealt` are
  // dealt out in order; from then on, a block goes to whoever has room.
  std::uint64_t place(std::uint64_t i) const;
  std::uint64_t block(std::uint64_t i) const { return place(i) + i * sms; }
};

// A stretch of the SM's blocks that is replayed.
struct TracedWindow {
  std::uint64_t first = 0;  // of the SM's blocks
  std::uint64_t count = 0;
  std::uint64_t run = 0;             // so many stand in a row,
  std::uint64_t stretch = 0;         // somewhere in as many as this; 0: all stand in a row
  std::vector<BlockTrace> traces{};  // of its own blocks; none: the reference stands for all
  bool as_run = false;  // the traces' blocks are those that the SM was seen to run, not its share
  std::vector<Sections> sections{};  // of each trace, or of the reference
  std::vector<BlockJob> jobs{};

  std::uint64_t number(std::uint64_t k) const;   // among the SM's blocks, of the k-th here
  std::uint64_t nearest(std::uint64_t i) const;  // the other way; may be past the last here

 private:
  std::uint64_t begin_in(std::uint64_t number) const;  // of the run in that stretch
};

// All that a traced launch holds. Copied as it is, the windows' jobs point into the original: only
// TracedLaunch, whose copies point into themselves, is for use.
struct TracedLaunchState {
  const read::Kernel* kernel = nullptr;
  const launch::Launch* launch = nullptr;
  SmShare share;
  machine::Occupancy occupancy;
  std::uint64_t resident = 1;  // blocks of the SM at a time
  BlockTrace reference;
  StrideTable strides;
  // The first blocks, from an empty GPU; then, where there are many, some from the middle of the
  // rest, or from all over it where blocks do unequal work.
  std::vector<TracedWindow> windows;
  WorkSample works;  // of blocks from all over the grid; empty where all do the same
  // The grid's last block, where it finds by a counter that it is the last, and does more then.
  BlockTrace last;
  Sections last_sections;
  double chain = 0;  // cycles that blocks which wait for each other take, by latencies alone
  bool tensor_cores = false;  // the kernel uses them: the clock is lower then
  std::vector<std::string> notes;
  std::uint64_t executed = 0;          // warp instructions
  std::vector<std::uint64_t> buffers;  // each argument's address, else 0
};

struct TracedLaunch : TracedLaunchState {
  TracedLaunch() = default;
  TracedLaunch(const TracedLaunch& other);  // its jobs point into the copy
  TracedLaunch& operator=(const TracedLaunch&) = delete;

  // The SM's block number `i` as the traces of a window tell it; without sections.
  BlockJob job(const TracedWindow& window, std::uint64_t i) const;
  const BlockTrace& trace_of(const TracedWindow& window, std::uint64_t i) const;
};

// Kernel and launch must outlive what is returned. Of the machine only the number of SMs counts; of
// the options those for Unknown values, and the limits.
Result<std::unique_ptr<TracedLaunch>> trace_launch(const read::Kernel& kernel,
                                                   const launch::Launch& launch,
                                                   const machine::Machine& machine,
                                                   const machine::Occupancy& occupancy,
                                                   const PredictOptions& options);

}  // namespace burin::timing
