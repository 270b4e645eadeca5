// `burin record -- PROGRAM …`: runs a CUDA program with the recorder inside, and makes the capture.
#include "report/capture/record.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/options/option_values.h"
#include "app/options/output_option.h"
#include "capture/capture.h"
#include "jobs/record_program.h"

namespace burin::app {
namespace {

Result<Exit> record(const jobs::RecordRequest& request, Context& context) {
  const Result<jobs::RecordedProgram> recorded = jobs::record_program(request, context.progress());
  if (!recorded) return recorded.error();
  for (const std::string& warning : recorded->warnings) context.warn(warning);
  const Result<capture::Capture> capture = capture::Capture::open(recorded->file);
  if (!capture) return capture.error();
  const report::RecordReport report{*capture, recorded->assembled, recorded->command,
                                    recorded->ending, recorded->wall_seconds};
  context.json ? report::write_record_json(context.out, report)
               : report::write_record(context.out, report);
  if (!context.json) {
    context.out.put("\nlist every launch: burin inspect ", recorded->file, '\n');
  }
  return Exit::kDone;
}

}  // namespace

void add_record(Commands& commands) {
  const auto command = std::make_shared<jobs::RecordRequest>();
  CLI::App& app = commands.add(
      "record", "Runs a CUDA program and records its launches, times and PC samples",
      "  burin record -- ./app --size 4096\n  burin record -o step.burin --nvtx step3 -- python3 "
      "train.py\n  burin record --memory 'transpose:2' -- ./app     with buffers of its second "
      "launch\n  burin record --counters -- ./app                 with instruction execution "
      "counts\n  burin inspect app.burin                          show the launches",
      [command](Context& context) { return record(*command, context); });
  gpu::RecordSettings& settings = command->settings;
  app.add_option("command", command->command, "Program and its arguments, after --");
  app.add_option("-o,--out", command->out, "Capture to write (default: PROGRAM.burin)")
      ->check(output_file());
  app.add_flag("--force", command->force, "Overwrite an existing capture");
  app.add_flag("--no-samples", command->no_samples, "Do not take PC samples");
  app.add_flag("--serialize", settings.serialize,
               "Serialise kernels, so that samples belong to a launch; slow");
  add_whole(app, "--period", settings.period, 5, 31,
            "Sampling period: 2^N cycles per SM sub-partition (default: 16)");
  app.add_flag("--counters", command->counters,
               "Run the program a second time to count executions of each instruction");
  app.add_option("--memory", command->memory,
                 "KERNEL[:N]: save the buffers of the N-th launch (default: 1) of each matching "
                 "kernel, or of all, before and after it; auto: of the first launch of each shape, "
                 "without the floating-point data of large buffers")
      ->type_name("KERNEL[:N|:all|:auto]|auto");
  app.add_option_function<std::string>(
         "--memory-limit",
         [&settings](const std::string& text) {
           settings.memory_limit = *launch::parse_bytes(text);
         },
         "Maximum bytes to save per launch, with auto in total; larger launches are skipped "
         "(default: 1G)")
      ->check([](const std::string& text) {
        return launch::parse_bytes(text)
                   ? ""
                   : "expected a number of bytes such as 4096 or 64M, not '" + text + "'";
      })
      ->type_name("BYTES");
  app.add_option("--kernel", settings.kernel, "Keep only launches of matching kernels")
      ->type_name("REGEX");
  app.add_option("--nvtx", settings.range, "Keep only launches inside this NVTX range");
  add_whole(app, "--first", settings.first, 1, kNoLimit, "Keep only the first N launches");
  add_whole(app, "--every", settings.every, 1, kNoLimit, "Keep every N-th launch");
  add_whole(app, "--per-kernel", settings.per_kernel, 1, kNoLimit,
            "Keep at most N launches of a kernel");
  add_real(app, "--for", command->seconds, 0, kMaxSeconds,
           "Keep only launches of the first SECONDS")
      ->type_name("SECONDS");
  app.add_flag("--no-stacks", command->no_stacks, "Do not record host call stacks");
  app.add_flag("--keep-spool", command->keep_spool, "Keep the folder with the raw recording");
  app.add_option("--assemble", command->assemble,
                 "Make the capture from the folder of an interrupted recording");
}

}  // namespace burin::app
