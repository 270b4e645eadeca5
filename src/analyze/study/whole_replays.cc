// Study: replays of the whole launch with something changed.
#include <algorithm>
#include <cmath>
#include <future>

#include "analyze/study/compared_machine.h"
#include "analyze/study/in_parallel.h"
#include "analyze/study/study.h"

namespace burin::analyze {

namespace {

// Number of unchanged replays:
constexpr double kSteadyWhole = 0.0005;         // one, if they differ by at most this share
constexpr double kNoisyDifference = 0.002;      // twice as many, from this share on, …
constexpr double kVeryNoisyDifference = 0.006;  // … or three times as many, from this share on; …
constexpr double kCheapReplay = 0.25;  // … if a replay costs at most this share of the prediction,
                                       // twice as many in any case: a few may agree by chance
constexpr double kVeryCheapReplay = 0.05;  // three times as many at this cost, in any case
constexpr unsigned kPreciseSamples = 16;   // for --what-if, if noisy; twice as many if very noisy
constexpr std::size_t kMinChangedReplays = 3;
constexpr double kMinChange = 0.01;   // smaller changes of the time need no more samples
constexpr double kSmallWindow = 0.1;  // share of the time: the other window represents it

}  // namespace

std::vector<double> Study::slowdowns_of_whole(std::span<const Sample> samples) const {
  std::vector<timing::WindowEnds> times(samples.size());
  std::future<void> reference = std::async(
      options_.threads == 1 ? std::launch::deferred : std::launch::async, [this] { unchanged(); });
  in_parallel(options_.threads, samples.size(), [&](std::size_t k) {
    const Sample& sample = samples[k];
    machine::Machine other = compared_machine(sample.number);
    double slots = kOffLockstep;
    for (const Change& change : sample.changes) {
      other = changed(other, change);
      slots *= issue_slots(change);
    }
    times[k] = replay_compared(
        sample.number,
        {.machine = &other, .issue_slots = slots, .dependences = dependences_.get()});
  });
  reference.get();
  const timing::WindowEnds usual = mean_of(unchanged());
  std::vector<double> slower;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    // A change that leaves every replay identical has no effect, whatever the mean is.
    const unsigned number = samples[k].number;
    const bool same = number < unchanged().size() && times[k].ends == unchanged()[number].ends &&
                      times[k].launch_cycles == usual.launch_cycles;
    slower.push_back(same ? 1 : ratio(times[k], usual));
  }
  return slower;
}

timing::Prediction Study::with_machine(const machine::Machine& other, double issue_slots) const {
  std::vector<timing::WindowEnds> times;
  const auto ratio_after = [&](std::span<const timing::WindowEnds> unchanged) {
    const std::size_t before = times.size();
    times.resize(std::max<std::size_t>(kMinChangedReplays, unchanged.size()));
    in_parallel(options_.threads, times.size() - before, [&](std::size_t k) {
      const auto sample = static_cast<unsigned>(before + k);
      const machine::Machine own = off_lockstep(sample_of(nudged(machine_, other, sample), sample));
      times[sample] =
          replay_compared(sample, {.machine = &own,
                                   .issue_slots = kOffLockstep * nudged(1, issue_slots, sample),
                                   .dependences = dependences_.get()});
    });
    return ratio(mean_of(times), mean_of(unchanged));
  };
  double by = ratio_after(unchanged());
  // The first few unchanged replays may agree by chance, so the changed ones are checked as well:
  // the time of a change lies between those of a smaller and a larger change, except for noise.
  const timing::WindowEnds smaller_and_larger[] = {times[1], times[2]};
  const double bend = std::abs(ratio(times[0], mean_of(smaller_and_larger)) - 1);
  const double noise = std::max(steady() ? 0 : whole_noise(), bend);
  // A change that seems to have no effect may have one that is as large as the noise.
  const double effect = std::max(std::abs(by - 1), noise);
  if (effect > kMinChange && noise > kNoisyDifference) by = ratio_after(precise());
  const machine::Machine own = sample_of(other, 0);
  timing::Prediction changed = timing::replay(*traced_, sample_of(machine_, 0), options_,
                                              {.machine = &own,
                                               .issue_slots = issue_slots,
                                               .dependences = dependences_.get(),
                                               .found = &found_});
  changed.cycles = base_.cycles * by;
  changed.clock_mhz = base_.clock_mhz;
  changed.time_us = changed.cycles / changed.clock_mhz;
  return changed;
}

bool Study::without_first() const {
  return traced_->windows.size() > 1 && base_.windows[0].share < kSmallWindow;
}

timing::WindowEnds Study::replay_compared(unsigned sample, timing::ReplayChange change) const {
  ++whole_replays_;
  change.windows_only = true;
  change.without_first = without_first();
  change.found = &found_;
  return ends_of(timing::replay(*traced_, compared_machine(sample), options_, change));
}

void Study::repeat_unchanged(unsigned samples, std::vector<timing::WindowEnds>& times) const {
  const std::size_t before = times.size();
  if (samples <= before) return;
  times.resize(samples);
  in_parallel(options_.threads, samples - before, [&](std::size_t k) {
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
  return steady() ? kSteadyWhole : noise_of(unchanged());
}

const std::vector<timing::WindowEnds>& Study::unchanged() const {
  std::call_once(unchanged_once_, [this] {
    repeat_unchanged(replay_cost() < kVeryCheapReplay ? 3 * kWholeSamples : kWholeSamples,
                     unchanged_);
    const double noise = noise_of(unchanged_);
    if (noise < kSteadyWhole) {
      unchanged_.resize(1);
    } else if (noise > kNoisyDifference || replay_cost() < kCheapReplay) {
      repeat_unchanged(2 * kWholeSamples, unchanged_);
      const bool very_noisy = noise_of(unchanged_) > kVeryNoisyDifference;
      if (very_noisy && replay_cost() < kCheapReplay)
        repeat_unchanged(3 * kWholeSamples, unchanged_);
    }
  });
  return unchanged_;
}

const std::vector<timing::WindowEnds>& Study::precise() const {
  std::call_once(precise_once_, [this] {
    precise_ = unchanged();
    repeat_unchanged(kPreciseSamples, precise_);
    if (noise_of(precise_) > kVeryNoisyDifference) repeat_unchanged(2 * kPreciseSamples, precise_);
  });
  return precise_;
}

}  // namespace burin::analyze
