// The implementation of trace_launch(): which blocks of the grid are executed, and which of them
// are replayed. The reference, a block that represents others, is in tracing_reference.cc; the work
// of the grid's blocks in tracing_works.cc; the SM's own blocks, in windows, in tracing_windows.cc;
// and the overall sequence in traced_launch.cc.
//
//   Tracing(traced, machine, options).run()
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "timing/code/timed_code.h"
#include "timing/result/predict_options.h"
#include "timing/trace/concurrent_run.h"
#include "timing/trace/trace_source.h"
#include "timing/trace/traced_launch.h"

namespace burin::timing {

class Tracing {
 public:
  Tracing(TracedLaunch& to, const machine::Machine& machine, const PredictOptions& options)
      : to_(to),
        machine_(machine),
        options_(options),
        code_(timed_code(*to.kernel, machine)),
        sync_(inter_block_sync_of(*to.kernel)) {
    to_.tensor_cores = uses_tensor_cores(code_);
    // Blocks of clusters are executed cluster by cluster.
    const std::uint64_t cluster =
        launch::cluster_of(*to.launch, *to.kernel->function).value_or(launch::Dims{}).total();
    clusters_ = cluster > 1;
    if (!clusters_) return;
    // If they take work from a queue, all concurrent clusters take from it.
    if (sync_ != InterBlockSync::kNone && sync_ != InterBlockSync::kOwnBlock) {
      concurrent_clusters_ = std::max<std::uint64_t>(
          1, std::min(to.share.blocks, to.share.sms * to.resident) / cluster);
    }
    sync_ = InterBlockSync::kNone;
  }

  Result<void> run();

 private:
  static constexpr std::uint64_t kWindowSteps = 240'000;  // approximate steps of one window
  // Maximum steps executed for one window.
  static constexpr std::uint64_t kMaxWindowSteps = 2'000'000;
  // Minimum blocks of a window, however long they are.
  static constexpr std::uint64_t kMinWindowBlocks = 2;
  // Maximum steps to check whether all blocks do the same.
  static constexpr std::uint64_t kMaxConfirmSteps = 500'000;
  static constexpr std::uint64_t kMaxCounted = 4096;  // blocks only counted, not replayed

  // Opens a source with the memory at the start of the launch. Each of its calls executes at most
  // `most` warp instructions unless the options say otherwise; 0: no limit of its own.
  Result<void> open(std::uint64_t most = 0);
  void leave();  // closes the source and keeps its counts
  bool counters() const { return sync_ == InterBlockSync::kCounters; }
  // Whether a block's trace is independent of the other blocks of its SM.
  bool goes_alone() const {
    return sync_ == InterBlockSync::kNone || sync_ == InterBlockSync::kAll;
  }
  Result<bool> trace_beginning();
  Result<bool> trace_waiting();
  Result<void> sample_works();
  void choose_sm();
  Result<void> trace_windows();
  Result<void> trace_reference();
  Result<void> set_idle_aside();
  Result<void> look_at_last();
  Result<void> sample_faces();
  Result<void> trace_active_reference();
  std::vector<std::uint64_t> numbers_of(std::vector<std::uint64_t> positions) const;
  Result<std::vector<BlockTrace>> trace_alone(std::vector<std::uint64_t> positions);
  Result<void> look_for_rows(launch::Dims from, std::vector<const BlockTrace*> others);
  Result<void> trace_window(std::uint64_t first, std::uint64_t count, std::uint64_t stretch = 0);
  double steps_each() const;
  Result<void> sample_work(std::uint64_t steps, std::uint64_t most = kMaxCounted);
  Result<void> sample_warps(std::uint64_t steps);
  Result<ConcurrentResult> run_blocks_concurrently(std::uint64_t most);
  Result<bool> trace_concurrently();
  Result<bool> time_first_blocks();
  Result<void> trace_last();
  Result<void> trace_longest();
  Result<std::vector<BlockTrace>> trace_own(const std::vector<std::uint64_t>& blocks);
  void make_jobs(TracedWindow& window);

  TracedLaunch& to_;
  const machine::Machine& machine_;
  const PredictOptions& options_;
  std::vector<TimedOp> code_;
  InterBlockSync sync_;
  bool clusters_ = false;
  std::uint64_t concurrent_clusters_ =
      0;                    // concurrent clusters that take work from a queue; 0: no queue
  bool has_faces_ = false;  // the last blocks along an axis may differ
  std::unique_ptr<TraceSource> source_;
  std::uint64_t spent_ = 0;           // warp instructions executed with earlier sources
  std::vector<BlockTrace> compared_;  // with the reference
  double work_error_ = 0;             // relative error of the mean of to_.works
};

// Whether one block does clearly more work than another.
inline bool does_more(double steps, double others) {
  constexpr double kTimes = 2;
  return steps > kTimes * others;
}

}  // namespace burin::timing
