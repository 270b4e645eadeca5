#include "jobs/explain_launch.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "base/format.h"
#include "base/timings.h"
#include "jobs/input/keyed_options.h"
#include "launch/number.h"

namespace burin::jobs {
namespace {

// "10", "10 %" or "-5": percent, not 0.
Result<double> parse_step(std::string text) {
  std::string_view digits = text;
  if (digits.ends_with('%')) digits.remove_suffix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const std::optional<double> percent = launch::parse_real<double>(digits);
  if (!percent || !(*percent > -90 && *percent <= 1000) || std::abs(*percent) < 0.5) {
    return Error{fmt::format("--step: expected a percentage such as 20, above -90, at most 1000 "
                             "and not within 0.5 of 0, not '{}'",
                             text),
                 Exit::kUsage};
  }
  return *percent / 100;
}

Result<analyze::ExplainOptions> parse_options(const ExplainRequest& command) {
  analyze::ExplainOptions options;
  Result<timing::PredictOptions> predict = parse_predict_options(command.predict);
  if (!predict) return predict.error();
  options.predict = std::move(*predict);
  options.predict.seed = command.seed;
  if (!command.step.empty()) {
    const Result<double> step = parse_step(command.step);
    if (!step) return step.error();
    options.step = *step;
  }
  auto regions =
      parse_each_key<analyze::RegionLines>("--region", command.regions, analyze::parse_region);
  if (!regions) return regions.error();
  options.regions = std::move(*regions);
  options.split = !command.no_regions;
  options.what_ifs = command.what_ifs;
  options.ladder = command.ladder;
  return options;
}

}  // namespace

Result<std::unique_ptr<ExplainedLaunch>> explain_launch(const ExplainRequest& request,
                                                        const Progress& progress) {
  if (const Result<void> all = complete(request.predict.launch, "explain"); !all)
    return all.error();
  auto explained = std::make_unique<ExplainedLaunch>();
  Result<analyze::ExplainOptions> options = parse_options(request);
  if (!options) return options.error();
  explained->options = std::move(*options);
  Result<LaunchOnMachine> loaded = load_on_machine(request.predict, progress);
  if (!loaded) return loaded.error();
  explained->on = std::move(*loaded);
  const LoadedLaunch& launch = explained->on.launch;
  const ChosenKernel& chosen = *launch.loaded;
  explained->options.predict.heartbeat = heartbeat_of(progress);
  Result<analyze::Explanation> why = [&] {
    const Timed timed("explain");
    return analyze::explain(chosen.kernel, launch.launch, explained->on.machine,
                            explained->options);
  }();
  explained->options.predict.heartbeat = {};  // the caller's function may not outlive this call
  progress.done();
  if (!why) return why.error().within(chosen.function().demangled);
  if (launch.captured) {
    std::ranges::copy(launch.captured->notes, std::back_inserter(why->prediction.notes));
  }
  explained->explanation = std::move(*why);
  return explained;
}

}  // namespace burin::jobs
