// `burin predict FILE`: how long a launch takes on a GPU, and where its cycles go, without one.
#include "report/launch/predict.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/launch_pictures.h"
#include "app/options/html_option.h"
#include "app/options/launch_lines.h"
#include "app/options/launch_options.h"
#include "app/options/predict_options.h"
#include "base/format.h"
#include "base/text.h"
#include "base/timings.h"
#include "jobs/predict_launch.h"
#include "report/launch/device_run.h"

namespace burin::app {
namespace {

report::PredictReport report_of(const jobs::PredictedLaunch& predicted, std::size_t most_lines) {
  return {.kernel = predicted.on.launch.loaded->kernel,
          .launch = predicted.on.launch.launch,
          .machine = predicted.on.machine,
          .options = predicted.options,
          .prediction = predicted.prediction,
          .machine_assumed = predicted.on.machine_assumed,
          .most_lines = most_lines};
}

void write_json(report::Json& json, const jobs::PredictedLaunch& predicted,
                const std::string& file) {
  json.open('{');
  report::write_prediction_json(json, report_of(predicted, kLinesUnasked), file);
  if (predicted.measured) report::write_device_run_json(json, *predicted.measured);
  if (const auto& captured = predicted.on.launch.captured) {
    json.field("captured_launch", captured->launch.id);
    if (predicted.known_us() > 0) json.field("recorded_us", predicted.known_us());
  }
  if (predicted.known_us() > 0) json.field("error", predicted.error());
  json.close();
}

void write_text(report::Output& out, const jobs::PredictedLaunch& predicted,
                const std::string& file, bool all_lines) {
  read::SourceText source(folder_of(file));
  const std::size_t all = predicted.prediction.costs.size();
  report::write_prediction(out, report_of(predicted, all_lines ? all : kLinesUnasked), source);
  if (predicted.measured) report::write_device_run(out, *predicted.measured);
  const double known = predicted.known_us();
  if (known == 0) return;
  if (const auto& captured = predicted.on.launch.captured) {
    report::write_recorded(out, *captured);
  }
  out.put(fmt::format("the prediction is {:.1f} % {}\n", 100 * predicted.error(),
                      predicted.prediction.time_us < known ? "too low" : "too high"));
}

struct PredictCommand {
  jobs::PredictRequest request;
  std::string launches;  // a file with one launch per line
  bool lines = false;
  PictureOptions pictures;
};

// A line that cannot be served is told of, and the others go on.
Result<Exit> predict_lines(const PredictCommand& command, Context& context) {
  const Result<std::vector<NumberedLine>> lines = launch_lines(command.launches);
  if (!lines) return lines.error();
  Exit exit = Exit::kDone;
  report::Json json(context.out);
  if (context.json) {
    json.open('[');
  } else {
    report::write_prediction_row_head(context.out);
  }
  for (const NumberedLine& line : *lines) {
    Result<jobs::PredictRequest> parsed = parse_line(line.text, command.request);
    Result<std::unique_ptr<jobs::PredictedLaunch>> predicted =
        parsed ? jobs::predict_launch(*parsed, context.progress())
               : Result<std::unique_ptr<jobs::PredictedLaunch>>(parsed.error());
    if (!predicted) {
      exit = Exit::kInput;
      context.out.flush();
      context.warn(
          predicted.error().within(fmt::format("{}:{}", command.launches, line.number)).message);
      if (context.json) {
        json.open('{');
        json.field("schema", "burin.predict/1");
        json.field("line", line.number);
        json.field("error_message", predicted.error().message);
        json.close();
      }
    } else if (context.json) {
      write_json(json, **predicted, parsed->launch.source.file);
    } else {
      report::write_prediction_row(context.out, report_of(**predicted, 0), line.text);
    }
    context.out.flush();
    if (context.out.closed()) break;
  }
  if (context.json) json.close();
  return exit;
}

Result<Exit> run_predict(const PredictCommand& command, Context& context) {
  if (command.pictures.wanted() && !command.launches.empty()) {
    return Error{"--launches: --html and --trace show one launch; give its options instead",
                 Exit::kUsage};
  }
  if (!command.launches.empty()) return predict_lines(command, context);
  if (Result<void> fine = check(command.pictures, jobs::input_files(command.request)); !fine) {
    return fine.error();
  }
  jobs::PredictRequest request = command.request;
  if (command.pictures.wanted()) request.timeline_intervals = kTimelineIntervals;
  const Result<std::unique_ptr<jobs::PredictedLaunch>> predicted =
      jobs::predict_launch(request, context.progress());
  if (!predicted) return predicted.error();
  if (Result<void> done = write_pictures(command.pictures, **predicted, request.launch.source.file);
      !done) {
    return done.error();
  }
  const Timed timed("report");
  if (context.json) {
    report::Json json(context.out);
    write_json(json, **predicted, command.request.launch.source.file);
  } else {
    write_text(context.out, **predicted, command.request.launch.source.file, command.lines);
  }
  return Exit::kDone;
}

}  // namespace

void add_predict(Commands& commands) {
  auto command = std::make_shared<PredictCommand>();
  CLI::App& app = commands.add(
      "predict", "Predicts kernel time and where the cycles go, without a GPU",
      "  burin predict saxpy.cu --grid 4096 --block 256 --arg i32:1048576 --arg f32:2 \\\n    "
      "--arg buf:4M:f32 --arg buf:4M:f32 --machine h200\n  burin predict a.out --kernel transpose "
      "--grid 256,256 --block 32,8 \\\n    --arg buf:256M:f32 --arg buf:256M:undef --arg i32:8192 "
      "--warm --json\n  burin predict a.out --kernel transpose --launches shapes.txt --machine "
      "a100\n  burin predict app.burin:17\n\nEach line of a launches file has the arguments of one "
      "`burin predict`. Missing options are\ntaken from the command line; # starts a comment. "
      "docs/predict.md explains the report,\ndocs/arguments.md the grammar of --arg.",
      [command](Context& context) { return run_predict(*command, context); });
  add_predict_options(app, command->request);
  app.add_flag("--lines", command->lines, "Show all source lines, not only the top 10");
  app.add_option("--launches", command->launches, "Predict every launch in this file")
      ->type_name("FILE");
  add_html_option(app, command->pictures);
  add_trace_option(app, command->pictures);
}

}  // namespace burin::app
