// `burin carve SPEC`: the configurations that are worth trying.
#include "report/carve/carve.h"

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <memory>

#include "app/cli.h"
#include "app/options/html_option.h"
#include "app/options/launch_options.h"
#include "app/options/option_values.h"
#include "app/options/output_option.h"
#include "base/format.h"
#include "base/new_file.h"
#include "jobs/carve/carve_space.h"
#include "jobs/input/output_file.h"
#include "launch/one_value.h"

namespace burin::app {
namespace {

struct CarveCommand {
  jobs::CarveRequest request;
  std::string metrics = "modern";
  std::vector<std::string> thresholds;
  std::vector<std::string> trips;
  std::string svg;
  bool all = false;
  PictureOptions pictures;
};

std::atomic<bool> carve_interrupted = false;

// The first Ctrl-C ends compiling; what was counted is in the file.
void on_carve_interrupt(int signal) {
  carve_interrupted = true;
  std::signal(signal, SIG_DFL);
}

Result<void> read_options(CarveCommand& command) {
  jobs::CarveRequest& request = command.request;
  const Result<model::MetricChoice> metrics = jobs::parse_metrics(command.metrics);
  if (!metrics) return metrics.error();
  request.metrics = *metrics;
  if (const Result<void> fine = launch::check_one_value_each(command.trips); !fine) {
    return fine.error().within("--trip");
  }
  for (const std::string& text : command.thresholds) {
    const Result<model::Threshold> threshold = model::parse_threshold(text);
    if (!threshold) return threshold.error().within("--threshold");
    request.thresholds.push_back(*threshold);
  }
  for (const std::string& text : command.trips) {
    const Result<launch::TripCount> trip = launch::parse_trip(text);
    if (!trip) return trip.error().within("--trip");
    request.trips.push_back(*trip);
  }
  if (request.count_only && request.counts.empty()) {
    return Error{"--count-only: name the file with --counts FILE", Exit::kUsage};
  }
  if (Result<void> fine = check(command.pictures, {request.input}); !fine) return fine;
  if (!command.svg.empty()) {
    return jobs::check_output({"--svg", command.svg, jobs::FileContent::kText}, {request.input},
                              command.pictures.force);
  }
  return {};
}

// One plot per problem size: gemm.svg, or gemm.1.svg, gemm.2.svg, …
Result<void> write_plots(const CarveCommand& command, const jobs::CarvedSpace& carved) {
  const std::string& path = command.svg;
  for (std::size_t i = 0; i < carved.sizes.size(); ++i) {
    if (carved.sizes[i].rows.empty()) continue;
    std::string name = path;
    if (carved.sizes.size() > 1) {
      const std::size_t dot = std::min(path.rfind('.'), path.size());
      name = fmt::format("{}.{}{}", path.substr(0, dot), i + 1, path.substr(dot));
    }
    if (name != path) {
      const Result<void> fine = jobs::check_output({"--svg", name, jobs::FileContent::kText},
                                                   {command.request.input}, command.pictures.force);
      if (!fine) return fine;
    }
    const std::string plot = report::carved_svg(carved, carved.sizes[i]);
    Result<NewFile> file = NewFile::create(name);
    if (!file) return file.error();
    const Bytes bytes(reinterpret_cast<const std::uint8_t*>(plot.data()), plot.size());
    if (Result<void> written = file->write(bytes); !written) return written;
    if (Result<void> written = file->finish(); !written) return written;
  }
  return {};
}

Result<Exit> run_carve(CarveCommand& command, Context& context) {
  if (Result<void> fine = read_options(command); !fine) return fine.error();
  std::signal(SIGINT, on_carve_interrupt);
  std::signal(SIGTERM, on_carve_interrupt);
  command.request.interrupted = [] { return carve_interrupted.load(); };
  const jobs::Progress progress = context.progress();
  const Result<jobs::CarvedSpace> carved = jobs::carve_space(command.request, progress);
  progress.done();
  if (!carved) return carved.error();
  if (!command.svg.empty()) {
    if (Result<void> written = write_plots(command, *carved); !written) return written.error();
  }
  const auto write = [&](report::Json& json) { report::write_carved_json(json, *carved, true); };
  if (Result<void> done =
          write_html_of(command.pictures, "carving of " + command.request.input, write);
      !done) {
    return done.error();
  }
  if (context.json) {
    report::Json json(context.out);
    report::write_carved_json(json, *carved, command.all);
    context.out.put('\n');
  } else {
    report::write_carved(context.out, *carved, command.all);
  }
  return Exit::kDone;
}

}  // namespace

void add_carve(Commands& commands) {
  auto command = std::make_shared<CarveCommand>();
  jobs::CarveRequest& request = command->request;
  CLI::App& app = commands.add(
      "carve", "Finds the configurations of a kernel that are worth trying",
      "  burin carve gemm.toml                            what is worth trying on an H200\n"
      "  burin carve gemm.toml --run                      … and measured\n"
      "  burin carve gemm.toml --predict --svg gemm.svg   judged by predicted times, with a plot\n"
      "  burin carve gemm.toml --compile 0.3              compile at most 30 % of the space\n"
      "  burin carve gemm.toml --threshold occupancy=0.25 --threshold spills=0\n"
      "  burin carve gemm.toml --counts gemm.csv --run --device replay:gemm.json.gz --json\n\n"
      "docs/carve.md explains metrics, thresholds and the front.",
      [command](Context& context) { return run_carve(*command, context); });
  app.add_option("SPEC", request.input, "Spec (.toml, or T1 .json) with CUDA source")->required();
  app.add_option("--machine", request.machine, "GPU to count for (default: h200)")
      ->type_name("NAME|FILE");
  add_repeated(app, "--size", request.sizes, "NAME=NUMBER",
               "Carve for this problem size instead of the spec's");
  app.add_option("--metrics", command->metrics,
                 "modern (default), published, or some of weighted,capped,ilp,bytes")
      ->type_name("LIST");
  add_repeated(app, "--threshold", command->thresholds, "NAME=N",
               "Drop configurations beyond it: coalescing, demand, spills, occupancy; Nx is "
               "relative to the best");
  app.add_flag_callback(
      "--uncoalesced", [&request] { request.coalesced = false; },
      "Keep uncoalesced configurations where coalesced ones exist");
  add_real(app, "--keep", request.keep_share, 0, 1,
           "Share of the space to keep at most (default: 0.05; 0.2 below 300 configurations)")
      ->type_name("SHARE");
  add_real(app, "--band", request.band, 0, kMaxSeconds,
           "Also keep configurations that the front beats by up to this share on every axis "
           "(default: 1)")
      ->type_name("SHARE");
  add_whole(app, "--guards", request.guards, 0, 1000,
            "Random picks among those that were pruned (default: 2)");
  add_whole(app, "--seed", request.seed, 0, kNoLimit, "Seed of random choices (default: 0)");
  add_real(app, "--compile", request.compile_share, 0, 1,
           "Compile at most this share of the space; judge the others by their neighbours")
      ->type_name("SHARE");
  app.add_flag("--predict", request.predict, "Also predict the time of every configuration");
  add_repeated(app, "--trip", command->trips, "[FILE:]LINE=N",
               "Iterations of the loop at this line, if its exit condition is unknown");
  app.add_option("--counts", request.counts,
                 "Keep what is counted in this file; a later run goes on from it")
      ->type_name("FILE")
      ->check(output_file());
  app.add_flag("--count-only", request.count_only, "Fill the file of --counts, carve nothing");
  app.add_flag("--run", request.run, "Measure the configurations that are kept");
  app.add_option(
         "--device", request.device,
         "Where to measure: auto (default), cuda:N, opencl:N, emulator:MACHINE, replay:FILE")
      ->type_name("DEVICE");
  app.add_flag("--warm", request.warm, "Time with the buffers in the cache, as far as they fit");
  add_real(app, "--limit", request.limit_seconds, 0.1, kMaxSeconds,
           "Time limit for measuring one configuration (default: 20)")
      ->type_name("SECONDS");
  app.add_option("--svg", command->svg, "Write a plot of the front to this file")
      ->type_name("FILE")
      ->check(output_file());
  app.add_flag("--force", command->pictures.force, "Overwrite existing files of any kind");
  add_html_option(app, command->pictures);
  app.add_flag("--all", command->all, "List every configuration, pruned ones with their reason");
  app.add_option("--compiler", request.compiler, "auto (default), nvrtc or nvcc")
      ->type_name("NAME")
      ->check(one_of({"auto", "nvrtc", "nvcc"}));
  add_whole(app, "--compilers", request.compilers, 0, kMaxThreads,
            "Compiler processes (default: one per core)");
  add_real(app, "--time-limit", request.max_seconds, 0, kMaxSeconds,
           "Compile nothing new after this time")
      ->type_name("SECONDS");
}

}  // namespace burin::app
