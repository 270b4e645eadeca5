// `burin compare A B C …`: which of several versions of a kernel is fastest.
#include "report/launch/compare.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/options/launch_lines.h"
#include "app/options/predict_options.h"
#include "base/format.h"
#include "jobs/compare_versions.h"

namespace burin::app {
namespace {

struct CompareCommand {
  jobs::PredictRequest common;
  std::vector<std::string> versions;
  std::string launches;  // a file with one version per line
};

Result<std::vector<jobs::VersionRequest>> requests_of(const CompareCommand& command) {
  std::vector<jobs::VersionRequest> requests;
  for (const std::string& text : command.versions) {
    requests.push_back(jobs::parse_version(text, command.common));
  }
  if (command.launches.empty()) return requests;
  const Result<std::vector<NumberedLine>> lines = launch_lines(command.launches);
  if (!lines) return lines.error();
  for (const NumberedLine& line : *lines) {
    Result<jobs::PredictRequest> parsed = parse_line(line.text, command.common);
    if (!parsed) {
      return parsed.error().within(fmt::format("{}:{}", command.launches, line.number));
    }
    requests.push_back({.name = line.text, .request = std::move(*parsed)});
  }
  return requests;
}

Result<Exit> run_compare(const CompareCommand& command, Context& context) {
  const Result<std::vector<jobs::VersionRequest>> requests = requests_of(command);
  if (!requests) return requests.error();
  const Result<jobs::Comparison> comparison = jobs::compare_versions(*requests, context.progress());
  if (!comparison) return comparison.error();
  if (context.json) {
    report::Json json(context.out);
    report::write_comparison_json(json, *comparison);
  } else {
    report::write_comparison(context.out, *comparison);
  }
  // What could be compared was shown.
  return comparison->order.size() == comparison->versions.size() ? Exit::kDone : Exit::kInput;
}

}  // namespace

void add_compare(Commands& commands) {
  auto command = std::make_shared<CompareCommand>();
  CLI::App& app = commands.add(
      "compare",
      "Ranks several versions of a kernel by predicted time, and says whether the difference is "
      "certain",
      "  burin compare naive.cu tiled.cu vector.cu --grid 64,64 --block 16,16 \\\n    --arg "
      "buf:4M:f32 --arg buf:4M:f32 --arg buf:4M:undef --arg i32:1024 --machine h200\n  burin "
      "compare kernels.cubin:plain kernels.cubin:padded --grid 256,256 --block 32,8 …\n  burin "
      "compare --launches versions.txt\n\nA version is FILE or FILE:KERNEL; all have the launch of "
      "the options. Each line of a launches\nfile is one version with options of its own. "
      "docs/compare.md explains the report.",
      [command](Context& context) { return run_compare(*command, context); });
  add_predict_options(app, command->common);
  for (const char* name : {"FILE", "--model", "--device"}) app.remove_option(app.get_option(name));
  app.add_option("VERSION", command->versions, "FILE or FILE:KERNEL, several")->option_text("…");
  app.add_option("--launches", command->launches, "One version per line, with its own options")
      ->type_name("FILE");
}

}  // namespace burin::app
