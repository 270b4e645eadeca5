#include "analyze/study/study.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "analyze/study/edit_plan.h"
#include "timing/result/kernel_needs.h"

namespace burin::analyze {

namespace {

constexpr unsigned kFewSamples = 2;       // with nothing changed, where they hardly differ:
constexpr double kSteady = 0.001;         // … by this share of the time
constexpr unsigned kWholeSamples = 3;     // of the whole launch, …
constexpr double kNoisy = 0.002;          // … twice as many where they differ by this share, …
constexpr double kVeryNoisy = 0.006;      // … or three times
constexpr double kCheapReplay = 0.25;     // … if a replay takes this share of the prediction's time
constexpr unsigned kPreciseSamples = 16;  // … for --what-if; twice as many where very noisy
constexpr double kMatters = 0.01;         // change of the time that is worth more samples
constexpr unsigned kEditSamples = 3;      // of an edited launch, …
constexpr std::uint64_t kLong = 1'000'000;  // … one less if it replays so many instructions
constexpr double kLatencyVariation = 0.01;  // of a memory latency, between samples
constexpr double kStartVariation = 0.5;     // cycles between the starts of two warps
// Issue slots and the gaps of the fast units are one or two cycles, and warps can run in lockstep
// with them: then anything that is not a whole number of cycles costs more than it should. Replays
// that are compared have them longer by this factor, all of them, so that none runs in lockstep.
constexpr double kOffLockstep = 1.03;

// -1 to 1, a fixed number for each argument.
double variation(std::uint64_t of) {
  of *= 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
  of ^= of >> 32;
  of *= 0xbf58476d1ce4e5b9;
  of ^= of >> 29;
  return static_cast<double>(of >> 11) / static_cast<double>(std::uint64_t{1} << 52) - 1;
}

// The machine with memory latencies and warp starts so little different that only the order in
// which warps meet changes: another sample of the same. Sample 0 of seed 0 is the machine itself.
machine::Machine dithered(const machine::Machine& machine, unsigned sample, std::uint32_t seed) {
  machine::Machine other = machine;
  std::uint64_t number = 16 * (std::uint64_t{seed} * Study::kMaxSamples + sample);
  if (number == 0) return other;
  other.dispatch.warp_gap += kStartVariation * std::abs(variation(number++));
  for (double* latency :
       {&other.shared.latency, &other.l1.latency, &other.l2.latency, &other.dram.latency,
        &other.lsu.release, &other.l2.atomic_latency, &other.l2.far_latency}) {
    *latency *= 1 + kLatencyVariation * variation(number++);
  }
  return other;
}

machine::Machine off_lockstep(const machine::Machine& machine) {
  machine::Machine other = machine;
  for (std::size_t c = 0; c < machine::kTimingClasses; ++c) {
    const machine::Resource resource = machine::resource_of(static_cast<machine::TimingClass>(c));
    const bool fast = resource == machine::Resource::kFma || resource == machine::Resource::kAlu;
    if (fast) other.classes[c].gap *= kOffLockstep;
  }
  return other;
}

// The machine as a launch of fewer blocks meets it.
machine::Machine with_starts(const machine::Machine& machine, double share) {
  machine::Machine other = machine;
  for (double* gap : {&other.dispatch.block_gap, &other.dispatch.sm_gap, &other.dispatch.warp_gap,
                      &other.dispatch.latency}) {
    *gap *= share;
  }
  return other;
}

timing::WindowEnds mean_of(std::span<const timing::WindowEnds> samples) {
  timing::WindowEnds mean = samples[0];
  for (std::size_t w = 0; w < mean.ends.size(); ++w) {
    double sum = 0;
    for (const timing::WindowEnds& sample : samples) sum += sample.ends[w];
    mean.ends[w] = sum / static_cast<double>(samples.size());
  }
  return mean;
}

// Where so few of the blocks are left, each of those that are replayed is but a part of one: so
// many more are there at a time.
std::uint64_t residents(const timing::TracedLaunch& traced, double starts) {
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(traced.resident) / std::max(starts, 1.0 / 16)));
}

}  // namespace

template <typename Work>
void Study::in_parallel(std::size_t count, Work work) const {
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t k = next++; k < count; k = next++) work(k);
  };
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t threads =
      std::min<std::size_t>(count, options_.threads != 0 ? options_.threads : cores);
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < threads; ++t) others.emplace_back(run);
  run();
}

Result<std::unique_ptr<Study>> Study::open(const read::Kernel& kernel, const launch::Launch& launch,
                                           const machine::Machine& machine,
                                           const timing::PredictOptions& options) {
  timing::PredictOptions kept = options;
  kept.heartbeat = {};          // the caller's function may not outlive this call
  kept.timeline_intervals = 0;  // only of the unchanged launch
  std::unique_ptr<Study> study(new Study(machine, kept));
  Result<read::Kernel> dependences = read::build_kernel(*kernel.image, *kernel.function);
  if (!dependences) return dependences.error();
  study->dependences_ = std::make_unique<read::Kernel>(std::move(*dependences));
  const Result<machine::Occupancy> occupancy =
      burin::machine::occupancy(machine, timing::needs_of(kernel, launch));
  if (!occupancy) return occupancy.error();
  Result<std::unique_ptr<timing::TracedLaunch>> traced =
      timing::trace_launch(*study->dependences_, launch, machine, *occupancy, options);
  if (!traced) return traced.error();
  study->traced_ = std::move(*traced);
  study->base_ = timing::replay(*study->traced_, machine, options,
                                {.path = &study->path_, .record = &study->found_});
  return study;
}

const Study::Usual& Study::usual() const {
  std::call_once(usual_once_, [this] {
    usual_.light = std::make_unique<timing::LightWindows>(*traced_, base_.windows);
    repeat_base(0, kFewSamples);
    if (usual_.noise > kSteady) repeat_base(kFewSamples, kSamples);
  });
  return usual_;
}

// The launch's cycles, where its windows end like this and those of the base end as usual.
double Study::cycles_of(const timing::WindowEnds& ends, const timing::WindowEnds& usual) const {
  double of_windows = 0;
  double shares = 0;
  for (std::size_t w = 0; w < usual.ends.size(); ++w) {
    if (usual.ends[w] <= 0) continue;  // the others stand for it
    of_windows += base_.windows[w].share * ends.ends[w] / usual.ends[w];
    shares += base_.windows[w].share;
  }
  return ends.launch_cycles + (base_.cycles - base_.launch_cycles) * of_windows / shares;
}

void Study::repeat_base(unsigned first, unsigned last) const {
  std::vector<timing::WindowEnds>& samples = usual_.samples;
  samples.resize(last);
  in_parallel(last - first, [&](std::size_t k) {
    const auto sample = static_cast<unsigned>(first + k);
    samples[sample] = timing::replay_ends(*traced_, compared_machine(sample), options_,
                                          {.found = &found_}, usual_.light->jobs());
  });
  const timing::WindowEnds mean = mean_of(samples);
  double square = 0;
  for (const timing::WindowEnds& sample : samples) {
    square += std::pow(cycles_of(sample, mean) / base_.cycles - 1, 2);
  }
  usual_.noise = std::sqrt(square / static_cast<double>(samples.size() - 1));
}

std::vector<double> Study::slowdowns(std::span<const Change> changes, unsigned first,
                                     unsigned last) const {
  const std::size_t each = last - first;
  const Usual& with_none = usual();
  std::vector<double> cycles(changes.size() * each);
  // Where chance has a part in the times, a change of everything draws anew: no single sample is
  // its measure. What leaves the times as they are, or most of them, is held against its own.
  const timing::WindowEnds mean = mean_of(with_none.samples);
  const auto usual_of = [&](const Change& change, const timing::WindowEnds& ends,
                            std::size_t sample) {
    const timing::WindowEnds& own = with_none.samples[sample];
    const bool anew = change.region == nullptr && ends.ends != own.ends;
    return with_none.noise > kSteady && anew ? mean : own;
  };
  in_parallel(cycles.size(), [&](std::size_t k) {
    const Change& change = changes[k / each];
    const std::size_t sample = first + k % each;
    const machine::Machine usual = compared_machine(static_cast<unsigned>(sample));
    const machine::Machine other = changed(usual, change);
    const timing::WindowEnds ends = timing::replay_ends(*traced_, usual, options_,
                                                        {.machine = &other,
                                                         .region = change.region,
                                                         .issue_slots = issue_slots(change),
                                                         .dependences = dependences_.get(),
                                                         .found = &found_},
                                                        with_none.light->jobs());
    cycles[k] = cycles_of(ends, usual_of(change, ends, sample));
  });
  std::vector<double> slower(changes.size());
  for (std::size_t k = 0; k < cycles.size(); ++k) {
    slower[k / each] += cycles[k] / base_.cycles / static_cast<double>(each);
  }
  return slower;
}

std::vector<double> Study::slowdowns_of_whole(std::span<const Sample> samples) const {
  const timing::WindowEnds usual = mean_of(unchanged());
  std::vector<double> slower(samples.size());
  in_parallel(samples.size(), [&](std::size_t k) {
    const Sample& sample = samples[k];
    machine::Machine other = compared_machine(sample.number);
    double slots = kOffLockstep;
    for (const Change& change : sample.changes) {
      other = changed(other, change);
      slots *= issue_slots(change);
    }
    const timing::WindowEnds time = replay_compared(
        sample.number,
        {.machine = &other, .issue_slots = slots, .dependences = dependences_.get()});
    // A change that leaves the replay as it is has no effect, whatever the mean of the samples is.
    const bool same = sample.number < unchanged().size() &&
                      time.ends == unchanged()[sample.number].ends &&
                      time.launch_cycles == usual.launch_cycles;
    slower[k] = same ? 1 : ratio(time, usual);
  });
  return slower;
}

timing::Prediction Study::with_machine(const machine::Machine& other, double issue_slots) const {
  std::vector<timing::WindowEnds> times;
  const auto ratio_after = [&](std::span<const timing::WindowEnds> unchanged) {
    const std::size_t before = times.size();
    times.resize(unchanged.size());
    in_parallel(times.size() - before, [&](std::size_t k) {
      const auto sample = static_cast<unsigned>(before + k);
      const machine::Machine own = off_lockstep(dithered(other, sample, options_.seed));
      times[sample] = replay_compared(sample, {.machine = &own,
                                               .issue_slots = kOffLockstep * issue_slots,
                                               .dependences = dependences_.get()});
    });
    return ratio(mean_of(times), mean_of(unchanged));
  };
  double by = ratio_after(unchanged());
  if (std::abs(by - 1) > kMatters) by = ratio_after(precise());
  const machine::Machine own = dithered(other, 0, options_.seed);
  timing::Prediction changed =
      timing::replay(*traced_, dithered(machine_, 0, options_.seed), options_,
                     {.machine = &own,
                      .issue_slots = issue_slots,
                      .dependences = dependences_.get(),
                      .found = &found_});
  changed.cycles = base_.cycles * by;
  changed.time_us = changed.cycles / changed.clock_mhz;
  return changed;
}

timing::Prediction Study::with_edits(std::span<const Edit> edits) const {
  const EditPlan plan = plan_edits(edits, *traced_);
  const machine::Machine machine = with_starts(machine_, plan.starts);
  return timing::replay(plan.traced ? *plan.traced : *traced_, machine, options_,
                        {.dependences = dependences_.get(),
                         .edits = &plan.ops,
                         .resident = residents(*traced_, plan.starts),
                         .found = plan.same_lines ? &found_ : nullptr});
}

timing::WindowEnds Study::ends_of(const timing::Prediction& p) {
  timing::WindowEnds all{.launch_cycles = p.launch_cycles};
  for (const timing::Prediction::Window& w : p.windows) all.ends.push_back(w.smooth_end);
  return all;
}

double Study::ratio(const timing::WindowEnds& ends, const timing::WindowEnds& usual) const {
  return cycles_of(ends, usual) / base_.cycles;
}

machine::Machine Study::compared_machine(unsigned sample) const {
  return off_lockstep(dithered(machine_, sample, options_.seed));
}

timing::WindowEnds Study::replay_compared(unsigned sample, timing::ReplayChange change) const {
  change.windows_only = true;
  change.found = &found_;
  return ends_of(timing::replay(*traced_, compared_machine(sample), options_, change));
}

void Study::repeat_unchanged(unsigned samples, std::vector<timing::WindowEnds>& times) const {
  const std::size_t before = times.size();
  if (samples <= before) return;
  times.resize(samples);
  in_parallel(samples - before, [&](std::size_t k) {
    times[before + k] =
        replay_compared(static_cast<unsigned>(before + k), {.issue_slots = kOffLockstep});
  });
}

std::vector<double> Study::unchanged_of_whole() const {
  std::vector<double> ratios;
  const timing::WindowEnds mean = mean_of(unchanged());
  for (const timing::WindowEnds& time : unchanged()) ratios.push_back(ratio(time, mean));
  return ratios;
}

double Study::noise_of(std::span<const timing::WindowEnds> times) const {
  const timing::WindowEnds mean = mean_of(times);
  double square = 0;
  for (const timing::WindowEnds& time : times) square += std::pow(ratio(time, mean) - 1, 2);
  return std::sqrt(square / static_cast<double>(times.size() - 1));
}

double Study::whole_noise() const {
  return steady() ? kSteady / 2 : noise_of(unchanged());
}

// The constants are from a 2.4 GHz core and need not be exact: they decide how many replays are
// affordable.
double Study::replay_cost() const {
  constexpr double kStart = 0.04;        // seconds, to read the file and the machine
  constexpr double kExecuted = 0.06e-6;  // … for an instruction executed
  constexpr double kReplayed = 0.4e-6;   // … for an instruction replayed
  constexpr double kDealt = 0.8e-6;      // … for a warp of a grid of unequal blocks
  constexpr double kMaxDealt = 25'000;   // such warps
  constexpr double kWithStalls = 1.4;    // times as long where stalls are attributed
  double replay = kReplayed * static_cast<double>(base_.replayed);
  if (!traced_->works.even()) {
    const double warps = static_cast<double>(traced_->launch->grid.total()) *
                         static_cast<double>(traced_->reference.warps.size());
    replay += kDealt * std::min(kMaxDealt, warps);
  }
  const double predict =
      kStart + kExecuted * static_cast<double>(base_.executed) + kWithStalls * replay;
  return replay / predict;
}

const std::vector<timing::WindowEnds>& Study::unchanged() const {
  std::call_once(unchanged_once_, [this] {
    repeat_unchanged(kWholeSamples, unchanged_);
    const double noise = noise_of(unchanged_);
    if (noise < kSteady / 2) {
      unchanged_.resize(1);
    } else if (noise > kNoisy && replay_cost() < kCheapReplay) {
      repeat_unchanged((noise > kVeryNoisy ? 3 : 2) * kWholeSamples, unchanged_);
    }
  });
  return unchanged_;
}

const std::vector<timing::WindowEnds>& Study::precise() const {
  std::call_once(precise_once_, [this] {
    precise_ = unchanged();
    if (steady() || whole_noise() <= kNoisy) return;
    repeat_unchanged((whole_noise() > kVeryNoisy ? 2 : 1) * kPreciseSamples, precise_);
  });
  return precise_;
}

const std::vector<double>& Study::before_edits() const {
  std::call_once(before_edits_once_, [this] {
    before_edits_.resize(base_.replayed > kLong ? kEditSamples - 1 : kEditSamples);
    in_parallel(before_edits_.size(), [&](std::size_t k) {
      before_edits_[k] =
          timing::replay(*traced_, dithered(machine_, static_cast<unsigned>(k), options_.seed),
                         options_, {.time_only = true, .found = &found_})
              .cycles;
    });
    const auto [least, most] = std::ranges::minmax_element(before_edits_);
    if (*most - *least < kSteady * *least) before_edits_.resize(1);
  });
  return before_edits_;
}

double Study::edited_once(std::span<const Edit> edits) const {
  const EditPlan plan = plan_edits(edits, *traced_);
  double before = 0;
  double after = 0;
  for (unsigned k = 0; k < before_edits().size(); ++k) {
    const machine::Machine machine = with_starts(dithered(machine_, k, options_.seed), plan.starts);
    after += timing::replay(plan.traced ? *plan.traced : *traced_, machine, options_,
                            {.dependences = dependences_.get(),
                             .edits = &plan.ops,
                             .resident = residents(*traced_, plan.starts),
                             .time_only = true,
                             .found = plan.same_lines ? &found_ : nullptr})
                 .cycles;
    before += before_edits()[k];
  }
  return before / after;
}

double Study::edited(std::span<const Edit> edits) const {
  return edited_once(edits);
}

std::vector<double> Study::edited(std::span<const std::vector<Edit>> sets,
                                  const GoOn& go_on) const {
  std::vector<double> faster(sets.size());
  std::mutex asking;
  const auto wanted = [&](std::size_t k) {
    const std::scoped_lock lock(asking);
    return !go_on || go_on(k);
  };
  if (sets.empty() || !wanted(0)) return faster;
  before_edits();
  in_parallel(sets.size(), [&](std::size_t k) {
    if (wanted(k)) faster[k] = edited_once(sets[k]);
  });
  return faster;
}

std::vector<timing::Prediction> Study::with_residents(
    std::span<const std::uint64_t> residents) const {
  std::vector<timing::Prediction> predictions(residents.size());
  in_parallel(residents.size(), [&](std::size_t k) {
    predictions[k] = timing::replay(*traced_, machine_, options_, {.resident = residents[k]});
  });
  return predictions;
}

}  // namespace burin::analyze
