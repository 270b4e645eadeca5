// `burin explain FILE`: which resource limits a launch, latency or throughput, where in the kernel,
// and what if it were otherwise.
#include "analyze/explain.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/launch_on_machine.h"
#include "app/predict_options.h"
#include "base/format.h"
#include "base/timings.h"
#include "launch/number.h"
#include "report/explain.h"
#include "report/numbers.h"

namespace burin {
namespace {

struct ExplainCommand {
  PredictCommand predict;
  std::string step;
  std::vector<std::string> regions;
  std::vector<std::string> what_ifs;
  bool no_regions = false;
  bool ladder = false;
  bool all = false;
};

// "10", "10 %" or "-5": percent, not 0.
Result<double> parse_step(std::string text) {
  std::string_view digits = text;
  if (digits.ends_with('%')) digits.remove_suffix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const std::optional<double> percent = parse_real<double>(digits);
  if (!percent || !(*percent > -90 && *percent <= 1000) || std::abs(*percent) < 0.5) {
    return Error{fmt::format("--step: expected a percentage such as 10, above -90, at most 1000 "
                             "and not within 0.5 of 0, not '{}'",
                             text),
                 Exit::kUsage};
  }
  return *percent / 100;
}

Result<ExplainOptions> parse_options(const ExplainCommand& command) {
  ExplainOptions options;
  Result<PredictOptions> predict = parse_predict_options(command.predict);
  if (!predict) return predict.error();
  options.predict = std::move(*predict);
  if (!command.step.empty()) {
    const Result<double> step = parse_step(command.step);
    if (!step) return step.error();
    options.step = *step;
  }
  auto regions = parse_each<RegionLines>("--region", command.regions, parse_region);
  if (!regions) return regions.error();
  options.regions = std::move(*regions);
  options.split = !command.no_regions;
  options.what_ifs = command.what_ifs;
  options.ladder = command.ladder;
  return options;
}

// What the launch took on the GPU that the capture was recorded on.
void write_recorded(Output& out, const CapturedFacts& captured) {
  if (!captured.launch.duration_ns) return;
  const double time_us = static_cast<double>(*captured.launch.duration_ns) / 1000;
  out.put("\nrecorded      ", time_text(time_us), " by launch ", captured.launch.id, " of ",
          captured.file, captured.gpu ? " on " + captured.gpu->name : "", '\n');
}

Result<Exit> run_explain(const ExplainCommand& command, Context& context) {
  if (const Result<void> all = complete(command.predict.launch, "explain"); !all)
    return all.error();
  const Result<ExplainOptions> options = parse_options(command);
  if (!options) return options.error();
  const Result<LaunchOnMachine> loaded = load_on_machine(command.predict, context);
  if (!loaded) return loaded.error();
  const ChosenKernel& chosen = *loaded->launch.loaded;
  Result<Explanation> why = [&] {
    const Timed timed("explain");
    return explain(chosen.kernel, loaded->launch.launch, loaded->machine, *options);
  }();
  if (!why) return why.error().within(chosen.function().demangled);
  const std::optional<CapturedFacts>& captured = loaded->launch.captured;
  if (captured) std::ranges::copy(captured->notes, std::back_inserter(why->prediction.notes));
  const ExplainReport report{.kernel = chosen.kernel,
                             .launch = loaded->launch.launch,
                             .machine = loaded->machine,
                             .options = *options,
                             .explanation = *why,
                             .machine_assumed = loaded->machine_assumed,
                             .all = command.all};
  if (context.json) {
    Json json(context.out);
    write_explanation_json(json, report, command.predict.launch.source.file);
  } else {
    write_explanation(context.out, report);
    if (captured) write_recorded(context.out, *captured);
  }
  return Exit::kDone;
}

}  // namespace

void add_explain(Commands& commands) {
  auto command = std::make_shared<ExplainCommand>();
  CLI::App& app = commands.add(
      "explain", "Finds the bottlenecks of a launch, where they are, and what-if times",
      "  burin explain saxpy.cu --grid 4096 --block 256 --arg i32:1048576 --arg f32:2 \\\n    "
      "--arg buf:4M:f32 --arg buf:4M:f32 --machine h200\n  burin explain a.out --kernel transpose "
      "--grid 256,256 --block 32,8 \\\n    --arg buf:256M:f32 --arg buf:256M:undef --arg i32:8192 "
      "\\\n    --region load=transpose.cu:11-12 --region store=transpose.cu:14-15\n  burin explain "
      "a.out --kernel transpose … --what-if dram.bandwidth=2x \\\n    --what-if shared.latency=10 "
      "--what-if sm.count=66 --what-if block=32,16\n\nFILE, launch and arguments are as for burin "
      "predict. docs/explain.md is a tutorial and lists\nall what-if parameters.",
      [command](Context& context) { return run_explain(*command, context); });
  add_predict_options(app, command->predict);
  for (const char* name : {"--model", "--device"}) app.remove_option(app.get_option(name));
  app.add_option("--step", command->step,
                 "Slow each resource down by this many percent (default: 10); negative: speed up")
      ->type_name("PERCENT");
  add_repeated(app, "--region", command->regions, "NAME=[FILE:]LINE[-LINE]",
               "Split sensitivities by these source lines instead of loops and blocks");
  app.add_flag("--no-regions", command->no_regions, "Do not split sensitivities by region: faster");
  add_repeated(app, "--what-if", command->what_ifs, "NAME=VALUE",
               "Predict with this change: RESOURCE.latency=2x, dram.bandwidth=2x, sm.count=66, "
               "block=128, registers=64, shared=BYTES, machine=NAME; join several with +");
  app.add_flag("--ladder", command->ladder, "Predict the time for each number of blocks per SM");
  app.add_flag("--all", command->all, "Show all rows, not only the significant ones");
}

}  // namespace burin
