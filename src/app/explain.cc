// `burin explain FILE`: which resource limits a launch, latency or throughput, where in the kernel,
// and what if it were otherwise.
#include "report/launch/explain.h"

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/launch_pictures.h"
#include "app/options/html_option.h"
#include "app/options/launch_options.h"
#include "app/options/option_values.h"
#include "app/options/predict_options.h"
#include "jobs/explain_launch.h"
#include "report/launch/device_run.h"

namespace burin::app {
namespace {

struct ExplainCommand {
  jobs::ExplainRequest request;
  bool all = false;
  PictureOptions pictures;
};

Result<Exit> run_explain(const ExplainCommand& command, Context& context) {
  if (Result<void> fine = check(command.pictures, jobs::input_files(command.request.predict));
      !fine) {
    return fine.error();
  }
  jobs::ExplainRequest request = command.request;
  if (command.pictures.wanted()) request.predict.timeline_intervals = kTimelineIntervals;
  const Result<std::unique_ptr<jobs::ExplainedLaunch>> explained =
      jobs::explain_launch(request, context.progress());
  if (!explained) return explained.error();
  if (Result<void> done =
          write_pictures(command.pictures, **explained, command.request.predict.launch.source.file);
      !done) {
    return done.error();
  }
  const jobs::LaunchOnMachine& on = (*explained)->on;
  const report::ExplainReport report{.kernel = on.launch.loaded->kernel,
                                     .launch = on.launch.launch,
                                     .machine = on.machine,
                                     .options = (*explained)->options,
                                     .explanation = (*explained)->explanation,
                                     .machine_assumed = on.machine_assumed,
                                     .all = command.all};
  if (context.json) {
    report::Json json(context.out);
    report::write_explanation_json(json, report, command.request.predict.launch.source.file);
  } else {
    report::write_explanation(context.out, report);
    if (on.launch.captured && on.launch.captured->recorded_us()) {
      context.out.put('\n');
      report::write_recorded(context.out, *on.launch.captured);
    }
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
  add_predict_options(app, command->request.predict);
  app.remove_option(app.get_option("--device"));
  app.add_option("--step", command->request.step,
                 "Slow each resource down by this many percent (default: 20); negative: speed up")
      ->type_name("PERCENT");
  add_whole(app, "--seed", command->request.seed, 0, std::numeric_limits<std::uint32_t>::max(),
            "Another sample of the noise from warp ordering, which shares and what-ifs are "
            "averaged over (default: 0)");
  add_repeated(app, "--region", command->request.regions, "NAME=[FILE:]LINE[-LINE]",
               "Split sensitivities by these source lines instead of loops and blocks");
  app.add_flag("--no-regions", command->request.no_regions,
               "Do not split sensitivities by region: faster");
  add_repeated(app, "--what-if", command->request.what_ifs, "NAME=VALUE",
               "Predict with this change: RESOURCE.latency=2x, dram.bandwidth=2x, sm.count=66, "
               "block=128, registers=64, shared=BYTES, machine=NAME; join several with +");
  app.add_flag("--ladder", command->request.ladder,
               "Predict the time for each number of blocks per SM");
  app.add_flag("--all", command->all, "Show all rows, not only the significant ones");
  add_html_option(app, command->pictures);
  add_trace_option(app, command->pictures);
}

}  // namespace burin::app
