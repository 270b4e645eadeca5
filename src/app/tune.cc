// `burin tune SPEC`: the best configuration of a kernel.
#include "report/tune/tune.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <memory>
#include <string>

#include "app/cli.h"
#include "app/options/html_option.h"
#include "app/options/launch_options.h"
#include "app/options/option_values.h"
#include "app/options/output_option.h"
#include "app/options/saturation_options.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "jobs/carve/tune_carved.h"
#include "jobs/saturate/tune_at_saturation.h"
#include "jobs/tune/exit_status.h"
#include "jobs/tune/ranks.h"
#include "jobs/tune/tune_kernel.h"
#include "report/saturate/saturate.h"
#include "tune/search/strategy.h"

namespace burin::app {
namespace {

std::atomic<bool> interrupted_by_user = false;

// The first Ctrl-C ends the search after the current trial; the second one ends burin.
void on_interrupt(int signal) {
  interrupted_by_user = true;
  std::signal(signal, SIG_DFL);
}

std::string time_left(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// "87 of 200 trials, best 31.2 µs, 4.1 a second, 28 s left"
std::string progress_line(const tune::TuneProgress& now) {
  std::string line = now.best == nullptr ? std::string("nothing has worked yet")
                                         : "best " + time_text(now.best->time_us);
  if (now.seconds > 0.5) {
    const double rate = static_cast<double>(now.trials) / now.seconds;
    line += fmt::format(", {} trials a second", short_number(rate));
    if (now.of && *now.of > now.trials) {
      line += fmt::format(", {} left", time_left(static_cast<double>(*now.of - now.trials) / rate));
    }
  }
  return line + "; trial";
}

Result<Exit> search(jobs::TuneRequest& request, bool carve, const PictureOptions& pictures,
                    Context& context) {
  request.input = request.launch.source.file;
  const bool replay = request.device.starts_with("replay:");
  if (request.input.empty() && !replay) {
    return Error{
        "name a spec (kernel.toml), a kernel with --grid, --block and --arg, or a recorded "
        "space with --device replay:FILE",
        Exit::kUsage};
  }
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  request.interrupted = [] { return interrupted_by_user.load(); };
  const jobs::Progress progress = context.progress();
  jobs::TuneEvents events{.progress = progress};
  if (request.seeds == 1) {
    events.on_trial = [&](const jobs::TunedRun&, const tune::TuneProgress& now) {
      progress.step(progress_line(now), now.trials, now.of.value_or(0));
    };
  }
  const Result<jobs::TunedKernel> tuned =
      carve ? jobs::tune_carved(request, events) : jobs::tune_kernel(request, events);
  progress.done();
  if (!tuned) return tuned.error();
  if (tuned->serves) return Exit::kDone;
  const auto write = [&](report::Json& json) { report::write_tuned_json(json, *tuned); };
  if (Result<void> done = write_html_of(pictures, "tuning of " + tuned->kernel, write); !done) {
    return done.error();
  }
  if (context.json) {
    report::Json json(context.out);
    report::write_tuned_json(json, *tuned);
  } else {
    report::write_tuned(context.out, *tuned);
  }
  context.out.flush();
  if (interrupted_by_user) {
    context.warn(tuned->session.empty()
                     ? std::string("interrupted")
                     : "interrupted; --resume continues the session " + tuned->session);
  }
  return jobs::exit_of(*tuned);
}

// --at-saturation, and the options that go with it.
struct SaturationChoice {
  bool wanted = false;
  jobs::SaturateRequest request{};
};

Result<Exit> search_at_saturation(const jobs::TuneRequest& request, SaturationChoice& choice,
                                  const PictureOptions& pictures, Context& context) {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  choice.request.tune = request;
  choice.request.tune.interrupted = [] { return interrupted_by_user.load(); };
  const jobs::Progress progress = context.progress();
  const jobs::TuneEvents events{
      .progress = progress, .on_trial = [&](const jobs::TunedRun&, const tune::TuneProgress& now) {
        progress.step(progress_line(now), now.trials, now.of.value_or(0));
      }};
  const Result<jobs::TunedAtSaturation> tuned = jobs::tune_at_saturation(choice.request, events);
  progress.done();
  if (!tuned) return tuned.error();
  const auto write = [&](report::Json& json) {
    report::write_tuned_at_saturation_json(json, *tuned);
  };
  if (Result<void> done = write_html_of(pictures, "tuning at saturation", write); !done) {
    return done.error();
  }
  if (context.json) {
    report::Json json(context.out);
    report::write_tuned_at_saturation_json(json, *tuned);
  } else {
    report::write_tuned_at_saturation(context.out, *tuned);
  }
  context.out.flush();
  if (interrupted_by_user) context.warn("interrupted");
  if (tuned->winner() != nullptr) return Exit::kDone;
  // The rungs before the last may have worked.
  const Exit last = tuned->rungs.empty() ? Exit::kDevice : jobs::exit_of(tuned->rungs.back());
  return last == Exit::kDone ? Exit::kDevice : last;
}

Result<Exit> run_tune(jobs::TuneRequest& request, bool carve, const PictureOptions& pictures,
                      Context& context) {
  const Result<Exit> ended = search(request, carve, pictures, context);
  if (jobs::is_one_of_many()) {
    if (!ended) context.warn(ended.error().message);
    context.out.flush();
    jobs::leave_ranks(static_cast<int>(ended ? *ended : ended.error().exit));
    // The sentence has been said.
    return ended ? *ended : ended.error().exit;
  }
  return ended;
}

std::string strategy_help() {
  std::string text = "Search strategy (default: ensemble):";
  for (const tune::StrategyKind& kind : tune::strategies()) {
    text += fmt::format("{} {}", text.back() == ':' ? "" : ",", kind.name);
  }
  return text + ", guided";
}

void add_guided_options(CLI::App& app, jobs::TuneRequest& request) {
  app.add_option("--seed-with", request.seed_with,
                 "First points of the search: guided, those that are predicted to be best; none "
                 "(default: guided on a GPU that burin knows, if not everything is tried)")
      ->type_name("guided|none");
  add_whole(app, "--examine", request.examined, 1, 1'000'000,
            "Configurations that a guided search compiles and predicts (default: 60)");
}

}  // namespace

void add_tune(Commands& commands) {
  auto request = std::make_shared<jobs::TuneRequest>();
  auto saturation = std::make_shared<SaturationChoice>();
  auto carve = std::make_shared<bool>(false);
  auto pictures = std::make_shared<PictureOptions>();
  CLI::App& app = commands.add(
      "tune", "Finds the best configuration of a kernel",
      "  burin tune gemm.toml                             on the GPU, or predicted without one\n"
      "  burin tune gemm.toml --device opencl:0 --budget 100\n"
      "  burin tune gemm.toml --device emulator:h200 --strategy exhaustive --export "
      "t4=gemm.json.gz\n"
      "  burin tune gemm.toml --session gemm.session --resume\n"
      "  burin tune saxpy.cu --grid 4096 --block 256 --arg i32:1000000 --arg f32:2 \\\n"
      "    --arg buf:4000000:f32 --arg buf:4000000:f32    the block shape, without a spec\n"
      "  burin tune --device replay:space.json.gz --budget 100 --seed 7 --json\n\n"
      "docs/tune.md explains specs, strategies and sessions.",
      [request, saturation, carve, pictures](Context& context) -> Result<Exit> {
        pictures->force = request->force;
        if (Result<void> fine = check(*pictures, {request->launch.source.file, request->session});
            !fine) {
          return fine.error();
        }
        return saturation->wanted ? search_at_saturation(*request, *saturation, *pictures, context)
                                  : run_tune(*request, *carve, *pictures, context);
      });
  add_launch_options(app, request->launch);
  app.get_option("FILE")->required(false)->description(
      "Spec (.toml, or T1 .json); or a kernel without tunable parameters, as `burin run` takes it");
  app.add_option(
         "--device", request->device,
         "Where to measure: auto (default), cuda:N, opencl:N, emulator:MACHINE, replay:FILE")
      ->type_name("DEVICE");
  app.add_option("--strategy", request->strategy, strategy_help())->type_name("NAME");
  add_guided_options(app, *request);
  add_whole(app, "--budget", request->budget, 1, kNoLimit,
            "Configurations to try for each problem size (default: 200; exhaustive: all)");
  add_real(app, "--time-limit", request->max_seconds, 0, kMaxSeconds,
           "Start no new trial after this time, for each problem size")
      ->type_name("SECONDS");
  add_whole(app, "--seed", request->seed, 0, kNoLimit, "Seed of the search (default: 0)");
  add_whole(app, "--seeds", request->seeds, 1, 1'000'000,
            "Search a recorded space this many times, with consecutive seeds");
  add_repeated(app, "--size", request->sizes, "NAME=NUMBER",
               "Tune for this problem size instead of the spec's");
  add_repeated(app, "--first", request->first, "A=1,B=2", "Try this configuration first");
  app.add_option("--session", request->session,
                 "Record every trial in this file as it ends, so that nothing is lost")
      ->type_name("FILE")
      ->check(output_file());
  app.add_flag("--resume", request->resume, "Continue the session");
  add_repeated(app, "--export", request->exports, "FILE",
               "Write all trials: t4=FILE, cachefile=FILE (Kernel Tuner), csv=FILE or wisdom=FILE; "
               "compressed if FILE ends in .gz")
      ->check(keyed_output_file());
  add_repeated(app, "--emit", request->emits, "header|json|ptx[=FILE]",
               "Write the winning constants for the application, or the PTX of the winner")
      ->check(keyed_output_file());
  app.add_flag("--force", request->force, "Overwrite existing files of any kind");
  add_html_option(app, *pictures);
  app.add_flag("--any-block", request->any_block,
               "Without a spec: try block shapes that are not proved to give the same results");
  app.add_flag_callback(
      "--no-coarsen", [request] { request->coarsen = false; },
      "Without a spec: try block shapes only, no coarsening");
  app.add_option("--compiler", request->compiler, "auto (default), nvrtc or nvcc")
      ->type_name("NAME")
      ->check(one_of({"auto", "nvrtc", "nvcc"}));
  add_whole(app, "--compilers", request->compilers, 0, kMaxThreads,
            "Compiler processes (default: one per core)");
  add_real(app, "--compile-limit", request->compile_limit_seconds, 0.1, kMaxSeconds,
           "Time limit for compiling one configuration of CUDA source (default: 120)")
      ->type_name("SECONDS");
  add_real(app, "--limit", request->limit_seconds, 0.1, kMaxSeconds,
           "Time limit for measuring one configuration, with OpenCL also for compiling it "
           "(default: 20)")
      ->type_name("SECONDS");
  app.add_flag("--warm", request->warm,
               "Time with the buffers in the cache, as far as they fit (default: cold caches)");
  add_whole(app, "--launches", request->launches, 1, 1000,
            "Time at most this many launches of a configuration (default: 30)");
  add_whole(app, "--max-spills", request->max_spill_bytes, 0, kNoLimit,
            "Skip configurations that spill more bytes per thread");
  app.add_flag("--mixed", request->mixed, "Under mpirun: GPUs of different models may measure");
  add_real(app, "--rank-patience", request->rank_patience, 1, kMaxSeconds,
           "Under mpirun: a rank silent for so long, or 20 times the longest trial, is given up "
           "(default: 10)")
      ->type_name("SECONDS");
  add_whole(app, "--finalists", request->finalists, 0, 100,
            "Measure this many of the best again, in turn (default: 5)");
  app.add_flag("--carve", *carve,
               "Search only among the configurations that burin carve finds worth trying");
  app.add_flag("--at-saturation", saturation->wanted,
               "Search at the smallest problem size that saturates the device, and verify the best "
               "--finalists at the target (burin saturate)");
  add_saturation_options(app, saturation->request);
  for (const char* option :
       {"--vary", "--target", "--work", "--threshold", "--coarsenings", "--whole-waves"}) {
    app.get_option(option)->needs("--at-saturation");
  }
  app.get_option("--carve")->excludes("--at-saturation");
}

}  // namespace burin::app
