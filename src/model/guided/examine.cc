#include "model/guided/examine.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "analyze/bounds/bounds.h"
#include "base/format.h"
#include "model/carve/counted.h"
#include "model/carve/metrics.h"
#include "model/opened_request.h"
#include "model/predicted_interval.h"
#include "timing/code/timed_code.h"
#include "timing/result/kernel_needs.h"

namespace burin::model {
namespace {

using machine::Resource;
using Shares = std::array<double, machine::kResources>;

// Launches that differ in their arguments alone: so many are predicted, evenly spaced. If they take
// the same time, the others do too; if not, more are predicted.
constexpr std::array<std::size_t, 2> kSamples = {3, 9};
constexpr double kSameTime = 0.02;

std::size_t at(Resource resource) {
  return static_cast<std::size_t>(resource);
}

// Where the results of an instruction come from, as shares that sum to 1.
void add_origin(const timing::TimedOp& op, bool shared, const timing::InstructionCost& cost,
                double cycles, Shares& waits) {
  if (op.block_barrier || op.cluster_barrier) {
    waits[at(Resource::kBarrier)] += cycles;
  } else if (op.unit == timing::Unit::kLsu && shared) {
    waits[at(Resource::kShared)] += cycles;
  } else if (op.unit == timing::Unit::kLsu && cost.sectors > 0) {
    const double l1 = cost.l1_hits / cost.sectors;
    const double l2 = cost.l2_hits / cost.sectors;
    waits[at(Resource::kL1)] += cycles * l1;
    waits[at(Resource::kL2)] += cycles * l2;
    waits[at(Resource::kDram)] += cycles * std::max(0.0, 1 - l1 - l2);
  } else {
    waits[at(op.resource)] += cycles;
  }
}

// Warp-cycles in which a scheduler issued nothing, by the resource whose result was waited for.
Shares waits_of(const analyze::Study& study) {
  const std::vector<timing::TimedOp> code = timing::timed_code(study.kernel(), study.machine());
  Shares waits{};
  for (const timing::Blame& blame : study.base().blames) {
    const bool shared =
        study.kernel().instructions[blame.cause].opcode->space == read::Space::kShared;
    add_origin(code[blame.cause], shared, study.base().costs[blame.cause], blame.cycles.latency,
               waits);
  }
  return waits;
}

// One launch, added to what the others make.
struct Sum {
  Examined examined{};
  Shares waits{};

  void add(const analyze::Study& study, double times) {
    const timing::Prediction& p = study.base();
    examined.time_us += times * p.time_us;
    add_launch(examined.interval, p.certainty, times);
    for (const analyze::Bound& bound : analyze::bounds(study)) {
      if (bound.name == "chain") examined.chain_us += times * bound.time_us;
      for (std::size_t r = 0; r < machine::kResources; ++r) {
        const auto resource = static_cast<Resource>(r);
        // The search does not react to block dispatch.
        if (resource != Resource::kDispatch && machine::name(resource) == bound.name) {
          examined.demand_us[r] += times * bound.time_us;
        }
      }
    }
    const Shares more = waits_of(study);
    for (std::size_t r = 0; r < machine::kResources; ++r) waits[r] += times * more[r];
  }
};

Examined failed(std::string reason) {
  Examined examined;
  examined.failure = std::move(reason);
  return examined;
}

bool same_shape(const OpenedStep& a, const OpenedStep& b) {
  return a.kernel.function == b.kernel.function && a.launch.grid == b.launch.grid &&
         a.launch.block == b.launch.block && a.launch.shared_bytes == b.launch.shared_bytes &&
         a.count == b.count;
}

class Examination {
 public:
  Examination(const machine::Machine& machine, const ExamineOptions& options)
      : machine_(machine), options_{.warm = options.warm, .threads = options.threads} {}

  Examined run(const std::vector<OpenedStep>& steps) {
    sum_.examined.time_us = 0;
    for (std::size_t first = 0; first < steps.size();) {
      std::size_t last = first + 1;
      while (last < steps.size() && same_shape(steps[first], steps[last])) ++last;
      add(std::span(steps).subspan(first, last - first));
      if (!failure_.empty()) return failed(failure_);
      first = last;
    }
    const auto most = std::ranges::max_element(sum_.waits);
    sum_.examined.waits_for = static_cast<Resource>(most - sum_.waits.begin());
    return sum_.examined;
  }

 private:
  struct Before {
    Sum sum;
    double longest_us;
  };

  void add(std::span<const OpenedStep> alike) {
    for (const std::size_t samples : kSamples) {
      if (alike.size() <= samples) break;
      const Before before{sum_, longest_us_};
      if (add_samples(alike, samples) || !failure_.empty()) return;
      if (samples == kSamples.back()) return;
      sum_ = before.sum;
      longest_us_ = before.longest_us;
    }
    for (const OpenedStep& step : alike) add(step, step.count);
  }

  // Evenly spaced launches that stand for all. False: their times differ.
  bool add_samples(std::span<const OpenedStep> alike, std::size_t samples) {
    const double times =
        static_cast<double>(alike.size()) / static_cast<double>(samples) * alike.front().count;
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (std::size_t k = 0; k < samples && failure_.empty(); ++k) {
      const double time_us = add(alike[k * (alike.size() - 1) / (samples - 1)], times);
      least = std::min(least, time_us);
      most = std::max(most, time_us);
    }
    return most <= (1 + kSameTime) * least;
  }

  double add(const OpenedStep& step, double times) {
    const Result<std::unique_ptr<analyze::Study>> study =
        analyze::Study::open(step.kernel, step.launch, machine_, options_);
    if (!study) {
      failure_ = study.error().message;
      return 0;
    }
    const timing::Prediction& p = (*study)->base();
    if (!p.faults.empty()) {
      const emulate::Fault& fault = p.faults.front();
      failure_ = fmt::format("{}: {}", emulate::name(fault.kind), fault.detail);
      return 0;
    }
    // Occupancy is that of the launch that takes longest.
    if (times * p.time_us > longest_us_) {
      longest_us_ = times * p.time_us;
      const machine::KernelNeeds needs = timing::needs_of(step.kernel, step.launch);
      sum_.examined.warps = static_cast<std::uint32_t>(p.occupancy.warps);
      sum_.examined.threads = static_cast<std::uint32_t>(needs.threads);
      sum_.examined.registers = static_cast<std::uint32_t>(needs.registers);
    }
    sum_.add(**study, times);
    return p.time_us;
  }

  const machine::Machine& machine_;
  timing::PredictOptions options_;
  Sum sum_;
  double longest_us_ = 0;
  std::string failure_;
};

}  // namespace

Examined examine(const measure::DeviceRequest& request, const machine::Machine& machine,
                 const ExamineOptions& options) {
  const Result<OpenedRequest> opened = OpenedRequest::open(request, {.dependences = false});
  if (!opened) return failed(opened.error().message);
  Examined examined = Examination(machine, options).run(opened->steps());
  if (!examined.works()) return examined;
  // What cannot be counted is judged by the prediction alone.
  if (const auto counts = count_request(request, machine, {})) {
    examined.estimate_us =
        1e6 * machine.seconds(metrics_of(*counts, machine, kModernMetrics).cycles);
  }
  return examined;
}

Result<std::vector<Examined>> BuiltExaminer::examine(std::span<const tune::Point> points) {
  for (const tune::Point& point : points) builder_.start(point);
  std::vector<tune::Built> built;
  for (const tune::Point& point : points) {
    Result<tune::Built> made = builder_.finish(point);
    if (!made) return made.error();
    built.push_back(std::move(*made));
  }
  const unsigned cores =
      options_.threads != 0 ? options_.threads : std::max(1u, std::thread::hardware_concurrency());
  const auto at_once = static_cast<unsigned>(std::min<std::size_t>(cores, points.size()));
  ExamineOptions each = options_;
  each.threads = std::max(1u, cores / std::max(1u, at_once));
  std::vector<Examined> examined(points.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t k = next++; k < points.size(); k = next++) {
      examined[k] = built[k].status == tune::Status::kOk
                        ? model::examine(built[k].request, machine_, each)
                        : failed(built[k].reason);
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < at_once; ++t) others.emplace_back(work);
  work();
  others.clear();  // waits for them
  return examined;
}

}  // namespace burin::model
