#include "jobs/tune/guided.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/format.h"
#include "base/numbers.h"
#include "model/guided/axes.h"
#include "model/guided/examine.h"

namespace burin::jobs {
namespace {

constexpr std::size_t kTried = 5;  // by --strategy guided
// First points of another strategy. On bench/guided's tuning spaces it reaches 99 % of the optimum
// with 4.5 times fewer trials than without, and with 5 first points with 3.9 times fewer.
constexpr std::size_t kSeeds = 8;
// Strategies for which it makes no difference where they begin.
constexpr double kAnyTime = std::numeric_limits<double>::infinity();
constexpr std::string_view kUnguided[] = {"exhaustive", "random"};

}  // namespace

Result<void> check_seed_with(const TuneRequest& request) {
  if (request.seed_with.empty() || request.seed_with == "guided" || request.seed_with == "none") {
    return {};
  }
  return Error{fmt::format("--seed-with: '{}' is neither guided nor none", request.seed_with),
               Exit::kUsage};
}

std::set<std::string> block_sizes_of(const tune::Spec& spec) {
  std::set<std::string> names;
  for (const tune::LaunchSpec& launch : spec.launches) {
    for (const formula::Expression& size : launch.block) {
      for (std::string& name : size.names()) names.insert(std::move(name));
    }
  }
  // A name of [names] stands for the tunables that it is made of.
  for (auto derived = spec.derived.rbegin(); derived != spec.derived.rend(); ++derived) {
    if (!names.contains(derived->first)) continue;
    for (std::string& name : derived->second.names()) names.insert(std::move(name));
  }
  return names;
}

Error unknown_machine(const std::string& gpu) {
  return Error{fmt::format("burin has no machine file for {}, so that nothing can be predicted for "
                           "it; `burin calibrate` makes one",
                           gpu),
               Exit::kUsage};
}

Error opencl_is_not_guided() {
  return Error{"OpenCL kernels are not predicted; the guided search needs CUDA source",
               Exit::kUsage};
}

Guide make_guide(const TuneRequest& request, const machine::Machine& machine,
                 tune::Builder& builder) {
  Guide guide;
  guide.registers_per_sm = static_cast<std::uint32_t>(machine.limit.registers);
  guide.examiner = std::make_unique<model::BuiltExaminer>(
      builder, machine, model::ExamineOptions{.warm = request.warm});
  return guide;
}

Result<Guide> make_guide(const TuneRequest& request, const TuneDevice& device,
                         tune::Builder& builder) {
  if (device.kind == TuneDevice::Kind::kOpencl) {
    return opencl_is_not_guided();
  }
  if (!device.machine) return unknown_machine(device.model);
  return make_guide(request, *device.machine, builder);
}

std::string Guidance::strategy() const {
  // It asks for the first points in their order, and is ended after them.
  return is_strategy() ? "exhaustive" : request_.strategy;
}

std::optional<std::size_t> Guidance::trials(std::size_t first_points) const {
  if (!is_strategy()) return std::nullopt;
  return std::max<std::size_t>(1, first_points);
}

double Guidance::limit_seconds(const TuneTarget& target, const TunedRun& run) const {
  if (is_strategy() || request_.seed_with == "guided") return kAnyTime;
  if (request_.seed_with == "none") return 0;
  if (std::ranges::find(kUnguided, request_.strategy) != std::end(kUnguided)) return 0;
  // A prediction costs as much as a trial on the emulator, and all configurations of a small space
  // are tried anyway.
  const std::uint64_t trials = request_.budget.value_or(kDefaultTrials);
  if (run.space.size() <= trials) return 0;
  return target.guided_seconds_per_trial() * static_cast<double>(trials);
}

Result<std::vector<tune::Point>> Guidance::first_points(TuneTarget& target, std::size_t index,
                                                        TunedRun& run) {
  const double limit = limit_seconds(target, run);
  if (limit == 0) return std::vector<tune::Point>{};
  const std::string size = tune::describe(run.size);
  if (const auto known = known_.find(size); known != known_.end()) {
    run.guided = known->second;
  } else {
    Result<Guide> guide = target.guide(index);
    if (!guide) {
      if (is_strategy()) return guide.error().within("--strategy guided");
      if (request_.seed_with == "guided") return guide.error().within("--seed-with");
      return std::vector<tune::Point>{};
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto taken = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    model::GuidedOptions options{.most = request_.examined,
                                 .start = guide->start,
                                 .registers_per_sm = guide->registers_per_sm,
                                 .interrupted = [&] {
                                   return taken() > limit ||
                                          (request_.interrupted && request_.interrupted());
                                 }};
    options.progress = [&](std::size_t examined, double best_us) {
      const std::string text =
          best_us < 1e300 ? "best predicted " + time_text(best_us) : "nothing works yet";
      progress_.step("guided: " + text + "; configuration", examined,
                     std::min<std::uint64_t>(request_.examined, run.space.size()));
    };
    Result<model::Guided> found = model::guided_search(
        run.space, model::axes_of(run.space, guide->block_sizes), *guide->examiner, options);
    if (!found) return found.error();
    run.guided = GuidedRun{std::move(*found), taken()};
    known_[size] = *run.guided;
  }
  std::vector<tune::Point> first;
  const std::size_t most = is_strategy() ? kTried : kSeeds;
  const std::size_t wanted = std::min<std::uint64_t>(most, request_.budget.value_or(most));
  for (const model::GuidedTrial* trial : run.guided->found.ranked()) {
    if (first.size() < wanted) first.push_back(trial->point);
  }
  // Nothing works by prediction: the device may say why.
  if (is_strategy() && first.empty()) first.push_back(run.guided->found.trials.front().point);
  return first;
}

}  // namespace burin::jobs
