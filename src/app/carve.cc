// `burin carve SPEC`: the configurations that are worth trying.
#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli.h"
#include "app/option_values.h"
#include "base/format.h"
#include "jobs/carve/carve_space.h"

namespace burin::app {
namespace {

Result<Exit> run_carve(jobs::CarveRequest& request, Context& context) {
  const Result<jobs::CarvedSpace> carved = jobs::carve_space(request, context.progress());
  if (!carved) return carved.error();
  for (const jobs::CarvedSize& size : carved->sizes) {
    const bool all = size.counted.size() == size.space.size();
    context.out.put(fmt::format("{} of {} configurations counted{}\n", size.counted.size(),
                                size.space.size(), all ? "" : ": stopped, the time was over"));
  }
  return Exit::kDone;
}

}  // namespace

void add_carve(Commands& commands) {
  auto request = std::make_shared<jobs::CarveRequest>();
  CLI::App& app = commands.add(
      "carve", "Finds the configurations that are worth trying", "  burin carve gemm.toml\n",
      [request](Context& context) { return run_carve(*request, context); });
  app.add_option("SPEC", request->input, "Spec (.toml, or T1 .json)")->required();
  app.add_option("--machine", request->machine, "GPU (default: h200)")->type_name("NAME");
  add_repeated(app, "--size", request->sizes, "NAME=NUMBER",
               "Carve for this problem size instead of the spec's");
  app.add_option("--metrics", request->metrics,
                 "Keep what was counted in this file; a later run goes on from it")
      ->type_name("FILE");
  app.add_flag("--predict", request->predict, "Also predict the time of every configuration");
  app.add_flag("--count-only", request->only_count, "Fill the file of --metrics, carve nothing");
  add_whole(app, "--compilers", request->compilers, 0, kMaxThreads,
            "Compiler processes (default: one per core)");
  add_real(app, "--time-limit", request->max_seconds, 0, kMaxSeconds,
           "Compile nothing new after this time")
      ->type_name("SECONDS");
}

}  // namespace burin::app
