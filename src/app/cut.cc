// `burin cut CAPTURE:LAUNCH -o FILE`: one launch of a capture as a small capture of its own.
#include "capture/cut.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "app/cli.h"
#include "app/open_capture.h"
#include "base/text.h"
#include "capture/rebuilt_launch.h"
#include "read/binary/demangle.h"
#include "report/json.h"

namespace burin {
namespace {

struct CutCommand {
  std::string from;
  std::string to;
  CutOptions options;
};

Result<Exit> cut(const CutCommand& command, Context& context) {
  const CaptureName name = parse_capture_name(command.from);
  const Result<Capture> capture = open_capture(name.file);
  if (!capture) return capture.error();
  const Result<const CapturedLaunch*> found = find_launch(*capture, name.launch);
  if (!found) return found.error();
  const CapturedLaunch& launch = **found;
  if (Result<void> done = cut_capture(*capture, launch, command.options, command.to); !done) {
    return done.error();
  }
  const std::uint64_t bytes = std::filesystem::file_size(command.to);
  const std::string kernel = demangle(capture->kernel(launch.kernel).name);
  if (context.json) {
    Json json(context.out);
    json.open('{');
    json.field("schema", "burin.cut/1");
    json.field("file", command.to);
    json.field("launch", launch.id);
    json.field("kernel", kernel);
    json.field("memory", launch.has_memory && !command.options.strip_memory);
    json.field("bytes", bytes);
    json.close();
  } else {
    context.out.put(command.to, ": launch ", launch.id, " of ", capture->path(), ", ", kernel, ", ",
                    human_bytes(bytes), '\n');
  }
  return Exit::kDone;
}

}  // namespace

void add_cut(Commands& commands) {
  auto command = std::make_shared<CutCommand>();
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
  app.add_option("-o,--output", command->to, "Capture to write")->required()->type_name("FILE");
  app.add_flag("--strip-memory", command->options.strip_memory, "Leave out buffer contents");
  app.add_flag("--strip-source", command->options.strip_source,
               "Leave out source lines, PTX, host call stacks, command line, folder and host name");
}

}  // namespace burin
