// Tunes recorded kernels at small problem sizes and compares with tuning at the target, for
// bench/saturation.py; one line of JSON for each kernel:
//
//   bench_saturation_score --spaces FOLDER [--threshold 0.1] [--start 0.2] [--step 3]
//                          [--finalists 5] [--all-sizes] SPEC…
//
// FOLDER has a file NAME.SIZE.json.gz for each problem size of NAME.toml, as `burin tune --export
// t4=NAME.json.gz` writes them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include "base/format.h"
#include "base/text.h"
#include "launch/number.h"
#include "model/saturate/ladder.h"
#include "model/saturate/plan.h"
#include "model/saturate/savings.h"
#include "tune/configuration.h"
#include "tune/formats/recorded_space.h"
#include "tune/formats/toml_spec.h"
#include "tune/space/build_space.h"

using namespace burin;
using model::SizeSample;

namespace {

struct Options {
  std::string spaces;
  std::vector<std::string> specs;
  double threshold = model::kDefaultThreshold;
  model::LadderOptions ladder{};
  bool all_sizes = false;  // run the whole curve, as the paper does
};

int refuse(const std::string& message) {
  fmt::print(stderr, "bench_saturation_score: {}\n", message);
  return 3;
}

// n_1024_m_64, as `burin tune --export` names files of several sizes.
std::string file_part(const formula::Names& size) {
  std::string name;
  for (const auto& [key, value] : size) {
    name += fmt::format("{}{}_{}", name.empty() ? "" : "_", key, formula::plain_text(value));
  }
  return name;
}

// A configuration as text, the same for all sizes.
std::string key_of(const tune::Space& space, const tune::Point& point) {
  std::map<std::string, std::string> values;
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    values[space.parameters()[i].name] = formula::plain_text(space.value(point, i));
  }
  std::string text;
  for (const auto& [name, value] : values) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

// A kernel with its times of all configurations at all sizes.
struct RecordedKernel {
  std::string name;
  std::vector<double> sizes;  // ascending; the last one is the target
  std::vector<double> work;
  std::vector<double> bytes;                                    // of all buffers
  std::vector<std::map<std::string, double>> times_us;          // by size: configuration, time
  std::string base;                                             // configuration
  std::vector<std::pair<std::int64_t, std::string>> coarsened;  // factor, configuration
};

Result<RecordedKernel> read_kernel(const std::string& path, const Options& options) {
  Result<tune::Spec> spec = tune::read_toml_spec(path);
  if (!spec) return spec.error();
  Result<model::SizePlan> plan = model::plan_sizes(*spec, {});
  if (!plan) return plan.error();
  RecordedKernel kernel;
  kernel.name = std::filesystem::path(path).stem().string();
  const Result<model::WorkUnits> work = model::WorkUnits::of(*spec, std::nullopt, plan->varied);
  if (!work) return work.error();
  // Sizes that were not recorded are left out: the largest recorded one is the target.
  std::vector<std::string> files;
  std::vector<formula::Names> sizes;
  for (const formula::Names& size : plan->sizes) {
    const std::string stem =
        fmt::format("{}/{}.{}.json", options.spaces, kernel.name, file_part(size));
    for (const std::string& file : {stem + ".gz", stem}) {
      if (!std::filesystem::exists(file)) continue;
      files.push_back(file);
      sizes.push_back(size);
      break;
    }
  }
  if (sizes.size() < 2) return Error{fmt::format("{}: fewer than two recorded sizes", kernel.name)};
  spec->sizes = plan->sizes = sizes;
  const Result<tune::Space> space = tune::build_space(
      spec->tunables, tune::space_restrictions(*spec), sizes.back(), spec->derived);
  if (!space) return space.error();
  const Result<tune::Point> base = model::default_point(*spec, sizes.back(), *space);
  if (!base) return base.error();
  kernel.base = key_of(*space, *base);
  for (const model::CoarsenedPoint& point : model::coarsened_points(*space, *base)) {
    kernel.coarsened.emplace_back(point.factor, key_of(*space, point.point));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Result<formula::Names> names = tune::names_of(*spec, sizes[i], *space, *base);
    if (!names) return names.error();
    const Result<double> units = work->at(*names);
    if (!units) return units.error();
    kernel.work.push_back(*units);
    kernel.sizes.push_back(static_cast<double>(plan->value(i)));
    const Result<tune::Configuration> configured = tune::configure(*spec, sizes[i], *space, *base);
    if (!configured) return configured.error();
    double bytes = 0;
    for (const launch::Argument& argument : configured->steps.front().launch.arguments) {
      if (const launch::Buffer* buffer = argument.buffer()) {
        bytes += static_cast<double>(buffer->size);
      }
    }
    kernel.bytes.push_back(bytes);
    const Result<tune::RecordedSpace> recorded = tune::read_recorded_space(files[i]);
    if (!recorded) return recorded.error();
    std::map<std::string, double> times;
    for (std::size_t p = 0; p < recorded->points.size(); ++p) {
      if (recorded->points[p].status != tune::Status::kOk) continue;
      times[key_of(recorded->space, recorded->space.at(p))] = recorded->points[p].time_us;
    }
    kernel.times_us.push_back(std::move(times));
  }
  if (!kernel.times_us.back().contains(kernel.base)) {
    return Error{fmt::format("{}: the base configuration {} was not recorded at the target",
                             kernel.name, kernel.base)};
  }
  return kernel;
}

double time_at(const RecordedKernel& kernel, std::size_t size, const std::string& key) {
  const auto found = kernel.times_us[size].find(key);
  return found == kernel.times_us[size].end() ? HUGE_VAL : found->second;
}

double sum_at(const RecordedKernel& kernel, std::size_t size) {
  double sum = 0;
  for (const auto& [key, time] : kernel.times_us[size]) sum += time;
  return sum;
}

std::string best_at(const RecordedKernel& kernel, std::size_t size) {
  const auto best =
      std::ranges::min_element(kernel.times_us[size], {}, [](const auto& e) { return e.second; });
  return best->first;
}

// The curve of a configuration, as far as the rule runs it, and what it cost.
struct RunCurve {
  std::vector<SizeSample> samples;
  model::Saturation found;
  double cost_us = 0;
};

RunCurve run_curve(const RecordedKernel& kernel, const std::string& key, const Options& options) {
  RunCurve curve;
  const std::size_t last = kernel.sizes.size() - 1;
  const model::SaturationOptions rule{.threshold = options.threshold,
                                      .target = {.size = kernel.sizes[last],
                                                 .work = kernel.work[last],
                                                 .working_set_bytes = kernel.bytes[last]},
                                      .l2_bytes = 60.0 * 1024 * 1024};
  for (std::size_t i = 0; i <= last; ++i) {
    const double time = time_at(kernel, i, key);
    if (!std::isfinite(time)) continue;
    curve.samples.push_back({.size = kernel.sizes[i],
                             .work = kernel.work[i],
                             .time_us = time,
                             .working_set_bytes = kernel.bytes[i],
                             .kernel_time_us = time});
    curve.cost_us += time;
    if (!options.all_sizes && model::is_settled(curve.samples, rule)) break;
  }
  curve.found = model::find_saturation(curve.samples, rule);
  return curve;
}

struct Outcome {
  std::size_t size = 0;  // where the search ran or began
  std::string winner;
  model::Savings savings{};
};

// The paper: the curve of the default over all sizes, the smallest within the threshold of the
// maximum, every configuration there, and its winner as it is.
Outcome plain_rule(const RecordedKernel& kernel, const Options& options) {
  Options all = options;
  all.all_sizes = true;
  const RunCurve curve = run_curve(kernel, kernel.base, all);
  const double msp = curve.samples[model::plain_msp(curve.samples, options.threshold)].size;
  Outcome outcome;
  while (kernel.sizes[outcome.size] < msp) ++outcome.size;
  outcome.winner = best_at(kernel, outcome.size);
  outcome.savings = {.target_us = sum_at(kernel, kernel.sizes.size() - 1),
                     .tuning_us = sum_at(kernel, outcome.size),
                     .curve_us = curve.cost_us};
  return outcome;
}

// burin: the ladder from where default and largest coarsening are about saturated to the target.
Outcome ladder_rule(const RecordedKernel& kernel, const Options& options) {
  const std::size_t last = kernel.sizes.size() - 1;
  std::vector<std::string> keys{kernel.base};
  if (!kernel.coarsened.empty()) keys.push_back(kernel.coarsened.back().second);
  std::vector<std::vector<SizeSample>> samples;
  std::vector<model::Saturation> found;
  Outcome outcome;
  outcome.savings.target_us = sum_at(kernel, last);
  for (const std::string& key : keys) {
    RunCurve curve = run_curve(kernel, key, options);
    if (curve.samples.empty()) continue;
    outcome.savings.curve_us += curve.cost_us;
    samples.push_back(std::move(curve.samples));
    found.push_back(std::move(curve.found));
  }
  const double start =
      model::ladder_start(samples, found, options.ladder).value_or(kernel.sizes[last]);
  std::vector<SizeSample> sizes;
  for (std::size_t i = 0; i <= last; ++i) {
    sizes.push_back({.size = kernel.sizes[i], .work = kernel.work[i]});
  }
  while (kernel.sizes[outcome.size] < start) ++outcome.size;
  const std::vector<model::Rung> rungs =
      model::plan_ladder(model::times_over_sizes(sizes, samples.front(), found.front().fit),
                         outcome.size, kernel.times_us[last].size(), options.ladder);
  outcome.size = rungs.front().size;
  std::vector<std::string> alive;
  for (const auto& [key, time] : kernel.times_us[outcome.size]) alive.push_back(key);
  std::map<std::string, model::Climb> climbs;
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    const std::size_t size = rungs[r].size;
    std::vector<model::Climb> tried;
    double& cost = size == last ? outcome.savings.verification_us : outcome.savings.tuning_us;
    for (const std::string& key : alive) {
      const double time = time_at(kernel, size, key);
      model::Climb& climb = climbs[key];
      if (std::isfinite(time)) {
        cost += time;
        climb.rungs.push_back({.work = kernel.work[size], .time_us = time});
      } else {
        climb.rungs.clear();
      }
      tried.push_back(climb);
    }
    const std::size_t keep = r + 1 < rungs.size() ? rungs[r + 1].configurations : 1;
    std::vector<std::string> kept;
    for (const std::size_t i : model::choose_survivors(tried, kernel.work[last], keep)) {
      kept.push_back(alive[i]);
    }
    alive = std::move(kept);
  }
  if (!alive.empty()) outcome.winner = alive.front();
  return outcome;
}

std::string quoted(const std::string& text) {
  return fmt::format("\"{}\"", text);
}

std::string outcome_json(const RecordedKernel& kernel, const Outcome& outcome) {
  const std::size_t last = kernel.sizes.size() - 1;
  const double best = time_at(kernel, last, best_at(kernel, last));
  const double time = time_at(kernel, last, outcome.winner);
  return fmt::format(
      "{{\"size\": {:.0f}, \"winner\": {}, \"kept\": {:.4f}, \"saved\": {:.3f}, "
      "\"saved_formula_2\": "
      "{:.3f}, \"curve\": {:.5f}, \"tuning\": {:.5f}, \"verification\": {:.5f}}}",
      kernel.sizes[outcome.size], quoted(outcome.winner), std::isfinite(time) ? best / time : 0,
      outcome.savings.speedup(), outcome.savings.paper_speedup(),
      outcome.savings.curve_us / outcome.savings.target_us,
      outcome.savings.tuning_us / outcome.savings.target_us,
      outcome.savings.verification_us / outcome.savings.target_us);
}

void print_kernel(const RecordedKernel& kernel, const Options& options) {
  const std::size_t last = kernel.sizes.size() - 1;
  const double best = time_at(kernel, last, best_at(kernel, last));
  Options whole = options;
  whole.all_sizes = true;
  const RunCurve curve = run_curve(kernel, kernel.base, whole);
  std::string sizes;
  for (std::size_t i = 0; i <= last; ++i) {
    std::string factors;
    for (const auto& [factor, key] : kernel.coarsened) {
      const double time = time_at(kernel, i, key);
      if (!std::isfinite(time)) continue;
      factors += fmt::format("{}\"{}\": {:.6g}", factors.empty() ? "" : ", ", factor,
                             kernel.work[i] / time * 1e6);
    }
    const std::string winner = best_at(kernel, i);
    sizes += fmt::format(
        "{}{{\"size\": {:.0f}, \"work\": {:.6g}, \"throughput\": {:.6g}, \"factors\": {{{}}}, "
        "\"winner\": {}, \"winner_at_target\": {:.4f}, \"sum_us\": {:.6g}}}",
        sizes.empty() ? "" : ", ", kernel.sizes[i], kernel.work[i],
        kernel.work[i] / time_at(kernel, i, kernel.base) * 1e6, factors, quoted(winner),
        best / time_at(kernel, last, winner), sum_at(kernel, i));
  }
  const std::string msp =
      curve.found.msp ? fmt::format("{:.0f}", curve.samples[*curve.found.msp].size) : "null";
  fmt::print(
      "{{\"kernel\": \"{}\", \"configurations\": {}, \"base\": {}, \"best\": {}, \"gain\": {:.4f}, "
      "\"saturation_point\": {}, \"reason\": {}, \"plain\": {}, \"ladder\": {}, \"sizes\": "
      "[{}]}}\n",
      kernel.name, kernel.times_us[last].size(), quoted(kernel.base), quoted(best_at(kernel, last)),
      time_at(kernel, last, kernel.base) / best, msp, quoted(curve.found.reason),
      outcome_json(kernel, plain_rule(kernel, options)),
      outcome_json(kernel, ladder_rule(kernel, options)), sizes);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    const auto number = [&] { return launch::parse_real<double>(value).value_or(-1); };
    if (word == "--spaces") {
      options.spaces = value;
    } else if (word == "--threshold") {
      options.threshold = number();
    } else if (word == "--start") {
      options.ladder.start_share = number();
    } else if (word == "--step") {
      options.ladder.step = number();
    } else if (word == "--finalists") {
      options.ladder.finalists = static_cast<std::size_t>(number());
    } else if (word == "--all-sizes") {
      options.all_sizes = true;
      continue;
    } else if (word.starts_with("--")) {
      return refuse("unknown option " + word);
    } else {
      options.specs.push_back(word);
      continue;
    }
    ++i;
  }
  if (options.spaces.empty() || options.specs.empty()) return refuse("name --spaces and specs");
  for (const std::string& spec : options.specs) {
    const Result<RecordedKernel> kernel = read_kernel(spec, options);
    if (!kernel) return refuse(kernel.error().message);
    print_kernel(*kernel, options);
  }
  return 0;
}
