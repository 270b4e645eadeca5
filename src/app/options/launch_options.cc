#include "app/options/launch_options.h"

#include <CLI/CLI.hpp>

namespace burin::app {

CLI::Option* add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                          const std::string& type, const std::string& description) {
  return app.add_option(name, values, description)->type_name(type)->allow_extra_args(false);
}

void add_launch_options(CLI::App& app, jobs::LaunchRequest& options) {
  app.add_option(
         "FILE", options.source.file,
         "CUDA source (.cu), PTX, cubin, fatbin, executable, object, library, or CAPTURE[:LAUNCH]")
      ->required()
      ->option_text(" ");
  app.add_option("--kernel", options.source.kernel,
                 "Kernel: name or part of it; optional if there is only one")
      ->type_name("NAME");
  app.add_option("--arch", options.source.arch,
                 "Architecture to use; source is compiled for it (default: sm_90)")
      ->type_name("ARCH");
  app.add_option("--grid", options.grid, "Grid size in blocks")->type_name("X[,Y[,Z]]");
  app.add_option("--block", options.block, "Block size in threads")->type_name("X[,Y[,Z]]");
  app.add_option("--cluster", options.cluster, "Cluster size in blocks")->type_name("X[,Y[,Z]]");
  app.add_option("--smem", options.shared_bytes, "Dynamic shared memory per block, in bytes")
      ->type_name("BYTES");
  add_repeated(app, "--arg", options.arguments, "ARG",
               "Kernel argument, in order: i32:5, f32:1.5, buf:64K:f32 …");
  add_repeated(
      app, "--set", options.settings, "SYMBOL=FILL",
      "Initial value of a __constant__ or __device__ variable: scale=f32:1.5, table=file:PATH …");
  add_repeated(app, "--nvcc-flag", options.source.flags, "FLAG", "Flag for nvcc (for PTX: ptxas)");
}

}  // namespace burin::app
