#include "analyze/study/study.h"

#include "analyze/study/compared_machine.h"
#include "timing/result/kernel_needs.h"

namespace burin::analyze {

Result<std::unique_ptr<Study>> Study::open(const read::Kernel& kernel, const launch::Launch& launch,
                                           const machine::Machine& machine,
                                           const timing::PredictOptions& options) {
  timing::PredictOptions kept = options;
  kept.heartbeat = {};          // the caller's function may not outlive this call
  kept.timeline_intervals = 0;  // recorded for the unchanged launch only
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

timing::WindowEnds Study::mean_of(std::span<const timing::WindowEnds> samples) {
  timing::WindowEnds mean = samples[0];
  for (std::size_t w = 0; w < mean.ends.size(); ++w) {
    double sum = 0;
    for (const timing::WindowEnds& sample : samples) sum += sample.ends[w];
    mean.ends[w] = sum / static_cast<double>(samples.size());
  }
  return mean;
}

// The launch's cycles, where its windows end like this and those of the base end as usual.
double Study::cycles_of(const timing::WindowEnds& ends, const timing::WindowEnds& usual) const {
  double of_windows = 0;
  double shares = 0;
  for (std::size_t w = 0; w < usual.ends.size(); ++w) {
    if (usual.ends[w] <= 0) continue;  // the other windows represent it
    of_windows += base_.windows[w].share * ends.ends[w] / usual.ends[w];
    shares += base_.windows[w].share;
  }
  return ends.launch_cycles + (base_.cycles - base_.launch_cycles) * of_windows / shares;
}

timing::WindowEnds Study::ends_of(const timing::Prediction& p) {
  timing::WindowEnds all{.launch_cycles = p.launch_cycles};
  for (const timing::Prediction::Window& w : p.windows) all.ends.push_back(w.smooth_end);
  return all;
}

double Study::ratio(const timing::WindowEnds& ends, const timing::WindowEnds& usual) const {
  return cycles_of(ends, usual) / base_.cycles;
}

machine::Machine Study::sample_of(const machine::Machine& machine, unsigned sample) const {
  constexpr double kMinAtomicShare = 0.5;  // of the time
  const bool by_slices = base_.l2_atomic_cycles > kMinAtomicShare * base_.cycles;
  return dithered(machine, sample, options_.seed,
                  by_slices ? Varied::kGapsToo : Varied::kLatencies);
}

machine::Machine Study::compared_machine(unsigned sample) const {
  return off_lockstep(sample_of(machine_, sample));
}

}  // namespace burin::analyze
