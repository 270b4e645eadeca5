// One launch on one machine, executed once and timed again and again with something changed: what
// all of analyze/ works with.
//
//   Result<std::unique_ptr<Study>> study = Study::open(kernel, launch, machine, options);
//   (*study)->base().time_us
//   std::vector<double> slower = (*study)->slowdowns(changes);      // on all cores
//
// A replay's time has chance in it: the least change of a number lets warps meet in another order,
// and the SM may be a percent faster or slower for it. So times that are compared are means of a
// few replays in which warps start a little differently, and of a measure that smooths
// (SmRun::smooth_end).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "analyze/change.h"
#include "analyze/edit.h"
#include "base/result.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "read/program/kernel.h"
#include "timing/grid/light_windows.h"
#include "timing/grid/replay.h"
#include "timing/predict.h"
#include "timing/sm/path_step.h"
#include "timing/trace/traced_launch.h"

namespace burin::analyze {

class Study {
 public:
  static constexpr unsigned kSamples = 4;  // replays with nothing changed, at most

  // What is given must outlive the study. Options as for predict(); the model is burin's own.
  static Result<std::unique_ptr<Study>> open(const read::Kernel& kernel,
                                             const launch::Launch& launch,
                                             const machine::Machine& machine,
                                             const timing::PredictOptions& options);

  const read::Kernel& kernel() const { return *dependences_; }  // with dependences
  const launch::Launch& launch() const { return *traced_->launch; }
  const machine::Machine& machine() const { return machine_; }
  const timing::PredictOptions& options() const { return options_; }
  const timing::TracedLaunch& traced() const { return *traced_; }
  const timing::Prediction& base() const { return base_; }  // nothing changed
  const timing::PathSteps& path() const { return path_; }   // of its last window

  // The time under each change, as a multiple of the time with none: the mean of replays number
  // `first` up to `last` of samples(), each held against one in which warps start alike. They are
  // of fewer blocks than the base (light_windows.h). All run in parallel.
  std::vector<double> slowdowns(std::span<const Change> changes, unsigned first,
                                unsigned last) const;
  unsigned samples() const { return static_cast<unsigned>(usual().samples.size()); }
  // The standard deviation of one such replay's time, as a share of it.
  double noise() const { return usual().noise; }

  // With other numbers for the machine: as if the kernel were compiled for it again. The number of
  // SMs and what they hold must be the same.
  timing::Prediction with_machine(const machine::Machine& other) const;
  // With these causes of waiting removed.
  timing::Prediction with_edits(std::span<const Edit> edits) const;
  // … how many times as fast the launch is: 1.2 where it takes 1 / 1.2 of the time. A mean of a few
  // replays, as above. For several sets, in parallel, the first ones first; `go_on` is asked before
  // each, and where it says no what is left stays 0.
  using GoOn = std::function<bool(std::size_t begun)>;
  double edited(std::span<const Edit> edits) const;
  std::vector<double> edited(std::span<const std::vector<Edit>> sets, const GoOn& go_on = {}) const;
  // With at most so many blocks on an SM at a time, for each.
  std::vector<timing::Prediction> with_residents(std::span<const std::uint64_t> residents) const;

 private:
  Study(const machine::Machine& machine, const timing::PredictOptions& options)
      : machine_(machine), options_(options) {}
  template <typename Work>
  void in_parallel(std::size_t count, Work work) const;
  // Replays with nothing changed, of fewer blocks: made when they are first asked for.
  struct Usual {
    std::unique_ptr<timing::LightWindows> light{};
    std::vector<timing::WindowEnds> samples{};
    double noise = 0;
  };
  const Usual& usual() const;
  void repeat_base(unsigned first, unsigned last) const;
  double cycles_of(const timing::WindowEnds& ends, const timing::WindowEnds& usual) const;
  const std::vector<double>& whole() const;
  double edited_once(std::span<const Edit> edits) const;

  const machine::Machine& machine_;
  const timing::PredictOptions& options_;
  std::unique_ptr<read::Kernel> dependences_;
  std::unique_ptr<timing::TracedLaunch> traced_;
  timing::Prediction base_;
  timing::PathSteps path_;
  std::vector<timing::L2LookupLog> found_;
  mutable std::once_flag usual_once_;
  mutable Usual usual_;
  mutable std::once_flag whole_once_;
  mutable std::vector<double>
      whole_;  // cycles of the whole launch, likewise; the first is the base
};

}  // namespace burin::analyze
