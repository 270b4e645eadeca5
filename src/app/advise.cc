// `burin advise INPUT`: what to change, on which line, and what it gains.
#include "advise/advise.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "advise/load_rules.h"
#include "app/advise_capture.h"
#include "app/advised_launch.h"
#include "app/cli.h"
#include "app/launch_on_machine.h"
#include "app/open_capture.h"
#include "app/predict_options.h"
#include "base/file.h"
#include "base/format.h"
#include "base/new_file.h"
#include "base/text.h"
#include "base/timings.h"
#include "report/advise.h"
#include "report/advise_record.h"
#include "report/sarif.h"

namespace burin {
namespace {

// Of each kernel, where a capture has many: one that spins for ever must not keep the others
// waiting.
constexpr std::uint64_t kMostInstructions = 40'000'000;

struct AdviseCommand {
  PredictCommand predict;
  std::string cubin;
  std::optional<std::size_t> top;
  std::size_t kernels = 5;
  std::vector<std::string> only;
  std::vector<std::string> without;
  std::vector<std::string> libraries;
  bool average_path = false;
  bool samples_only = false;
  std::optional<double> budget;
  bool list_rules = false;
  std::string sarif;
  std::vector<std::string> gates;
  std::string baseline;
};

using Launches = std::vector<std::unique_ptr<AdvisedLaunch>>;

// burin's rules and the user's, and the thresholds: all that can be wrong before any work is done.
struct Prepared {
  AdviseRequest request;
  std::vector<const Rule*> rules;
  std::vector<Gate> gates;
  std::optional<std::vector<AdviceRecord>> baseline;
};

Result<void> add_rules(const AdviseCommand& command, Prepared& prepared) {
  for (const Rule* rule : rules()) prepared.rules.push_back(rule);
  for (const std::string& library : command.libraries) {
    const Result<std::vector<const Rule*>> loaded = load_rules(library);
    if (!loaded) return loaded.error().within("--rules");
    for (const Rule* rule : *loaded) {
      prepared.rules.push_back(rule);
      prepared.request.advise.more.push_back(rule);
    }
  }
  std::vector<std::string> ids;
  for (const Rule* rule : prepared.rules) ids.emplace_back(rule->id());
  for (const auto& [option, named] :
       {std::pair("--rule", &command.only), std::pair("--no-rule", &command.without)}) {
    for (const std::string& id : *named) {
      if (std::ranges::find(ids, id) != ids.end()) continue;
      const std::string near = closest(id, ids);
      return Error{fmt::format("{}: unknown rule '{}'; {}", option, id,
                               near.empty() ? "`burin advise --list-rules` lists them"
                                            : "did you mean " + near + "?"),
                   Exit::kUsage};
    }
  }
  prepared.request.advise.only = command.only;
  prepared.request.advise.without = command.without;
  return {};
}

Result<void> add_gates(const AdviseCommand& command, Prepared& prepared) {
  auto gates = parse_each<Gate>("--fail-on", command.gates, [](const std::string& text) {
    return parse_gate(text, advise_measures());
  });
  if (!gates) return gates.error();
  prepared.gates = std::move(*gates);
  for (const Gate& gate : prepared.gates) {
    const auto is_it = [&](const Rule* rule) { return rule->id() == gate.part; };
    if (gate.measure != "rule" || std::ranges::any_of(prepared.rules, is_it)) continue;
    return Error{
        fmt::format("--fail-on: '{}': unknown rule '{}'; `burin advise --list-rules` lists them",
                    gate.text, gate.part),
        Exit::kUsage};
  }
  if (command.baseline.empty()) return {};
  if (prepared.gates.empty()) {
    return Error{"--baseline needs --fail-on; add a threshold to check against it", Exit::kUsage};
  }
  const Result<MappedFile> file = MappedFile::open(command.baseline);
  if (!file) return file.error().within("--baseline");
  const Bytes bytes = file->bytes();
  Result<std::vector<AdviceRecord>> records =
      read_records({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!records)
    return Error{fmt::format("--baseline: {}: {}", command.baseline, records.error().message)};
  prepared.baseline = std::move(*records);
  return {};
}

Result<void> prepare(const AdviseCommand& command, Prepared& prepared) {
  if (Result<void> added = add_rules(command, prepared); !added) return added;
  if (Result<void> added = add_gates(command, prepared); !added) return added;
  Result<PredictOptions> predict = parse_predict_options(command.predict);
  if (!predict) return predict.error();
  const CaptureName name = parse_capture_name(command.predict.launch.source.file);
  const bool is_capture = names_capture(command.predict.launch);
  prepared.request.predict = std::move(*predict);
  if (prepared.request.predict.most_instructions == 0 && is_capture && name.launch.empty()) {
    prepared.request.predict.most_instructions = kMostInstructions;
  }
  prepared.request.blame.average_path = command.average_path;
  prepared.request.samples_only = command.samples_only;
  prepared.request.budget_seconds = command.budget;
  prepared.request.top = command.top;
  return {};
}

// A launch that the options give.
Result<Launches> advise_file(const AdviseCommand& command, const Prepared& prepared,
                             Context& context) {
  if (!command.cubin.empty()) {
    return Error{"--cubin is for Nsight Compute reports and captures; " +
                     command.predict.launch.source.file + " is neither",
                 Exit::kUsage};
  }
  if (const Result<void> all = complete(command.predict.launch, "advise"); !all) {
    return all.error();
  }
  Result<LaunchOnMachine> loaded = load_on_machine(command.predict, context);
  if (!loaded) return loaded.error();
  Result<std::unique_ptr<AdvisedLaunch>> advised = advise_on(
      input_of(std::move(*loaded)), prepared.request, command.predict.launch.source.file, context);
  if (!advised) return advised.error();
  Launches launches;
  launches.push_back(std::move(*advised));
  return launches;
}

// A kernel that cannot be served is told of and the others go on; where none can, it is an Error.
Result<Launches> advise_capture(const AdviseCommand& command, const Prepared& prepared,
                                Context& context) {
  const CaptureName name = parse_capture_name(command.predict.launch.source.file);
  const Result<Capture> capture = open_capture(name.file);
  if (!capture) return capture.error();
  const CaptureChoice choice{.launch = name.launch,
                             .kernels = command.kernels,
                             .cubin = command.cubin,
                             .command = command.predict};
  Result<std::vector<CaptureInput>> inputs = advise_inputs(*capture, choice, context);
  if (!inputs) return inputs.error();
  Launches launches;
  std::vector<Error> problems;
  for (CaptureInput& each : *inputs) {
    Result<std::unique_ptr<AdvisedLaunch>> advised =
        each.input ? advise_on(std::move(*each.input), prepared.request,
                               command.cubin.empty() ? name.file : command.cubin, context)
                   : Result<std::unique_ptr<AdvisedLaunch>>(each.input.error());
    if (advised) {
      launches.push_back(std::move(*advised));
    } else {
      problems.push_back(advised.error());
    }
  }
  if (launches.empty()) return problems.front();
  for (const Error& problem : problems) context.complain(problem.message);
  return launches;
}

Result<void> write_sarif(const std::string& path, const Prepared& prepared, const std::string& file,
                         Launches& launches) {
  std::string text;
  Output out([&](std::string_view part) {
    text += part;
    return true;
  });
  Sarif sarif(out, std::filesystem::current_path().string());
  sarif.begin(prepared.rules, BURIN_VERSION);
  for (const auto& launch : launches) sarif.add(launch->report(file));
  sarif.end();
  out.flush();
  Result<NewFile> to = NewFile::create(path);
  if (!to) return to.error().within("--sarif");
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  if (Result<void> written = to->write(bytes); !written) return written;
  return to->finish();
}

void write_all(const std::string& file, Launches& launches, Context& context) {
  const Timed timed("report");
  if (!context.json) {
    for (std::size_t k = 0; k < launches.size(); ++k) {
      if (k > 0) context.out.put('\n');
      write_advice(context.out, launches[k]->report(file));
    }
    return;
  }
  Json json(context.out);
  if (launches.size() == 1) {
    write_advice_json(json, launches.front()->report(file));
    return;
  }
  json.open('[');
  for (const auto& launch : launches) write_advice_json(json, launch->report(file));
  json.close();
}

void list_rules(const std::vector<const Rule*>& all, Context& context) {
  if (context.json) {
    Json json(context.out);
    json.open('{');
    json.field("schema", "burin.rules/1");
    json.open("rules", '[');
    for (const Rule* rule : all) {
      json.open('{');
      json.field("id", rule->id());
      json.field("summary", rule->summary());
      json.close();
    }
    json.close();
    json.close();
    return;
  }
  std::size_t width = 0;
  for (const Rule* rule : all) width = std::max(width, rule->id().size() + 2);
  for (const Rule* rule : all) context.out.put(Left{rule->id(), width}, rule->summary(), '\n');
}

Result<Exit> check_gates(const Prepared& prepared, const std::string& file, Launches& launches,
                         Context& context) {
  std::vector<AdviceRecord> now;
  for (const auto& launch : launches) now.push_back(record_of(launch->report(file)));
  const std::vector<Crossing> crossed =
      crossings(prepared.gates, now, prepared.baseline ? &*prepared.baseline : nullptr);
  if (crossed.empty()) return Exit::kDone;
  context.out.flush();
  for (const Crossing& each : crossed) {
    context.complain(fmt::format("--fail-on {}: {}", each.gate, each.sentence));
  }
  return Exit::kGate;
}

Result<Exit> run_advise(const AdviseCommand& command, Context& context) {
  Prepared prepared;
  if (Result<void> sound = prepare(command, prepared); !sound) return sound.error();
  if (command.list_rules) {
    list_rules(prepared.rules, context);
    return Exit::kDone;
  }
  const std::string& file = command.predict.launch.source.file;
  Result<Launches> launches = names_capture(command.predict.launch)
                                  ? advise_capture(command, prepared, context)
                                  : advise_file(command, prepared, context);
  if (!launches) return launches.error();
  if (!command.sarif.empty()) {
    if (Result<void> done = write_sarif(command.sarif, prepared, file, *launches); !done) {
      return done.error();
    }
  }
  write_all(file, *launches, context);
  return check_gates(prepared, file, *launches, context);
}

}  // namespace

void add_advise(Commands& commands) {
  auto command = std::make_shared<AdviseCommand>();
  CLI::App& app = commands.add(
      "advise", "Recommends code changes, with source line and estimated speedup",
      "  burin advise a.out --kernel transpose --grid 256,256 --block 32,8 \\\n    --arg "
      "buf:256M:f32 --arg buf:256M:undef --arg i32:8192 --machine h200\n  burin advise app.burin   "
      "                 the hottest kernels of a capture\n  burin advise app.burin:17 --json       "
      "   one launch\n  burin advise report.csv --cubin a.out     an Nsight Compute report\n  "
      "burin advise a.out … --fail-on \"speedup>1.2\" --fail-on spills --sarif advice.sarif\n  "
      "burin advise a.out … --json > main.json   once; then, on each change:\n  burin advise a.out "
      "… --baseline main.json --fail-on \"speedup>1.05\"\n\n--fail-on takes a metric (speedup, "
      "rule:ID, findings, spills, registers, shared, local, time,\noccupancy or stall:REASON) and "
      "a limit: >, >=, < or <= and a number (default: > 0). Exit\nstatus 1: a limit was exceeded. "
      "docs/advise.md explains the report and every rule.",
      [command](Context& context) { return run_advise(*command, context); });
  add_predict_options(app, command->predict);
  for (const char* name : {"--model", "--device"}) app.remove_option(app.get_option(name));
  app.add_option("--cubin", command->cubin,
                 "Cubin or program that the report, or a capture without code, was made from")
      ->type_name("FILE");
  app.add_option("--top", command->top, "Findings to show (default: 10; with --json: all)")
      ->type_name("N");
  app.add_option("--kernels", command->kernels, "Kernels of a capture to analyse (default: 5)")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  add_repeated(app, "--rule", command->only, "ID", "Run only this rule");
  add_repeated(app, "--no-rule", command->without, "ID", "Skip this rule");
  add_repeated(app, "--rules", command->libraries, "LIB.so", "Add rules from a shared library");
  app.add_flag("--list-rules", command->list_rules, "List the rules and exit");
  app.add_flag("--average-path", command->average_path,
               "Split stall samples among causes by the average path, not the longest");
  app.add_flag("--samples-only", command->samples_only,
               "Do not emulate if there are samples: faster, speedups are GPA estimates only");
  app.add_option(
         "--budget", command->budget,
         "Time limit for re-emulation per launch; remaining findings get GPA estimates only")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber.description(""));
  app.add_option("--sarif", command->sarif,
                 "Write the findings as SARIF 2.1.0, for code review tools")
      ->type_name("FILE");
  add_repeated(app, "--fail-on", command->gates, "EXPR",
               "Exit with status 1 if this limit is exceeded");
  app.add_option("--baseline", command->baseline,
                 "Earlier --json output: --fail-on then counts only new or worse findings")
      ->type_name("FILE");
}

}  // namespace burin
