// `burin run FILE`: one launch, executed on the CPU, checked and reported.
#include "report/launch/run.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli.h"
#include "app/options/launch_options.h"
#include "app/options/option_values.h"
#include "app/options/output_option.h"
#include "base/text.h"
#include "base/timings.h"
#include "jobs/reshape_launch.h"
#include "jobs/run_launch.h"
#include "report/launch/device_run.h"
#include "report/launch/reshape.h"

namespace burin::app {
namespace {

struct RunCommand {
  jobs::RunRequest request;
  bool lines = false;
  bool reshape = false;
  std::string cache = "cold";
};

void write_report(const jobs::RanLaunch& ran, const RunCommand& command, Context& context) {
  const Timed timed("report");
  const read::Kernel& kernel = ran.launch.loaded->kernel;
  const std::string& file = command.request.launch.source.file;
  const report::RunReport report{
      .kernel = kernel,
      .launch = ran.launch.launch,
      .run = ran.run,
      .traffic = ran.traffic.get(),
      .outputs = ran.written,
      .checks = ran.checked,
      .counts = ran.counts,
      .seconds = ran.seconds,
      .most_lines = command.lines ? kernel.instructions.size() : kLinesUnasked};
  if (context.json) {
    report::Json json(context.out);
    json.open('{');
    report::write_run_json(json, report, file);
    if (ran.device) report::write_device_run_json(json, *ran.device);
    json.close();
  } else {
    context.out.put(ran.run.printed);
    if (!ran.run.stopped || !ran.run.faults.empty()) {
      read::SourceText source(folder_of(file));
      report::write_run(context.out, report, source);
    }
    if (ran.device) report::write_device_run(context.out, *ran.device);
  }
  context.out.flush();
}

Result<Exit> reshape_kernel(const RunCommand& command, Context& context) {
  const jobs::LaunchRequest& request = command.request.launch;
  const Result<std::unique_ptr<jobs::ReshapedLaunch>> shaped =
      jobs::reshape_launch(request, context.progress());
  if (!shaped) return shaped.error();
  const report::ReshapeReport report{.kernel = (*shaped)->launch.loaded->kernel,
                                     .launch = (*shaped)->launch.launch,
                                     .reshape = (*shaped)->reshape};
  if (context.json) {
    report::Json json(context.out);
    report::write_reshape_json(json, report, request.source.file);
  } else {
    report::write_reshape(context.out, report);
  }
  context.out.flush();
  return Exit::kDone;
}

Result<Exit> run_kernel(const RunCommand& command, Context& context) {
  const Result<std::unique_ptr<jobs::RanLaunch>> ran =
      jobs::run_launch(command.request, context.progress());
  if (!ran) return ran.error();
  write_report(**ran, command, context);
  const emulate::Run& run = (*ran)->run;
  if (run.stopped) return run.stopped->within((*ran)->launch.loaded->function().demangled);
  for (const std::string& warning : (*ran)->warnings) context.warn(warning);
  return (*ran)->passed() ? Exit::kDone : Exit::kGate;
}

}  // namespace

void add_run(Commands& commands) {
  auto command = std::make_shared<RunCommand>();
  CLI::App& app = commands.add(
      "run", "Executes a kernel on the CPU, bit-exactly, and detects faults",
      "  burin run saxpy.cu --grid 4 --block 256 --arg i32:1000 --arg f32:2 \\\n    --arg "
      "buf:4000:f32 --arg buf:4000:f32 --out 3=y.bin\n  burin run a.out --kernel transpose --grid "
      "8,8 --block 32,8 --arg buf:256K:f32 \\\n    --arg buf:256K:undef --arg i32:256 --check "
      "1=expected.bin\n  burin run spmv.ptx --grid 64 --block 128 --arg buf:4004:rowptr:10 … "
      "--trip 12=10\n  burin run app.burin:17 --check\n\nExit status 1: a fault was found or a "
      "--check failed. docs/arguments.md explains the grammar\nof --arg, docs/run.md the report.",
      [command](Context& context) {
        command->request.device.warm = command->cache == "warm";
        // `--check CAPTURE:LAUNCH`: what follows an option that may stand alone is taken for its
        // own.
        std::string& file = command->request.launch.source.file;
        if (file.empty() && !command->request.checks.empty() &&
            command->request.checks.back().find('=') == std::string::npos) {
          file = std::exchange(command->request.checks.back(), "");
        }
        return command->reshape ? reshape_kernel(*command, context) : run_kernel(*command, context);
      });
  add_launch_options(app, command->request.launch);
  add_repeated(app, "--out", command->request.outputs, "I=FILE",
               "Write the buffer of argument I (from 0) to FILE")
      ->check(keyed_output_file());
  app.add_flag("--force", command->request.force, "Overwrite existing files of any kind");
  add_repeated(
      app, "--check", command->request.checks, "I=FILE[:TYPE][:TOL]",
      "Compare it with FILE, bit for bit or within TOL; for a capture, I=FILE is optional");
  app.get_option("--check")->expected(0, 1);
  app.add_flag("--lines", command->lines, "Show all source lines, not only the top 10");
  app.add_flag("--reshape", command->reshape,
               "Say which block shapes give the same results; executes nothing");
  app.add_flag("--sectors", command->request.sectors,
               "Count global memory sectors per line (single-threaded, slower)");
  add_repeated(app, "--trip", command->request.trips, "[FILE:]LINE=N",
               "Trip count of the loop at this line if it is Unknown");
  app.add_option("--unknown-access", command->request.unknown_access,
                 "Cost of an access to Unknown addresses: worst (default), coalesced or N sectors; "
                 "implies --sectors")
      ->type_name("POLICY");
  app.add_option("--check-shared", command->request.check_shared,
                 "Detect shared memory races and uninitialised reads (default: on)")
      ->type_name("on|off")
      ->check(one_of({"on", "off"}));
  add_whole(app, "--max-instructions", command->request.most_instructions, 0, kNoLimit,
            "Stop after this many warp instructions; 0: never (default: 20000000000, and 400000000 "
            "of one block)");
  add_whole(app, "--threads", command->request.threads, 0, kMaxThreads,
            "Host threads for emulation (default: one per core)");
  CLI::Option* device = app.add_option("--device", command->request.device.device,
                                       "Also run on this GPU, time it and compare the buffers")
                            ->type_name("cuda:N");
  add_whole(app, "--launches", command->request.device.launches, jobs::kMinDeviceLaunches,
            measure::kMaxLaunches, "Timed launches on the GPU (default: 20)")
      ->needs(device);
  app.add_flag("--cooperative", command->request.device.cooperative,
               "Cooperative launch: all blocks resident at once, for grid barriers")
      ->needs(device);
  app.add_option("--cache", command->cache, "GPU cache state before each launch (default: cold)")
      ->type_name("cold|warm")
      ->needs(device)
      ->check(one_of({"cold", "warm"}));
}

}  // namespace burin::app
