#include "analyze/study/compared_machine.h"

#include <algorithm>
#include <cmath>

#include "machine/entries.h"

namespace burin::analyze {

namespace {

constexpr double kLatencyVariation = 0.01;  // of a memory latency, between samples
constexpr double kGapVariation = 0.004;     // of the gap of a fast unit
constexpr double kStartVariation = 0.5;  // cycles, of the interval between the starts of two warps

constexpr double kNudge = 0.2;      // maximum variation, relative to the change
constexpr double kMaxNudge = 0.03;  // maximum variation, relative to the changed value

// A pseudo-random number from -1 to 1, fixed for each argument.
double variation(std::uint64_t of) {
  of *= 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
  of ^= of >> 32;
  of *= 0xbf58476d1ce4e5b9;
  of ^= of >> 29;
  return static_cast<double>(of >> 11) / static_cast<double>(std::uint64_t{1} << 52) - 1;
}

void scale_fast_gaps(double by, machine::Machine& machine) {
  for (std::size_t c = 0; c < machine::kTimingClasses; ++c) {
    const machine::Resource resource = machine::resource_of(static_cast<machine::TimingClass>(c));
    const bool fast = resource == machine::Resource::kFma || resource == machine::Resource::kAlu;
    if (fast) machine.classes[c].gap *= by;
  }
}

}  // namespace

machine::Machine dithered(const machine::Machine& machine, unsigned sample, std::uint32_t seed,
                          Varied varied) {
  machine::Machine other = machine;
  std::uint64_t number = 16 * (std::uint64_t{seed} * kMaxDithered + sample);
  if (number == 0) return other;
  other.dispatch.warp_gap += kStartVariation * std::abs(variation(number++));
  for (double* latency :
       {&other.shared.latency, &other.l1.latency, &other.l2.latency, &other.dram.latency,
        &other.lsu.release, &other.l2.atomic_latency, &other.l2.far_latency}) {
    *latency *= 1 + kLatencyVariation * variation(number++);
  }
  if (varied == Varied::kGapsToo) scale_fast_gaps(1 + kGapVariation * variation(number), other);
  return other;
}

machine::Machine off_lockstep(const machine::Machine& machine) {
  machine::Machine other = machine;
  scale_fast_gaps(kOffLockstep, other);
  return other;
}

double nudged(double value, double changed, unsigned sample) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  const double spread = kGoldenRatio * sample;
  const double by = sample == 0 ? 0 : sample <= 2 ? 2.0 * sample - 3 : 2 * std::fmod(spread, 1) - 1;
  const double most = kMaxNudge * std::abs(changed);
  return changed + by * std::clamp(kNudge * (changed - value), -most, most);
}

machine::Machine nudged(const machine::Machine& machine, const machine::Machine& changed,
                        unsigned sample) {
  machine::Machine other = changed;
  for (const machine::MachineEntry& entry : machine::machine_entries()) {
    const double value = entry.in(machine);
    if (value != entry.in(changed)) entry.in(other) = nudged(value, entry.in(changed), sample);
  }
  return other;
}

}  // namespace burin::analyze
