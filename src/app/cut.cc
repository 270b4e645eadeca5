// `burin cut CAPTURE:LAUNCH -o FILE`: one launch of a capture as a small capture of its own.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/cli.h"
#include "app/options/output_option.h"
#include "base/text.h"
#include "jobs/cut_launch.h"
#include "report/write/json.h"

namespace burin::app {
namespace {

Result<Exit> cut(const jobs::CutRequest& request, Context& context) {
  const Result<jobs::CutLaunch> made = jobs::cut_launch(request);
  if (!made) return made.error();
  if (context.json) {
    report::Json json(context.out);
    json.open('{');
    json.field("schema", "burin.cut/1");
    json.field("file", request.to);
    json.field("launch", made->launch);
    json.field("kernel", made->kernel);
    json.field("memory", made->memory);
    json.field("bytes", made->bytes);
    json.close();
  } else {
    context.out.put(request.to, ": launch ", made->launch, " of ", made->capture, ", ",
                    made->kernel, ", ", human_bytes(made->bytes), '\n');
  }
  return Exit::kDone;
}

}  // namespace

void add_cut(Commands& commands) {
  auto command = std::make_shared<jobs::CutRequest>();
  CLI::App& app =
      commands.add("cut", "Extracts one launch from a capture into a small capture of its own",
                   "  burin cut app.burin:17 -o transpose.burin\n"
                   "  burin cut app.burin:transpose#3 -o transpose.burin --strip-memory "
                   "--strip-source",
                   [command](Context& context) { return cut(*command, context); });
  app.add_option("LAUNCH", command->from,
                 "CAPTURE:LAUNCH: capture file and launch, by number, or by kernel name and #K for "
                 "the K-th")
      ->required()
      ->option_text(" ");
  app.add_option("-o,--output", command->to, "Capture to write")
      ->required()
      ->type_name("FILE")
      ->check(output_file());
  app.add_flag("--force", command->force, "Overwrite an existing file of any kind");
  app.add_flag("--strip-memory", command->options.strip_memory, "Leave out buffer contents");
  app.add_flag("--strip-source", command->options.strip_source,
               "Leave out source lines, PTX, host call stacks, command line, folder and host name");
}

}  // namespace burin::app
