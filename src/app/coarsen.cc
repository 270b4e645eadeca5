// `burin coarsen FILE`: a kernel with fewer, fatter threads.
#include "report/coarsen/coarsen.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/options/html_option.h"
#include "app/options/launch_options.h"
#include "app/options/output_option.h"
#include "jobs/coarsen/coarsen_kernel.h"

namespace burin::app {
namespace {

struct CoarsenCommand {
  jobs::CoarsenRequest request;
  std::vector<std::string> threads;
  std::vector<std::string> blocks;
  PictureOptions pictures;
  bool opcodes = false;
};

Result<Exit> run_coarsen(CoarsenCommand& command, Context& context) {
  if (command.opcodes) {
    report::write_opcode_rules(context.out);
    context.out.flush();
    return Exit::kDone;
  }
  jobs::CoarsenRequest& request = command.request;
  for (const auto& [option, level, texts] :
       {std::tuple("--coarsen-thread", coarsen::Level::kThread, &command.threads),
        std::tuple("--coarsen-block", coarsen::Level::kBlock, &command.blocks)}) {
    for (const std::string& text : *texts) {
      const Result<coarsen::Coarsening> parsed = jobs::parse_coarsening(level, text);
      if (!parsed) return parsed.error().within(option);
      request.coarsenings.push_back(*parsed);
    }
  }
  command.pictures.force = request.force;
  if (Result<void> fine = check(command.pictures, {request.launch.source.file, request.output});
      !fine) {
    return fine.error();
  }
  const Result<jobs::CoarsenedKernel> made = jobs::coarsen_kernel(request, context.progress());
  if (!made) return made.error();
  const report::CoarsenReport report{
      .kernel = *made, .file = request.launch.source.file, .output = request.output};
  const auto write = [&](report::Json& json) { report::write_coarsened_json(json, report); };
  if (Result<void> done = write_html_of(command.pictures, "coarsening of " + made->kernel, write);
      !done) {
    return done.error();
  }
  if (context.json) {
    report::Json json(context.out);
    write(json);
  } else {
    report::write_coarsened(context.out, report);
  }
  context.out.flush();
  return made->check && !made->check->equal() ? Exit::kGate : Exit::kDone;
}

}  // namespace

void add_coarsen(Commands& commands) {
  auto command = std::make_shared<CoarsenCommand>();
  CLI::App& app = commands.add(
      "coarsen", "Makes a kernel's threads or blocks fewer and fatter, with the same results",
      "  burin coarsen saxpy.cu --grid 4096 --block 256 --coarsen-thread x=4 -o fat.ptx\n"
      "  burin coarsen stencil.ptx --kernel step --grid 64,64 --block 32,8 \\\n"
      "    --coarsen-thread y=4 --coarsen-block x=2 --arg buf:16M:f32 --arg buf:16M:undef \\\n"
      "    --arg i32:2048 --check\n"
      "  burin coarsen blur.cl --kernel blur --grid 64,64 --block 16,16 --coarsen-thread x=2 -o "
      "b.cl\n"
      "  burin coarsen gemm.cu --grid 64,64 --block 16,16 --arg … --best -o fat.ptx\n"
      "  burin coarsen --opcodes                          what may be done with which PTX "
      "opcode\n\n"
      "Exit status 1: --check found a difference; 3: the kernel cannot be coarsened this way, with "
      "the\nreason. docs/coarsen.md explains when coarsening is legal and when it pays.",
      [command](Context& context) { return run_coarsen(*command, context); });
  add_launch_options(app, command->request.launch);
  app.get_option("FILE")->required(false)->description(
      "CUDA source (.cu), PTX, a binary that carries PTX, or OpenCL C (.cl)");
  add_repeated(app, "--coarsen-thread", command->threads, "AXIS=FACTOR[,stride=N]",
               "Each thread does the work of FACTOR threads that are N apart (default: the new "
               "block size along the axis, which keeps warps whole)");
  add_repeated(app, "--coarsen-block", command->blocks, "AXIS=FACTOR",
               "Each block does the work of FACTOR consecutive blocks");
  app.add_flag("--best", command->request.best,
               "Try factors and strides with the timing model and keep the fastest");
  app.add_flag("--check", command->request.check,
               "Execute both kernels on the CPU and compare their buffers");
  app.add_option("--machine", command->request.machine, "GPU to predict for (default: h200)")
      ->type_name("NAME|FILE");
  app.add_option("-o,--output", command->request.output,
                 "Write the PTX, or the OpenCL C, to this file")
      ->type_name("FILE")
      ->check(output_file());
  app.add_flag("--force", command->request.force, "Overwrite existing files of any kind");
  add_html_option(app, command->pictures);
  app.add_flag("--opcodes", command->opcodes,
               "List what coarsening may do with each PTX opcode, and stop");
}

}  // namespace burin::app
