// Executes chosen blocks of a launch and hands out their traces.
//
//   Result<std::unique_ptr<TraceSource>> source = TraceSource::open(kernel, launch, {});
//   Result<std::vector<BlockTrace>> traces = (*source)->trace(std::array{0u, 132u});
//
// Blocks share one global memory: what one has written, the next one asked for sees.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
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

struct TraceOptions {
  std::vector<launch::TripCount> trips{};
  launch::UnknownAccess unknown{};
  unsigned threads = 0;                 // 0: one per core
  std::uint64_t most_instructions = 0;  // in one call of trace(); 0: no limit
  bool all_values = false;  // execute also what neither the way nor the addresses hang on
};

class TraceSource {
 public:
  // All of them must outlive the source. The launch must have passed check_launch.
  static Result<std::unique_ptr<TraceSource>> open(const read::Kernel& kernel,
                                                   const launch::Launch& launch,
                                                   TraceOptions options);
  ~TraceSource();

  // The traces of the blocks of these numbers (x fastest), in their order. A block in a cluster is
  // run with it; its trace is that of the cluster's first block.
  Result<std::vector<BlockTrace>> trace(std::span<const std::uint64_t> blocks);

  // Only how much these blocks do, which is quicker. One in a cluster does what its first does.
  // Where warps go their ways alone, one in `one_warp_in` of a block's warps may stand for all.
  Result<std::vector<BlockWork>> count(std::span<const std::uint64_t> blocks,
                                       std::uint32_t one_warp_in = 1);

  // The same for blocks that mind each other, side by side (concurrent_run.h).
  Result<ConcurrentResult> run_concurrently(std::span<const std::uint64_t> blocks,
                                            const std::vector<TimedOp>& code,
                                            const machine::Machine& machine,
                                            const ConcurrentOptions& options);

  // From here on every block that is executed stands for `copies` at the same time, as far as the
  // counters are concerned that blocks add to and read.
  void share_counters(std::uint64_t copies);
  // Sets those counters to what they were before the first block, and `times` what was added since.
  void wind_counters(double times);
  // … to what the last of all blocks finds, by what so many of them have added.
  void wind_to_last(double blocks_so_far, double blocks);

  std::uint64_t executed() const;                     // warp instructions so far
  const std::vector<emulate::Fault>& faults() const;  // found so far
  const std::vector<std::uint64_t>& buffers() const;  // each argument's address, else 0

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
