// `burin diff A B`: what changed between two builds or two captures.
#include "report/advice/diff.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/diff_pictures.h"
#include "app/fail_on.h"
#include "app/options/html_option.h"
#include "app/options/launch_lines.h"
#include "app/options/launch_options.h"
#include "app/options/predict_options.h"
#include "base/format.h"
#include "jobs/compare_builds.h"

namespace burin::app {
namespace {

struct DiffCommand {
  jobs::DiffRequest request;
  report::DiffView view;
  std::string launches;  // a file with one launch per line
  bool markdown = false;
  PictureOptions pictures;
};

Result<std::vector<jobs::PredictRequest>> launches_of(const DiffCommand& command) {
  std::vector<jobs::PredictRequest> launches;
  if (command.launches.empty()) return launches;
  if (!command.request.command.launch.grid.empty()) {
    return Error{"--launches: the launches of the file have their own --grid", Exit::kUsage};
  }
  const Result<std::vector<NumberedLine>> lines = launch_lines(command.launches);
  if (!lines) return lines.error();
  for (const NumberedLine& line : *lines) {
    const std::string place = fmt::format("{}:{}", command.launches, line.number);
    Result<jobs::PredictRequest> launch = parse_line(line.text, command.request.command);
    if (!launch) return launch.error().within(place);
    jobs::LaunchRequest whole = launch->launch;
    whole.source.file = command.request.before;
    if (Result<void> all = jobs::complete(whole, "diff"); !all) return all.error().within(place);
    launches.push_back(std::move(*launch));
  }
  return launches;
}

Result<Exit> run_diff(const DiffCommand& command, Context& context) {
  std::vector<std::string> inputs = jobs::input_files(command.request.command);
  inputs.insert(inputs.end(), {command.request.before, command.request.after});
  if (Result<void> fine = check(command.pictures, inputs); !fine) return fine.error();
  Result<std::vector<jobs::PredictRequest>> launches = launches_of(command);
  if (!launches) return launches.error();
  jobs::DiffRequest request = command.request;
  request.launches = std::move(*launches);
  const Result<std::unique_ptr<jobs::DiffResult>> result =
      jobs::compare_builds(request, context.progress());
  if (!result) return result.error();
  if (Result<void> done = write_pictures(command.pictures, command.request, **result); !done) {
    return done.error();
  }
  if (context.json) {
    report::Json json(context.out);
    report::write_diff_json(json, *(*result)->diff);
  } else if (command.markdown) {
    report::write_diff_markdown(context.out, *(*result)->diff);
  } else {
    report::write_diff(context.out, *(*result)->diff, command.view, (*result)->after_source);
  }
  return fail_on((*result)->crossed, context);
}

}  // namespace

void add_diff(Commands& commands) {
  auto command = std::make_shared<DiffCommand>();
  CLI::App& app = commands.add(
      "diff", "Compares two builds or two captures, kernel by kernel",
      "  burin diff build/old.so build/new.so\n  burin diff v1.cubin v2.cubin --kernel transpose "
      "--grid 256,256 --block 32,8 \\\n    --arg buf:256M:f32 --arg buf:256M:undef --arg i32:8192 "
      "--machine h200\n  burin diff monday.burin friday.burin --fail-on \"time>1.05\"\n  burin "
      "diff main.cubin branch.cubin --fail-on spills --fail-on \"registers>8\" --json\n\n--fail-on "
      "takes a metric and a limit: >, >=, < or <= and a number (default: > 0). Metrics are\ntime "
      "(after / before), slower (the verdict) and the increase of registers, shared, local, "
      "spills, constant,\nbarriers, "
      "code, instructions, stall:REASON, advice or advice:RULE. Exit status 1: a limit "
      "was\nexceeded. docs/diff.md explains the report.",
      [command](Context& context) { return run_diff(*command, context); });
  app.add_option("BEFORE", command->request.before, "Binary, source file or capture")
      ->required()
      ->option_text(" ");
  app.add_option("AFTER", command->request.after, "Another of the same kind")
      ->required()
      ->option_text(" ");
  add_predict_options(app, command->request.command);
  for (const char* name : {"FILE", "--model", "--device"}) app.remove_option(app.get_option(name));
  app.add_option("--after-kernel", command->request.after_kernel,
                 "With a launch: name of the kernel in AFTER, if renamed")
      ->type_name("NAME");
  app.add_flag("--predict", command->request.predict,
               "For captures: also predict the launches, and advise on them");
  app.add_flag("--average-path", command->request.average_path,
               "Split stall samples among causes by the average path, not the longest");
  app.add_option(
         "--launches", command->launches,
         "Predict each launch in this file with both builds; one line has --kernel, --grid, "
         "--block and --arg")
      ->type_name("FILE");
  app.add_flag("--markdown", command->markdown, "Print a summary in Markdown, for a pull request");
  app.add_flag("--all", command->view.all, "Show unchanged rows too");
  add_repeated(app, "--fail-on", command->request.gates, "EXPR",
               "Exit with status 1 if this limit is exceeded");
  add_html_option(app, command->pictures);
}

}  // namespace burin::app
