// The implementation of replay(): windows of the SM's blocks are replayed one after another, and
// their times are combined into the time of the grid (replay.cc). replaying_l2.cc sets up the L2
// contents for each window; replaying_uneven.cc handles blocks of unequal work.
//
//   Replay(traced, machine, options, change).run()
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "timing/code/machine_of.h"
#include "timing/code/timed_code.h"
#include "timing/grid/grid_time.h"
#include "timing/grid/replay.h"
#include "timing/grid/replayed_window.h"
#include "timing/memory/memory_system.h"
#include "timing/sm/sm.h"

namespace burin::timing {

// The time of all blocks of the SM, extrapolated from the windows.
struct SmTime {
  std::vector<ReplayedWindow> windows;
  double cycles = 0;    // of all blocks
  double replayed = 0;  // of the blocks in the windows
  double rest = 0;      // of the blocks that the second window represents
};

class Replay {
 public:
  Replay(const TracedLaunch& traced, const machine::Machine& machine, const PredictOptions& options,
         const ReplayChange& change)
      : traced_(traced),
        kernel_(*traced.kernel),
        share_(traced.share),
        whole_(clocked(change.machine != nullptr && change.region == nullptr ? *change.machine
                                                                             : machine)),
        inside_(change.machine != nullptr && change.region != nullptr
                    ? std::make_unique<machine::Machine>(clocked(*change.machine))
                    : nullptr),
        machines_(inside_ == nullptr ? MachineOf(whole_)
                                     : MachineOf(whole_, *inside_, *change.region)),
        machine_(machines_.whole()),
        options_(options),
        resident_(change.resident != 0 ? change.resident : traced.resident),
        path_(change.path),
        timeline_(options.timeline_intervals),
        record_(change.record),
        found_(change.found),
        time_only_(change.time_only || change.windows_only),
        windows_only_(change.windows_only),
        without_first_(change.without_first && traced.windows.size() > 1),
        attribute_stalls_(!time_only_),
        as_measured_(change.machine == nullptr && change.edits == nullptr && !time_only_),
        code_(changed_code(machine, change)),
        memory_(machines_, traced.strides, memory_options(change)) {
    if (found_ != nullptr) return;
    if (!options.recent.empty()) {
      fill_recent();
    } else if (options.warm) {
      fill_l2();
    } else if (options.in_stream) {
      memory_.dirty_l2(0, static_cast<std::uint64_t>(machine_.l2.size));
    }
  }

  Prediction run();
  WindowEnds ends(std::span<const std::vector<BlockJob>> jobs);

 private:
  // After this many times its size in traffic, the L2 contents are in steady state.
  static constexpr double kL2Turnovers = 2.5;

  machine::Machine clocked(const machine::Machine& machine) const {
    return traced_.tensor_cores ? machine.at_clock(machine.sm.tensor_clock_mhz) : machine;
  }
  std::vector<TimedOp> changed_code(const machine::Machine& machine,
                                    const ReplayChange& change) const;
  MemoryOptions memory_options(const ReplayChange& change) const;
  std::uint64_t unknown_lines() const;
  void fill_l2();
  void fill_recent();
  using BeforeBlock = std::function<void(std::size_t)>;
  ReplayedWindow replay(std::span<const BlockJob> jobs, bool cold, bool is_last_window = false,
                        BeforeBlock before_block = {});
  SmTime replay_windows();
  void replay_rest(SmTime& time);
  double spread_uneven(SmTime& time, std::vector<Prediction::Window>& windows);
  ReplayedWindow replay_idle();
  BlockJob longest_job() const;
  SmPace pace_alone(double& longest_end);
  double steps_left() const;
  double last_block();
  double block_gap() const;  // cycles between two blocks started, whole GPU
  std::optional<std::uint32_t> fresh_parameters() const;
  std::uint64_t blocks_filling_l2(double bytes, double steps) const;
  void pass_over(const TracedWindow& window, std::uint64_t first, std::uint64_t until);
  BeforeBlock pass_before_runs(const TracedWindow& window, double bytes);

  const TracedLaunch& traced_;
  const read::Kernel& kernel_;
  const SmShare& share_;
  const machine::Machine whole_;
  const std::unique_ptr<machine::Machine> inside_;  // machine of the changed region
  MachineOf machines_;
  const machine::Machine& machine_;  // machine of the rest
  const PredictOptions& options_;
  std::uint64_t resident_;
  PathSteps* path_;
  TimelineRecorder timeline_;
  std::vector<L2LookupLog>* record_;
  const std::vector<L2LookupLog>* found_;
  std::size_t replayed_ = 0;  // windows
  bool time_only_;
  bool windows_only_;
  bool without_first_;
  bool attribute_stalls_;  // warp-cycles are attributed to stalls
  bool as_measured_;       // predicts the unchanged launch, limited by the bounds of its units
  std::vector<TimedOp> code_;
  MemorySystem memory_;
};

}  // namespace burin::timing
