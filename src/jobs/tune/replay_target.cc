#include <algorithm>
#include <limits>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "jobs/input/choose_machine.h"
#include "jobs/tune/device.h"
#include "jobs/tune/guided.h"
#include "jobs/tune/spec_compiler.h"
#include "jobs/tune/target.h"
#include "model/guided/examine.h"
#include "tune/formats/recorded_space.h"
#include "tune/replay_lab.h"
#include "tune/space/same_point.h"

namespace burin::jobs {
namespace {

// Compiles the configurations of the spec for those of the recording.
class RecordedExaminer : public model::Examiner {
 public:
  RecordedExaminer(const tune::Space& recorded, const tune::Space& compiled,
                   std::unique_ptr<model::Examiner> examiner)
      : recorded_(recorded), compiled_(compiled), examiner_(std::move(examiner)) {}

  Result<std::vector<model::Examined>> examine(std::span<const tune::Point> points) override {
    std::vector<tune::Point> compiled;
    for (const tune::Point& point : points) {
      std::optional<tune::Point> same = tune::same_point(recorded_, point, compiled_);
      if (!same) {
        return Error{fmt::format("the spec has no configuration {}, which was recorded",
                                 tune::describe(recorded_, point))};
      }
      compiled.push_back(std::move(*same));
    }
    return examiner_->examine(compiled);
  }

 private:
  const tune::Space& recorded_;
  const tune::Space& compiled_;
  std::unique_ptr<model::Examiner> examiner_;
};

class ReplayTarget : public TuneTarget {
 public:
  ReplayTarget(tune::RecordedSpace recorded, std::optional<tune::Spec> spec,
               const TuneRequest& request)
      : recorded_(std::move(recorded)), spec_(std::move(spec)), request_(request) {}

  std::size_t runs() const override { return request_.seeds; }

  Result<TunedRun> begin(std::size_t run) override {
    TunedRun begun{.seed = request_.seed + run, .space = recorded_.space, .device = model()};
    begun.space_size = recorded_.space_size.value_or(0);
    if (const auto best = recorded_.best(); best && recorded_.fully_recorded) {
      begun.optimum_us = recorded_.points[*best].time_us;
    }
    return begun;
  }

  Result<void> open(const std::string&) override { return {}; }

  Result<tune::Lab*> lab(std::size_t, const std::vector<tune::Trial>&, std::size_t) override {
    lab_.emplace(recorded_);
    return &*lab_;
  }

  Result<Guide> guide(std::size_t) override {
    if (!spec_) {
      return Error{
          "a recorded space is predicted from the spec that was recorded: burin tune SPEC "
          "--device replay:FILE",
          Exit::kUsage};
    }
    if (spec_->sizes.size() != 1) {
      return Error{"the spec has several problem sizes; --size says which one was recorded",
                   Exit::kUsage};
    }
    const std::optional<machine::Machine> machine = machine_named(recorded_.device);
    if (!machine) return unknown_machine(model());
    SpecCompilerOptions options;
    options.build.arch = read::to_string(machine->arch);
    options.build.compiler = compiler_of(request_);
    options.build.limit_seconds = request_.compile_limit_seconds;
    options.build.max_shared_bytes = static_cast<std::uint64_t>(machine->limit.shared_per_block);
    options.burin = path_of_burin(request_);
    options.processes = request_.compilers;
    compiler_ = std::make_unique<SpecCompiler>(*spec_, std::move(options));
    const Result<tune::Builder*> builder = compiler_->begin(0);
    if (!builder) return builder.error();
    Guide guide = make_guide(request_, *machine, **builder);
    guide.block_sizes = block_sizes_of(*spec_);
    guide.examiner = std::make_unique<RecordedExaminer>(recorded_.space, compiler_->space(),
                                                        std::move(guide.examiner));
    return guide;
  }
  double guided_seconds_per_trial() const override {
    return spec_ ? std::numeric_limits<double>::infinity() : 0;
  }

  std::size_t width() const override { return 1; }
  bool is_noisy() const override { return false; }
  bool weighs_cost() const override { return true; }
  std::string model() const override {
    return recorded_.device.empty() ? request_.device : recorded_.device;
  }
  std::string bus_id() const override { return ""; }

 private:
  tune::RecordedSpace recorded_;
  std::optional<tune::Spec> spec_;
  const TuneRequest& request_;
  std::optional<tune::ReplayLab> lab_;
  std::unique_ptr<SpecCompiler> compiler_;
};

}  // namespace

Result<std::unique_ptr<TuneTarget>> make_replay_target(const TuneRequest& request,
                                                       std::optional<tune::Spec> spec,
                                                       std::string& kernel) {
  const std::string path = request.device.substr(kReplayDevice.size());
  Result<tune::RecordedSpace> recorded = tune::read_recorded_space(path);
  if (!recorded) return recorded.error();
  kernel = recorded->kernel.empty() ? std::string(file_name(path)) : recorded->kernel;
  return std::unique_ptr<TuneTarget>(
      new ReplayTarget(std::move(*recorded), std::move(spec), request));
}

}  // namespace burin::jobs
