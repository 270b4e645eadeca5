// Executes selected blocks of a launch and returns their traces.
//
//   Result<std::unique_ptr<TraceSource>> source = TraceSource::open(kernel, launch, {});
//   Result<std::vector<BlockTrace>> traces = (*source)->trace(std::array{0u, 132u});
//
// Blocks share one global memory: a block sees what earlier blocks have written.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulate/run.h"
#include "emulate/values/event.h"
#include "launch/launch.h"
#include "launch/options.h"
#include "read/program/kernel.h"
#include "timing/trace/block_work.h"
#include "timing/trace/concurrent_run.h"
#include "timing/trace/trace.h"

namespace burin::timing {

// Maximum size of all traces, unless the user says so; a call of trace() may take half of it.
inline constexpr std::uint64_t kMaxTraceBytes = std::uint64_t{640} << 20;

struct TraceOptions {
  std::vector<launch::TripCount> trips{};
  launch::UnknownAccess unknown{};
  // 0: one per core. Blocks whose traces may depend on what others write are executed in order, by
  // one.
  unsigned threads = 0;
  std::uint64_t most_instructions = 0;  // maximum warp instructions per call of trace(); 0: no
                                        // limit
  std::uint64_t most_in_all = 0;        // … of all calls, those of `spent` included; 0: no limit
  std::uint64_t most_of_block = 0;      // … of one block or cluster; 0: no limit
  std::uint64_t most_bytes = 0;  // maximum size of all traces, half of it per call; 0: no limit
  std::uint64_t spent = 0;       // warp instructions executed before, by another source
  std::function<void(std::uint64_t executed)> heartbeat{};  // see emulate::RunOptions
  bool all_values = false;  // also compute values that affect neither control flow nor addresses
};

class TraceSource {
 public:
  // The arguments must outlive the source. The launch must have passed check_launch.
  static Result<std::unique_ptr<TraceSource>> open(const read::Kernel& kernel,
                                                   const launch::Launch& launch,
                                                   TraceOptions options);
  ~TraceSource();

  // Returns the traces of the blocks with these numbers (x fastest), in the given order. A block in
  // a cluster is executed with its cluster, and its trace is that of the cluster's first block.
  Result<std::vector<BlockTrace>> trace(std::span<const std::uint64_t> blocks);

  // Returns only how much work these blocks do, which is faster. A block in a cluster counts as its
  // cluster's first block. If warps run independently, one in `one_warp_in` of a block's warps may
  // represent all of them.
  Result<std::vector<BlockWork>> count(std::span<const std::uint64_t> blocks,
                                       std::uint32_t one_warp_in = 1);

  // Returns those of these blocks that do anything, ascending: one warp of each is executed until
  // it writes to global memory, waits, or has run `most` steps. A warp that exits before does
  // nothing. The launch must have no clusters.
  std::vector<std::uint64_t> find_active(std::span<const std::uint64_t> blocks, std::uint64_t most);

  // Traces blocks that synchronise with each other, by running them concurrently
  // (concurrent_run.h).
  Result<ConcurrentResult> run_concurrently(std::span<const std::uint64_t> blocks,
                                            const std::vector<TimedOp>& code,
                                            const machine::Machine& machine,
                                            const ConcurrentOptions& options);

  // From now on, every executed block counts as `copies` concurrent blocks for the shared counters,
  // which are those that blocks add to and read. `exact`: each add counts that often, instead of a
  // random number of times with that mean.
  void share_counters(std::uint64_t copies, bool exact = false);
  // Sets the shared counters to their values before the first block, plus `times` what was added
  // since.
  void advance_counters(double times);
  // Sets the shared counters to the values that the last of all `blocks` finds, extrapolated from
  // what `blocks_so_far` blocks have added.
  void advance_counters_to_last(double blocks_so_far, double blocks);

  std::uint64_t executed() const;                 // warp instructions so far, of blocks that ended
  std::uint64_t spent() const;                    // … of all blocks, including TraceOptions::spent
  std::vector<std::string> system_calls() const;  // functions of the driver that were called
  const std::vector<emulate::Fault>& faults() const;  // faults so far
  const std::vector<std::uint64_t>& buffers() const;  // address of each argument's buffer, else 0

 private:
  struct State;
  Result<void> execute(std::vector<std::uint64_t> clusters,
                       const std::function<std::unique_ptr<emulate::Listener>()>& make_listener,
                       const std::function<void(emulate::Listener&)>& collect,
                       std::uint32_t one_warp_in = 1);
  explicit TraceSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace burin::timing
