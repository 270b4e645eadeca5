#include "analyze/study.h"

#include <atomic>
#include <cmath>
#include <thread>

#include "analyze/edit_plan.h"

namespace burin {

namespace {

constexpr double kPrecise = 0.004;  // the standard deviation of an edit's speedup, where possible
constexpr double kMostSamples = 3;  // … and the most replays for it

// The machine with numbers so little different that only the order in which warps meet changes:
// another sample of the same.
Machine dithered(const Machine& machine, unsigned sample) {
  Machine other = machine;
  other.dispatch.warp_gap += 0.11 * sample;
  for (double* latency : {&other.shared.latency, &other.l1.latency, &other.l2.latency,
                          &other.dram.latency, &other.lsu.release}) {
    *latency *= 1 + 0.0003 * sample;
  }
  return other;
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

Result<std::unique_ptr<Study>> Study::open(const Kernel& kernel, const Launch& launch,
                                           const Machine& machine, const PredictOptions& options) {
  std::unique_ptr<Study> study(new Study(machine, options));
  Result<Kernel> dependences = build_kernel(*kernel.image, *kernel.function);
  if (!dependences) return dependences.error();
  study->dependences_ = std::make_unique<Kernel>(std::move(*dependences));
  const Result<Occupancy> occupancy = burin::occupancy(machine, needs_of(kernel, launch));
  if (!occupancy) return occupancy.error();
  Result<std::unique_ptr<TracedLaunch>> traced =
      trace_launch(*study->dependences_, launch, machine, *occupancy, options);
  if (!traced) return traced.error();
  study->traced_ = std::move(*traced);
  study->base_ =
      replay(*study->traced_, machine, options, {.path = &study->path_, .record = &study->found_});
  study->repeat_base();
  return study;
}

// The launch's cycles, from the ends of the windows.
double Study::smooth_cycles(const Prediction& p) const {
  const double without_launch = base_.cycles - base_.launch_cycles;
  double cycles = p.launch_cycles;
  for (std::size_t w = 0; w < p.windows.size(); ++w) {
    cycles += without_launch * base_.windows[w].share * p.windows[w].smooth_end / smooth_ends_[w];
  }
  return cycles;
}

void Study::repeat_base() {
  std::vector<Prediction> all(kSamples);
  in_parallel(kSamples, [&](std::size_t k) {
    const Machine other = dithered(machine_, static_cast<unsigned>(k));
    all[k] = replay(*traced_, other, options_, {.found = &found_});
  });
  smooth_ends_.assign(base_.windows.size(), 0);
  for (const Prediction& p : all) {
    for (std::size_t w = 0; w < smooth_ends_.size(); ++w) {
      smooth_ends_[w] += p.windows[w].smooth_end / kSamples;
    }
  }
  double square = 0;
  for (const Prediction& p : all) {
    samples_.push_back(smooth_cycles(p));
    whole_.push_back(p.cycles);
    square += std::pow(samples_.back() / base_.cycles - 1, 2);
  }
  noise_ = std::sqrt(square / (kSamples - 1));
}

std::vector<double> Study::slowdowns(std::span<const Change> changes, unsigned samples) const {
  std::vector<double> cycles(changes.size() * samples);
  in_parallel(cycles.size(), [&](std::size_t k) {
    const Change& change = changes[k / samples];
    const Machine usual = dithered(machine_, static_cast<unsigned>(k % samples));
    const Machine other = changed(usual, change);
    cycles[k] = smooth_cycles(replay(*traced_, usual, options_,
                                     {.machine = &other,
                                      .region = change.region,
                                      .issue_slots = issue_slots(change),
                                      .dependences = dependences_.get(),
                                      .found = &found_}));
  });
  std::vector<double> slower(changes.size());
  for (std::size_t k = 0; k < cycles.size(); ++k) {
    slower[k / samples] += cycles[k] / samples_[k % samples] / samples;
  }
  return slower;
}

Prediction Study::with_machine(const Machine& other) const {
  return replay(*traced_, machine_, options_,
                {.machine = &other, .dependences = dependences_.get(), .found = &found_});
}

Prediction Study::with_edits(std::span<const Edit> edits) const {
  const EditPlan plan = plan_edits(edits, *traced_);
  return replay(plan.traced ? *plan.traced : *traced_, machine_, options_,
                {.dependences = dependences_.get(),
                 .edits = &plan.ops,
                 .found = plan.same_lines ? &found_ : nullptr});
}

double Study::edited_once(std::span<const Edit> edits) const {
  const EditPlan plan = plan_edits(edits, *traced_);
  const double wanted = std::ceil(std::pow(noise_ / kPrecise, 2));
  const auto samples = static_cast<unsigned>(std::clamp(wanted, 1.0, kMostSamples));
  double sum = 0;
  double before = 0;
  for (unsigned k = 0; k < samples; ++k) {
    const Machine machine = dithered(machine_, k);
    sum += replay(plan.traced ? *plan.traced : *traced_, machine, options_,
                  {.dependences = dependences_.get(),
                   .edits = &plan.ops,
                   .found = plan.same_lines ? &found_ : nullptr})
               .cycles;
    before += whole_[k];
  }
  return before / sum;
}

double Study::edited(std::span<const Edit> edits) const {
  return edited_once(edits);
}

std::vector<double> Study::edited(std::span<const std::vector<Edit>> sets) const {
  std::vector<double> faster(sets.size());
  in_parallel(sets.size(), [&](std::size_t k) { faster[k] = edited_once(sets[k]); });
  return faster;
}

std::vector<Prediction> Study::with_residents(std::span<const std::uint64_t> residents) const {
  std::vector<Prediction> predictions(residents.size());
  in_parallel(residents.size(), [&](std::size_t k) {
    predictions[k] = replay(*traced_, machine_, options_, {.resident = residents[k]});
  });
  return predictions;
}

}  // namespace burin
