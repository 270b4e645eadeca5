// Study: replays of fewer blocks, which show which of two changes matters more.
#include <cmath>

#include "analyze/study/compared_machine.h"
#include "analyze/study/in_parallel.h"
#include "analyze/study/study.h"

namespace burin::analyze {

namespace {

constexpr unsigned kFewSamples = 2;     // unchanged replays, if they differ by at most:
constexpr double kSteadyLight = 0.001;  // share of the time

}  // namespace

const timing::LightWindows& Study::light() const {
  std::call_once(light_once_, [this] {
    usual_.light = std::make_unique<timing::LightWindows>(*traced_, base_.windows);
  });
  return *usual_.light;
}

const Study::Usual& Study::usual() const {
  std::call_once(usual_once_, [this] {
    repeat_base(0, kFewSamples);
    if (usual_.noise > kSteadyLight) repeat_base(kFewSamples, kSamples);
  });
  return usual_;
}

void Study::repeat_base(unsigned first, unsigned last) const {
  std::vector<timing::WindowEnds>& samples = usual_.samples;
  samples.resize(last);
  light_replays_ += last - first;
  in_parallel(options_.threads, last - first, [&](std::size_t k) {
    const auto sample = static_cast<unsigned>(first + k);
    samples[sample] = timing::replay_ends(*traced_, compared_machine(sample), options_,
                                          {.found = &found_}, light().jobs());
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
  const Usual& unchanged = usual();
  std::vector<double> cycles(changes.size() * each);
  light_replays_ += cycles.size();
  // If replays are noisy, a change of the whole launch reorders the warps anew, so it is compared
  // with the mean. A change that leaves most times as they are is compared with the same sample.
  const timing::WindowEnds mean = mean_of(unchanged.samples);
  const auto usual_of = [&](const Change& change, const timing::WindowEnds& ends,
                            std::size_t sample) {
    const timing::WindowEnds& own = unchanged.samples[sample];
    const bool anew = change.region == nullptr && ends.ends != own.ends;
    return unchanged.noise > kSteadyLight && anew ? mean : own;
  };
  in_parallel(options_.threads, cycles.size(), [&](std::size_t k) {
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
                                                        light().jobs());
    cycles[k] = cycles_of(ends, usual_of(change, ends, sample));
  });
  std::vector<double> slower(changes.size());
  for (std::size_t k = 0; k < cycles.size(); ++k) {
    slower[k / each] += cycles[k] / base_.cycles / static_cast<double>(each);
  }
  return slower;
}

}  // namespace burin::analyze
