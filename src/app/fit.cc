// `burin fit`: a rational program that chooses the launch shape of a kernel.
#include "report/fit/fit.h"

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <memory>

#include "app/cli.h"
#include "app/options/html_option.h"
#include "app/options/launch_options.h"
#include "app/options/option_values.h"
#include "app/options/output_option.h"

namespace burin::app {
namespace {

std::atomic<bool> fit_interrupted = false;

void stop_fit(int signal) {
  fit_interrupted = true;
  std::signal(signal, SIG_DFL);
}

Result<Exit> run_fit(jobs::FitRequest& request, PictureOptions& pictures, Context& context) {
  pictures.force = request.force;
  if (Result<void> fine = check(pictures, {request.tune.input, request.trials, request.capture});
      !fine) {
    return fine.error();
  }
  std::signal(SIGINT, stop_fit);
  std::signal(SIGTERM, stop_fit);
  request.tune.interrupted = [] { return fit_interrupted.load(); };
  const Result<jobs::FittedKernel> fitted = jobs::fit_kernel(request, context.progress());
  context.clear_progress();
  if (!fitted) return fitted.error();
  const auto write = [&](report::Json& json) { report::write_fitted_json(json, *fitted); };
  if (Result<void> done = write_html_of(pictures, "fit of " + fitted->kernel, write); !done) {
    return done.error();
  }
  if (context.json) {
    report::Json json(context.out);
    report::write_fitted_json(json, *fitted);
  } else {
    report::write_fitted(context.out, *fitted);
  }
  context.out.flush();
  if (fit_interrupted) context.warn("interrupted: fewer samples were taken");
  return Exit::kDone;
}

}  // namespace

void add_fit(Commands& commands) {
  auto request = std::make_shared<jobs::FitRequest>();
  auto pictures = std::make_shared<PictureOptions>();
  CLI::App& app = commands.add(
      "fit", "Makes a rational program that chooses the launch shape of a kernel for any size",
      "  burin fit saxpy.toml -o saxpy.rp                         from the emulator, or the GPU\n"
      "  burin fit saxpy.toml --device cuda:0 -o saxpy.rp\n"
      "  burin fit --trials trials.csv -o k.rp --grid-expr \"ceildiv(n, bx)\"\n"
      "  burin fit --capture app.burin --kernel saxpy -o saxpy.rp\n"
      "  burin fit saxpy.toml --trials trials.csv --gpu \"NVIDIA H200\" -o saxpy.rp\n\n"
      "docs/fit.md explains trials, regions and the file.",
      [request, pictures](Context& context) { return run_fit(*request, *pictures, context); });
  app.add_option("SPEC", request->tune.input,
                 "Spec (.toml, or T1 .json) whose tunables are the sides of the block");
  app.add_option("-o,--output", request->output, "Write the rational program")
      ->type_name("FILE")
      ->check(output_file())
      ->required();
  app.add_option("--trials", request->trials,
                 "Times of the kernel: block_x, block_y, block_z, time_us and a column per size")
      ->type_name("FILE.csv");
  app.add_option(
         "--capture", request->capture,
         "Propose the spec from recorded launches of --kernel, and put it beside the output")
      ->type_name("FILE.burin");
  app.add_option("--device", request->tune.device,
                 "Where to take samples: auto (default), cuda:N, emulator:MACHINE")
      ->type_name("DEVICE");
  app.add_option("--gpu", request->gpu, "The GPU of the trials, as its driver names it")
      ->type_name("NAME");
  add_repeated(app, "--grid-expr", request->grid, "EXPRESSION",
               "Blocks of the grid in x, then y, then z: \"ceildiv(n, bx)\"");
  add_repeated(app, "--constraint", request->constraints, "EXPRESSION",
               "What a block must satisfy: \"bx <= n\"");
  app.add_option("--declare", request->declared,
                 "Why the block's shape may change, where burin cannot prove it")
      ->type_name("WORDS");
  app.add_option("--kernel", request->kernel,
                 "Mangled name of the kernel of the trials; of a capture: name or part of it")
      ->type_name("NAME");
  add_whole(app, "--samples", request->samples, 1, 100000,
            "Samples to take at most (default: 100)");
  add_whole(app, "--max-trials", request->max_trials, 0, 100000,
            "Of the trials, those that sampling would have taken (default: 0, all)");
  app.add_flag_callback(
      "--fenced", [request] { request->repeats = model::Repeats::kFenced; },
      "Of repeated trials, the mean without outliers (above Q3 + 1.5 IQR), not the median");
  app.add_option("--model", request->model,
                 "Choose by a published model that sees counts, not times: mwp-cwp, 'sim 2012'")
      ->type_name("NAME")
      ->check(one_of({"mwp-cwp", "sim 2012"}));
  add_whole(app, "--explore", request->explored, 0, 100000,
            "Predictions beyond the measured sizes at most (default: 100; 0: none)");
  app.add_flag("!--given-sizes", request->proportions,
               "On a GPU: measure the spec's sizes alone, none of other proportions");
  add_real(app, "--reach", request->reach, 1, 4096,
           "Explore sizes of up to this many times the work (default: 16)")
      ->type_name("FACTOR");
  app.add_option("--samples-file", request->samples_file, "Write all samples as trials")
      ->type_name("FILE.csv")
      ->check(output_file());
  app.add_flag("--warm", request->tune.warm,
               "Time with the buffers in the cache, as far as they fit (default: cold caches)");
  app.add_option("--compiler", request->tune.compiler, "auto (default), nvrtc or nvcc")
      ->type_name("NAME")
      ->check(one_of({"auto", "nvrtc", "nvcc"}));
  app.add_flag("--force", request->force, "Overwrite existing files of any kind");
  add_html_option(app, *pictures);
}

}  // namespace burin::app
