#include "analyze/study.h"

#include <atomic>
#include <thread>

namespace burin {

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
  study->base_ = replay(*study->traced_, machine, options, {.path = &study->path_});
  return study;
}

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

std::vector<double> Study::cycles_under(std::span<const Change> changes) const {
  std::vector<double> cycles(changes.size());
  in_parallel(changes.size(), [&](std::size_t k) {
    const Change& change = changes[k];
    const Machine other = changed(machine_, change);
    cycles[k] = replay(*traced_, machine_, options_,
                       {.machine = &other,
                        .region = change.region,
                        .issue_slots = issue_slots(change),
                        .dependences = dependences_.get()})
                    .cycles;
  });
  return cycles;
}

Prediction Study::with_machine(const Machine& other) const {
  return replay(*traced_, machine_, options_,
                {.machine = &other, .dependences = dependences_.get()});
}

std::vector<Prediction> Study::with_residents(std::span<const std::uint64_t> residents) const {
  std::vector<Prediction> predictions(residents.size());
  in_parallel(residents.size(), [&](std::size_t k) {
    predictions[k] = replay(*traced_, machine_, options_, {.resident = residents[k]});
  });
  return predictions;
}

}  // namespace burin
