// `burin diff A B`: what changed between two builds or two captures.
#include "report/diff.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/diff_sides.h"
#include "base/format.h"
#include "base/text.h"
#include "base/timings.h"
#include "launch/stall_profile.h"

namespace burin {
namespace {

struct DiffCommand {
  DiffRequest request;
  DiffView view;
  std::vector<std::string> gates;
  bool average_path = false;
};

bool is_capture(const std::string& name) {
  LaunchOptions options;
  options.source.file = name;
  return names_capture(options);
}

Result<DiffSides> sides_of(const DiffRequest& request, Context& context) {
  const bool first = is_capture(request.before);
  const bool second = is_capture(request.after);
  const LaunchOptions& launch = request.command.launch;
  if (first != second) {
    return Error{
        fmt::format("{} is a capture but {} is not; compare two captures or two binaries",
                    first ? request.before : request.after, first ? request.after : request.before),
        Exit::kUsage};
  }
  if (request.predict && !first) {
    return Error{
        "--predict is for captures; for two binaries give a launch with --grid, --block and --arg",
        Exit::kUsage};
  }
  if (first) {
    for (const auto& [option, text] :
         {std::pair("--grid", launch.grid), {"--block", launch.block}}) {
      if (text.empty()) continue;
      return Error{fmt::format("{}: captures already define their launches", option), Exit::kUsage};
    }
    return capture_sides(request, context);
  }
  if (launch.grid.empty() && launch.block.empty() && launch.arguments.empty()) {
    if (!request.after_kernel.empty()) {
      return Error{"--after-kernel needs a launch; add --grid, --block and --arg", Exit::kUsage};
    }
    return binary_sides(request, context);
  }
  LaunchOptions whole = launch;
  whole.source.file = request.before;
  if (const Result<void> all = complete(whole, "diff"); !all) return all.error();
  return launch_sides(request, context);
}

Result<Exit> check_gates(const std::vector<Gate>& gates, const Diff& diff, Context& context) {
  const std::vector<Crossing> crossed = crossings(gates, diff);
  if (crossed.empty()) return Exit::kDone;
  context.out.flush();
  for (const Crossing& each : crossed) {
    context.complain(fmt::format("--fail-on {}: {}", each.gate, each.sentence));
  }
  return Exit::kGate;
}

// A gate on time that nothing could tell would pass silently.
Result<void> check_told(const std::vector<Gate>& gates, const Diff& diff) {
  for (const Gate& gate : gates) {
    if (gate.measure == "stall" && !stall_named(gate.part)) {
      return Error{fmt::format("--fail-on: '{}': unknown stall reason '{}'; try long_scoreboard",
                               gate.text, gate.part),
                   Exit::kUsage};
    }
    if (gate.measure != "time" || diff.kernels.empty()) continue;
    const bool told = std::ranges::any_of(diff.kernels, [](const KernelDiff& kernel) {
      return time_change(kernel.pair).has_value();
    });
    if (told) continue;
    return Error{fmt::format("--fail-on: '{}': no times to compare; give a launch with --grid, "
                             "--block and --arg, or two captures",
                             gate.text),
                 Exit::kUsage};
  }
  return {};
}

Result<Exit> run_diff(DiffCommand command, Context& context) {
  auto gates = parse_each<Gate>("--fail-on", command.gates, [](const std::string& text) {
    return parse_gate(text, diff_measures());
  });
  if (!gates) return gates.error();
  DiffRequest& request = command.request;
  Result<PredictOptions> predict = parse_predict_options(request.command);
  if (!predict) return predict.error();
  request.advise.predict = std::move(*predict);
  request.advise.blame.average_path = command.average_path;
  const Result<DiffSides> sides = sides_of(request, context);
  if (!sides) return sides.error();
  const Timed timed("compare");
  SourceText before(folder_of(request.before));
  SourceText after(folder_of(request.after));
  const Diff diff = compare_sides(sides->first, sides->second, before, after);
  if (Result<void> told = check_told(*gates, diff); !told) return told.error();
  if (context.json) {
    Json json(context.out);
    write_diff_json(json, diff);
  } else {
    write_diff(context.out, diff, command.view, after);
  }
  return check_gates(*gates, diff, context);
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
      "(after / before) and the increase of registers, shared, local, spills, constant,\nbarriers, "
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
  app.add_flag("--average-path", command->average_path,
               "Split stall samples among causes by the average path, not the longest");
  app.add_flag("--all", command->view.all, "Show unchanged rows too");
  add_repeated(app, "--fail-on", command->gates, "EXPR",
               "Exit with status 1 if this limit is exceeded");
}

}  // namespace burin
