// One launch on one machine, executed once and replayed many times with something changed. All of
// analyze/ is built on it.
//
//   Result<std::unique_ptr<Study>> study = Study::open(kernel, launch, machine, options);
//   (*study)->base().time_us
//   std::vector<double> slower = (*study)->slowdowns(changes, 0, (*study)->samples());
//
// Replay times are noisy: any small change reorders warps, and the SM may be a percent faster or
// slower as a result. Compared times are therefore means over a few replays, the samples, each on a
// machine whose memory latencies differ by up to 1 % and whose warps start at other times.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "analyze/study/change.h"
#include "analyze/study/compared_machine.h"
#include "analyze/study/edit.h"
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
  static constexpr unsigned kSamples = 3;       // maximum number of unchanged light replays
  static constexpr unsigned kWholeSamples = 3;  // minimum number of unchanged whole replays
  static constexpr unsigned kMaxSamples = kMaxDithered;  // maximum number of samples of one change

  // Executes the launch and times it. All arguments must outlive the study. Options are those of
  // predict(); the model is burin's own.
  static Result<std::unique_ptr<Study>> open(const read::Kernel& kernel,
                                             const launch::Launch& launch,
                                             const machine::Machine& machine,
                                             const timing::PredictOptions& options);

  const read::Kernel& kernel() const { return *dependences_; }  // with dependences
  const launch::Launch& launch() const { return *traced_->launch; }
  const machine::Machine& machine() const { return machine_; }
  const timing::PredictOptions& options() const { return options_; }
  const timing::TracedLaunch& traced() const { return *traced_; }
  const timing::Prediction& base() const { return base_; }  // the unchanged launch
  const timing::PathSteps& path() const { return path_; }   // of the last window of base()

  // One whole replay with these changes at once, with the warp starts of this sample.
  struct Sample {
    std::vector<Change> changes{};  // of the whole launch
    unsigned number = 0;            // below kMaxSamples
  };
  // Returns the time of each sample as a multiple of the unchanged time, from whole replays that
  // run in parallel. The first call also runs the unchanged replays. --what-if predicts with the
  // same replays. If the launch has many blocks, the first ones are not compared.
  std::vector<double> slowdowns_of_whole(std::span<const Sample> samples) const;
  // Times of unchanged whole replays, with the warp starts of the first few samples, as multiples
  // of their mean.
  std::vector<double> unchanged_of_whole() const;
  // Relative standard deviation of the time of one whole, unchanged replay.
  double whole_noise() const;
  // The time that one whole replay takes on this computer, as a multiple of the time that predict()
  // takes: an estimate from the numbers of instructions executed and replayed. light_replay_cost()
  // is the same for a light replay, and spent() is the sum of all replays so far and the
  // prediction.
  double replay_cost() const;
  double light_replay_cost() const;
  double spent() const;

  // Returns the same from replays of fewer blocks than base() (light_windows.h), at a fraction of
  // the cost: which of two changes matters more, not exactly how much. Each value is the mean of
  // replays `first` up to `last` of samples(), and each replay is compared with an unchanged replay
  // with the same warp starts. All replays run in parallel.
  std::vector<double> slowdowns(std::span<const Change> changes, unsigned first,
                                unsigned last) const;
  unsigned samples() const { return static_cast<unsigned>(usual().samples.size()); }
  // Relative standard deviation of the time of one such replay.
  double noise() const { return usual().noise; }

  // Predicts the launch with other machine parameters, as if the kernel were recompiled for them.
  // The number of SMs and their capacity must not change. The time is that of base() times the mean
  // ratio of a few samples.
  timing::Prediction with_machine(const machine::Machine& other, double issue_slots = 1) const;
  // Predicts the launch with the edits applied.
  timing::Prediction with_edits(std::span<const Edit> edits) const;
  // Returns the speedup from the edits: 1.2 if the launch takes 1 / 1.2 of the time. The speedup is
  // a mean over a few replays, as for slowdowns(), or a single replay if that is clearly below
  // `least` or so large that noise does not matter. Several sets run in parallel, in order. `go_on`
  // is called before each set; once it returns false, the remaining results stay 0.
  using GoOn = std::function<bool(std::size_t begun)>;
  double edited(std::span<const Edit> edits) const;
  std::vector<double> edited(std::span<const std::vector<Edit>> sets, const GoOn& go_on = {},
                             double least = 0) const;
  // Predicts the launch once for each entry of `residents`, the maximum number of resident blocks
  // per SM.
  std::vector<timing::Prediction> with_residents(std::span<const std::uint64_t> residents) const;

 private:
  Study(const machine::Machine& machine, const timing::PredictOptions& options)
      : machine_(machine), options_(options) {}
  // Unchanged replays of fewer blocks, made on first use.
  struct Usual {
    std::unique_ptr<timing::LightWindows> light{};
    std::vector<timing::WindowEnds> samples{};
    double noise = 0;
  };
  const Usual& usual() const;
  const timing::LightWindows& light() const;
  void repeat_base(unsigned first, unsigned last) const;
  static timing::WindowEnds mean_of(std::span<const timing::WindowEnds> samples);
  double cycles_of(const timing::WindowEnds& ends, const timing::WindowEnds& usual) const;
  // Whole replays are compared by the times at which the blocks of each window end, which are less
  // noisy than the end of the last block.
  static timing::WindowEnds ends_of(const timing::Prediction& prediction);
  double ratio(const timing::WindowEnds& ends, const timing::WindowEnds& usual) const;
  double noise_of(std::span<const timing::WindowEnds> times) const;  // relative standard deviation
  // A sample of the machine, or of one with a change.
  machine::Machine sample_of(const machine::Machine& machine, unsigned sample) const;
  // The unchanged machine of a sample, and replays on it or on a changed copy of it.
  machine::Machine compared_machine(unsigned sample) const;
  timing::WindowEnds replay_compared(unsigned sample, timing::ReplayChange change) const;
  void repeat_unchanged(unsigned samples, std::vector<timing::WindowEnds>& times) const;
  // Unchanged replays: a few, or for --what-if enough to make it precise.
  const std::vector<timing::WindowEnds>& unchanged() const;
  const std::vector<timing::WindowEnds>& precise() const;
  bool steady() const { return unchanged().size() == 1; }  // one is enough
  // Cycles of a few replays without an edit, the samples that edits are compared with.
  const std::vector<double>& before_edits() const;
  double edited_once(std::span<const Edit> edits, double least) const;
  bool without_first() const;
  double replay_seconds() const;
  double predict_seconds() const;

  const machine::Machine& machine_;
  const timing::PredictOptions options_;
  std::unique_ptr<read::Kernel> dependences_;
  std::unique_ptr<timing::TracedLaunch> traced_;
  timing::Prediction base_;
  timing::PathSteps path_;
  std::vector<timing::L2LookupLog> found_;
  mutable std::once_flag usual_once_;
  mutable Usual usual_;
  mutable std::once_flag unchanged_once_;
  mutable std::vector<timing::WindowEnds> unchanged_;  // one for each unchanged sample
  mutable std::once_flag precise_once_;
  mutable std::vector<timing::WindowEnds> precise_;  // likewise, more of them
  mutable std::once_flag before_edits_once_;
  mutable std::vector<double> before_edits_;
  mutable std::once_flag light_once_;
  mutable std::atomic<std::uint64_t> whole_replays_ = 0;  // that were compared, so far
  mutable std::atomic<std::uint64_t> light_replays_ = 0;
};

}  // namespace burin::analyze
