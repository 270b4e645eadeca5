#include "capture/assemble/counter_assembly.h"

#include <algorithm>
#include <variant>

namespace burin::capture {
namespace {

std::vector<CapturedCounter> counters_of(const SpoolCounters& r) {
  std::vector<CapturedCounter> counters;
  for (const SpoolCount& count : r.counts) {
    for (std::size_t k = 0; k < std::min(count.values.size(), r.metrics.size()); ++k) {
      if (count.values[k] == 0) continue;
      counters.push_back({.kernel = 0,
                          .launch = 0,
                          .offset = count.offset,
                          .metric = r.metrics[k],
                          .value = static_cast<double>(count.values[k])});
    }
  }
  return counters;
}

}  // namespace

void CounterAssembly::warn(std::uint32_t kind, std::uint64_t count, std::string sentence) {
  const std::uint64_t process = repeated_ == nullptr ? 1 : repeated_->process;
  writer_.add(CapturedProblem{process, kind, count, 0, std::move(sentence)});
  ++sums_.problems;
}

void CounterAssembly::begin(const SpoolProcess& r) {
  repeated_ = nullptr;
  const auto same = std::ranges::find_if(
      first_, [&](const FirstRun& run) { return !run.is_repeated && run.command == r.command; });
  if (same == first_.end()) return;
  same->is_repeated = true;
  repeated_ = &*same;
}

void CounterAssembly::add(const SpoolLaunch& r) {
  const auto kernel = kernels_.find(r.kernel);
  if (kernel == kernels_.end() || repeated_ == nullptr) return;
  const LaunchShape shape{kernel->second, r.grid, r.block, r.shared_bytes};
  const std::size_t number = met_[shape]++;
  const auto same = repeated_->launches.find(shape);
  if (same == repeated_->launches.end() || number >= same->second.size()) {
    ++strangers_;
    return;
  }
  launches_[r.launch] = {same->second[number], kernel->second};
}

void CounterAssembly::add(const SpoolCounters& r) {
  if (r.launch == 0) return add_to_kernel(r);
  const auto launch = launches_.find(r.launch);
  // What it calls has offsets of its own; only what the kernel itself executed is kept.
  if (launch == launches_.end() || launch->second.second != r.function.name) return;
  const auto [id, kernel] = launch->second.first;
  writer_.add_counts(id, kernel, counters_of(r));
  ++sums_.launches_counted;
}

void CounterAssembly::add_to_kernel(const SpoolCounters& r) {
  if (repeated_ == nullptr) return;
  const auto kernel = repeated_->kernels.find(r.function.name);
  if (kernel == repeated_->kernels.end()) return;
  for (CapturedCounter counter : counters_of(r)) {
    counter.kernel = kernel->second;
    writer_.add(counter);
  }
}

void CounterAssembly::take(const SpoolRecord& record) {
  if (const auto* process = std::get_if<SpoolProcess>(&record)) begin(*process);
  if (const auto* kernel = std::get_if<SpoolKernel>(&record))
    kernels_[kernel->kernel] = kernel->name;
  if (const auto* launch = std::get_if<SpoolLaunch>(&record)) add(*launch);
  if (const auto* counters = std::get_if<SpoolCounters>(&record)) add(*counters);
  if (const auto* problem = std::get_if<SpoolProblem>(&record)) {
    warn(problem->what, problem->count, "while counting: " + problem->sentence);
  }
}

void CounterAssembly::finish() {
  if (strangers_ != 0) {
    warn(SpoolProblem::kUncounted, strangers_,
         "the counting run had launches that the first run did not have: the program is not "
         "deterministic, and these launches are left out");
  }
  kernels_.clear();
  launches_.clear();
  met_.clear();
  strangers_ = 0;
}

}  // namespace burin::capture
