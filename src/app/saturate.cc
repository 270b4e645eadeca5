// `burin saturate SPEC`: throughput over problem sizes.
#include "report/saturate/saturate.h"

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
#include "base/new_file.h"

namespace burin::app {
namespace {

std::atomic<bool> saturate_interrupted = false;

void stop_saturate(int signal) {
  saturate_interrupted = true;
  std::signal(signal, SIG_DFL);
}

Result<void> write_svg(const std::string& path, const std::string& text) {
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error();
  const Bytes bytes{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->finish();
}

Result<Exit> run_saturate(jobs::SaturateRequest& request, PictureOptions& pictures,
                          Context& context) {
  pictures.force = request.tune.force;
  if (Result<void> fine = check(pictures, {request.tune.input}); !fine) return fine.error();
  std::signal(SIGINT, stop_saturate);
  std::signal(SIGTERM, stop_saturate);
  request.tune.interrupted = [] { return saturate_interrupted.load(); };
  Result<jobs::SaturatedKernel> found = jobs::saturate_kernel(request, context.progress());
  context.clear_progress();
  if (!found) return found.error();
  if (!request.svg.empty()) {
    if (Result<void> done = write_svg(request.svg, report::saturation_svg(*found)); !done) {
      return done.error();
    }
    found->svg = request.svg;
  }
  const auto write = [&](report::Json& json) { report::write_saturated_json(json, *found); };
  if (Result<void> done = write_html_of(pictures, "saturation of " + found->kernel, write); !done) {
    return done.error();
  }
  if (context.json) {
    report::Json json(context.out);
    report::write_saturated_json(json, *found);
  } else {
    report::write_saturated(context.out, *found);
  }
  context.out.flush();
  if (saturate_interrupted) context.warn("interrupted: larger sizes were not measured");
  return Exit::kDone;
}

}  // namespace

void add_saturation_options(CLI::App& app, jobs::SaturateRequest& request) {
  app.add_option("--vary", request.vary,
                 "The size that is varied, from smallest to target, by a factor (default: 2); else "
                 "what the spec says")
      ->type_name("NAME=FROM:TO[:FACTOR]");
  app.add_option("--target", request.target,
                 "The size to tune for (default: the largest); larger ones are left out")
      ->type_name("NAME=NUMBER");
  app.add_option("--work", request.work,
                 "Units of work of a launch, as an expression of the sizes: \"2*n*n*n\" (default: "
                 "the spec's, or its objective)")
      ->type_name("EXPRESSION");
  app.add_option_function<std::string>(
         "--threshold",
         [&request](const std::string& text) {
           request.threshold = *launch::parse_real<double>(text) / 100;
         },
         "A size is saturated within this percentage of the plateau (default: 10)")
      ->check([](const std::string& text) { return check_real(text, 0, 50); })
      ->type_name("PERCENT");
  app.add_option_function<std::string>(
         "--coarsenings",
         [&request](const std::string& text) {
           request.coarsenings = *jobs::parse_coarsenings(text);
         },
         "Coarsened variants that must be saturated too, where the spec has coarsen_thread_x, _y "
         "or _z: largest (default), all or none")
      ->check(one_of({"largest", "all", "none"}))
      ->type_name("WHICH");
  app.add_flag_callback(
      "--whole-waves", [&request] { request.whole_waves = true; },
      "Move each size up to one that fills the last wave of blocks");
}

void add_saturate(Commands& commands) {
  auto request = std::make_shared<jobs::SaturateRequest>();
  auto pictures = std::make_shared<PictureOptions>();
  CLI::App& app = commands.add(
      "saturate", "Finds the smallest problem size at which tuning is still valid for a large one",
      "  burin saturate gemm.toml --vary n=128:8192\n"
      "  burin saturate saxpy.toml --device emulator:h200 --vary n=4096:268435456:4 --work n\n"
      "  burin saturate sobel.toml --coarsenings all --svg sobel.svg\n"
      "  burin saturate sobel.toml --config block_size_x=128 --threshold 5 --json\n"
      "  burin tune gemm.toml --at-saturation             tunes there, and verifies at the "
      "target\n\n"
      "docs/saturate.md explains the curve and its plateau.",
      [request, pictures](Context& context) { return run_saturate(*request, *pictures, context); });
  app.add_option("SPEC", request->tune.input, "Spec (.toml, or T1 .json)")->required();
  app.add_option("--device", request->tune.device,
                 "Where to measure: auto (default), cuda:N, opencl:N, emulator:MACHINE")
      ->type_name("DEVICE");
  add_saturation_options(app, *request);
  app.add_option("--config", request->config,
                 "The configuration to measure, as differences from the default one")
      ->type_name("A=1,B=2");
  add_repeated(app, "--size", request->tune.sizes, "NAME=NUMBER",
               "Another size than the spec's, of a name that is not varied");
  app.add_flag("--all-sizes", request->all_sizes,
               "Measure also sizes whose throughput can be extrapolated");
  app.add_option("--svg", request->svg, "Write the curve as a picture")
      ->type_name("FILE")
      ->check(output_file());
  app.add_flag("--force", request->tune.force, "Overwrite existing files of any kind");
  add_html_option(app, *pictures);
  app.add_flag("--warm", request->tune.warm,
               "Time with the buffers in the cache, as far as they fit (default: cold caches)");
  app.add_option("--compiler", request->tune.compiler, "auto (default), nvrtc or nvcc")
      ->type_name("NAME")
      ->check(one_of({"auto", "nvrtc", "nvcc"}));
  add_real(app, "--limit", request->tune.limit_seconds, 0.1, kMaxSeconds,
           "Time limit for measuring one size (default: 20)")
      ->type_name("SECONDS");
}

}  // namespace burin::app
