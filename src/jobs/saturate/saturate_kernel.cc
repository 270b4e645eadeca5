#include "jobs/saturate/saturate_kernel.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "jobs/input/output_file.h"
#include "jobs/saturate/measured_sizes.h"
#include "jobs/tune/spec_compiler.h"
#include "launch/number.h"
#include "launch/one_value.h"
#include "model/saturate/plan.h"
#include "tune/configuration.h"
#include "tune/formats/t1_spec.h"
#include "tune/formats/toml_spec.h"

namespace burin::jobs {
namespace {

using model::SizeSample;
using tune::Spec;

// "block_size_x=256, coarsen_thread_x=4": parameters with one value say nothing.
std::string words_of_point(const tune::Space& space, const tune::Point& point) {
  std::string text;
  for (const std::size_t parameter : space.free_parameters()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", space.parameters()[parameter].name,
                        formula::plain_text(space.value(point, parameter)));
  }
  return text.empty() ? "the only configuration" : text;
}

Result<std::pair<std::string, std::int64_t>> parse_size(const std::string& text,
                                                        const std::string& option) {
  const std::size_t equals = text.find('=');
  const auto value = equals == std::string::npos
                         ? std::nullopt
                         : launch::parse_integer<std::int64_t>(text.substr(equals + 1));
  if (!value) {
    return Error{fmt::format("{}: expected NAME=NUMBER, not '{}'", option, text), Exit::kUsage};
  }
  return std::pair(text.substr(0, equals), *value);
}

Result<Spec> read_spec(const SaturateRequest& request) {
  const std::string& input = request.tune.input;
  if (!input.ends_with(".toml") && !input.ends_with(".json")) {
    return Error{fmt::format("{}: a spec (.toml, or T1 .json) is needed, which gives problem sizes",
                             input.empty() ? std::string("no file") : input),
                 Exit::kUsage};
  }
  Result<Spec> spec =
      input.ends_with(".json") ? tune::read_t1_spec(input) : tune::read_toml_spec(input);
  if (!spec) return spec;
  if (Result<void> fine = launch::check_one_value_each(request.tune.sizes); !fine) {
    return fine.error().within("--size");
  }
  for (const std::string& text : request.tune.sizes) {
    const Result<std::pair<std::string, std::int64_t>> given = parse_size(text, "--size");
    if (!given) return given.error();
    for (formula::Names& size : spec->sizes) {
      if (!size.contains(given->first)) {
        return Error{fmt::format("--size: {} has no problem size '{}'", input, given->first),
                     Exit::kUsage};
      }
      size[given->first] = given->second;
    }
  }
  return spec;
}

Result<model::SizePlan> planned(const SaturateRequest& request, const Spec& spec) {
  model::PlanOptions options;
  if (!request.vary.empty()) {
    const Result<model::SizeRange> range = model::parse_size_range(request.vary);
    if (!range) return range.error().within("--vary");
    options.vary = *range;
  }
  if (!request.target.empty()) {
    const Result<std::pair<std::string, std::int64_t>> target =
        parse_size(request.target, "--target");
    if (!target) return target.error();
    options.target = *target;
  }
  return model::plan_sizes(spec, options);
}

struct AllCurves {
  explicit AllCurves(const SaturatedKernel& kernel) {
    for (const SaturatedConfiguration& configuration : kernel.configurations) {
      samples.push_back(configuration.samples);
      found.push_back(configuration.found);
    }
  }

  std::vector<std::vector<SizeSample>> samples;
  std::vector<model::Saturation> found;
};

// Measures the curves of one request.
class Curves {
 public:
  Curves(const SaturateRequest& request, const Progress& progress, Spec& spec,
         model::SizePlan& plan, model::WorkUnits work, SaturatedKernel& result)
      : request_(request),
        progress_(progress),
        spec_(spec),
        plan_(plan),
        work_(std::move(work)),
        result_(result) {}

  Result<void> run() {
    spec_.sizes = plan_.sizes;
    Result<std::unique_ptr<MeasuredSizes>> opened = MeasuredSizes::open(request_.tune, spec_);
    if (!opened) return opened.error();
    sizes_ = std::move(*opened);
    if (!sizes_->device().note.empty()) result_.notes.push_back(sizes_->device().note);
    const std::size_t last = plan_.sizes.size() - 1;
    Result<tune::Space> space = space_of(spec_, last);
    if (!space) return space.error();
    space_ = std::move(*space);
    Result<tune::Point> base = model::default_point(spec_, plan_.sizes[last], space_);
    if (!base) return base.error();
    if (!request_.config.empty()) {
      base = model::changed_point(space_, *base, request_.config);
      if (!base) return base.error().within("--config");
    }
    for (std::size_t i = 0; i <= last; ++i) {
      if (Result<void> fits = sizes_->check_memory(i, *base); !fits) {
        return Error{fits.error().message + "; choose smaller sizes with --vary or --target",
                     fits.error().exit};
      }
    }
    if (Result<void> moved = move_to_whole_waves(*base); !moved) return moved;
    if (Result<void> done = describe_target(*base); !done) return done;
    if (Result<void> done = measure_curve(1, *base); !done) return done;
    for (const model::CoarsenedPoint& variant : variants(*base)) {
      if (interrupted()) break;
      if (Result<void> done = measure_curve(variant.factor, variant.point); !done) return done;
    }
    progress_.done();
    result_.device = sizes_->model();
    result_.l2_bytes = sizes_->l2_bytes();
    if (result_.msp()) return {};
    // Why there is no plateau is worth a prediction, not a failure.
    const Result<std::optional<SaturationLimit>> limit = sizes_->limit_of(last, *base);
    if (limit) result_.limit = *limit;
    return {};
  }

 private:
  bool interrupted() const { return request_.tune.interrupted && request_.tune.interrupted(); }

  std::vector<model::CoarsenedPoint> variants(const tune::Point& base) const {
    if (request_.coarsenings == Coarsenings::kNone) return {};
    std::vector<model::CoarsenedPoint> points = model::coarsened_points(space_, base);
    std::erase_if(points, [&](const model::CoarsenedPoint& p) { return p.point == base; });
    if (request_.coarsenings == Coarsenings::kLargest && points.size() > 1) {
      points.erase(points.begin(), points.end() - 1);
    }
    return points;
  }

  // All sizes but the target, which is what the user says.
  Result<void> move_to_whole_waves(const tune::Point& base) {
    const bool wanted =
        request_.whole_waves.value_or(spec_.saturation && spec_.saturation->whole_waves);
    if (!wanted) return {};
    const Result<std::uint64_t> wave = sizes_->wave_of(plan_.sizes.size() - 1, base);
    if (!wave) return wave.error();
    if (*wave == 0) {
      result_.notes.push_back(
          "whole waves: the number of blocks that the device holds is not known, so sizes stay as "
          "they are");
      return {};
    }
    for (std::size_t i = 0; i + 1 < plan_.sizes.size(); ++i) {
      formula::Names size = plan_.sizes[i];
      const model::BlocksOf blocks_of = [&](std::int64_t value) -> std::optional<std::uint64_t> {
        size[plan_.varied] = value;
        const Result<tune::Configuration> there = tune::configure(spec_, size, space_, base);
        if (!there) return std::nullopt;
        return there->steps.front().launch.grid.total();
      };
      const std::int64_t moved = model::whole_wave_size(plan_.value(i), *wave, blocks_of);
      if (moved >= plan_.value(plan_.sizes.size() - 1)) continue;
      plan_.sizes[i][plan_.varied] = moved;
    }
    spec_.sizes = plan_.sizes;
    return {};
  }

  Result<double> work_at(std::size_t size, const tune::Point& point) const {
    const Result<formula::Names> names = tune::names_of(spec_, plan_.sizes[size], space_, point);
    if (!names) return names.error().within(spec_.path);
    const Result<double> work = work_.at(*names);
    if (!work) return work.error().within(spec_.path);
    return work;
  }

  Result<void> describe_target(const tune::Point& base) {
    const std::size_t last = plan_.sizes.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
      const Result<double> work = work_at(i, base);
      if (!work) return work.error();
      result_.sizes.push_back({.size = static_cast<double>(plan_.value(i)), .work = *work});
    }
    result_.target = plan_.value(last);
    result_.target_size = plan_.sizes[last];
    result_.target_work = result_.sizes.back().work;
    return {};
  }

  model::SaturationOptions options_for(const SaturatedConfiguration& curve,
                                       double target_bytes) const {
    model::SaturationOptions options{.threshold = request_.threshold,
                                     .target = {.size = static_cast<double>(result_.target),
                                                .work = result_.target_work,
                                                .working_set_bytes = target_bytes},
                                     .l2_bytes = sizes_->l2_bytes(),
                                     .warm = request_.tune.warm};
    if (curve.samples.empty()) return options;
    // The largest size stands for the target's hit rate if it is on the same side of L2.
    const SizeSample& largest = curve.samples.back();
    const bool same_side =
        (largest.working_set_bytes > options.l2_bytes) == (target_bytes > options.l2_bytes);
    if (same_side) options.target.l2_hit_rate = largest.l2_hit_rate;
    return options;
  }

  Result<void> measure_curve(std::int64_t factor, const tune::Point& point) {
    SaturatedConfiguration curve{.coarsening = model::thread_coarsening(space_, point),
                                 .configuration = words_of_point(space_, point)};
    const std::size_t count = plan_.sizes.size();
    const Result<double> bytes = sizes_->working_set(count - 1, point);
    if (!bytes) return bytes.error();
    const double target_bytes = *bytes;
    for (std::size_t i = 0; i < count && !interrupted(); ++i) {
      progress_.step(
          factor == 1 ? "problem size" : fmt::format("coarsened {}×, problem size", factor), i + 1,
          count);
      Result<double> work = work_at(i, point);
      if (!work) return work.error();
      Result<SizeSample> sample = sizes_->measure(i, point);
      if (!sample) {
        const std::string where = tune::describe(plan_.sizes[i]);
        // A configuration that never runs is an error; one size that fails is not.
        if (i + 1 == count && curve.samples.empty()) return sample.error().within(where);
        result_.notes.push_back(
            fmt::format("{} ({}): {}", where, curve.configuration, sample.error().message));
        continue;
      }
      sample->size = static_cast<double>(plan_.value(i));
      sample->work = *work;
      curve.samples.push_back(*sample);
      if (!request_.all_sizes &&
          model::is_settled(curve.samples, options_for(curve, target_bytes))) {
        break;
      }
    }
    curve.found = model::find_saturation(curve.samples, options_for(curve, target_bytes));
    result_.configurations.push_back(std::move(curve));
    return {};
  }

  const SaturateRequest& request_;
  const Progress& progress_;
  Spec& spec_;
  model::SizePlan& plan_;
  model::WorkUnits work_;
  SaturatedKernel& result_;
  std::unique_ptr<MeasuredSizes> sizes_;
  tune::Space space_;
};

}  // namespace

std::optional<Coarsenings> parse_coarsenings(std::string_view text) {
  if (text == "none") return Coarsenings::kNone;
  if (text == "largest") return Coarsenings::kLargest;
  if (text == "all") return Coarsenings::kAll;
  return std::nullopt;
}

std::optional<std::int64_t> SaturatedKernel::msp() const {
  const AllCurves all(*this);
  const std::optional<double> size = model::common_msp(all.samples, all.found);
  if (!size) return std::nullopt;
  return static_cast<std::int64_t>(*size);
}

std::optional<std::int64_t> SaturatedKernel::start(const model::LadderOptions& options) const {
  const AllCurves all(*this);
  const std::optional<double> size = model::ladder_start(all.samples, all.found, options);
  if (!size) return std::nullopt;
  return static_cast<std::int64_t>(*size);
}

formula::Names SaturatedKernel::size_at(std::int64_t value) const {
  formula::Names size = target_size;
  size[varied] = value;
  return size;
}

double SaturatedKernel::kernel_time_us() const {
  double sum = 0;
  for (const SaturatedConfiguration& configuration : configurations) {
    for (const SizeSample& sample : configuration.samples) sum += sample.kernel_time_us;
  }
  return sum;
}

Result<SaturatedKernel> saturate_kernel(const SaturateRequest& request, const Progress& progress) {
  if (request.tune.device.starts_with(kReplayDevice)) {
    return Error{
        "--device: a recorded space has one problem size; bench/saturation.py compares "
        "several",
        Exit::kUsage};
  }
  if (!request.svg.empty()) {
    const Result<void> fine =
        check_output({.option = "--svg", .path = request.svg, .content = FileContent::kText},
                     {request.tune.input}, request.tune.force);
    if (!fine) return fine.error();
  }
  Result<Spec> spec = read_spec(request);
  if (!spec) return spec.error();
  Result<model::SizePlan> plan = planned(request, *spec);
  if (!plan) return plan.error();
  Result<model::WorkUnits> work = model::WorkUnits::of(*spec, request.work, plan->varied);
  if (!work) return work.error();
  SaturatedKernel result;
  result.kernel = spec->launches.front().kernel;
  result.warm = request.tune.warm;
  result.varied = plan->varied;
  result.work = work->text();
  result.unit = work->unit();
  result.threshold = request.threshold;
  if (work->is_assumed()) {
    result.notes.push_back(fmt::format(
        "the units of work are taken to be {}: give them in [saturation] work or with --work",
        plan->varied));
  }
  Curves curves(request, progress, *spec, *plan, std::move(*work), result);
  if (Result<void> done = curves.run(); !done) return done.error();
  return result;
}

}  // namespace burin::jobs
