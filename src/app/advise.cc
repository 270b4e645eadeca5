// `burin advise INPUT`: what to change, on which line, and what it gains.
#include "jobs/advise.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli.h"
#include "app/fail_on.h"
#include "app/launch_pictures.h"
#include "app/options/html_option.h"
#include "app/options/launch_options.h"
#include "app/options/option_values.h"
#include "app/options/output_option.h"
#include "app/options/predict_options.h"
#include "base/file.h"
#include "base/format.h"
#include "base/new_file.h"
#include "base/timings.h"
#include "jobs/input/output_file.h"
#include "report/advice/advise.h"
#include "report/advice/causes.h"
#include "report/advice/fix.h"
#include "report/advice/sarif.h"

namespace burin::app {
namespace {

struct AdviseCommand {
  jobs::AdviseRequest request;
  bool list_rules = false;
  std::string sarif;
  PictureOptions pictures;
};

using Launches = std::vector<std::unique_ptr<jobs::AdvisedLaunch>>;

Result<void> write_sarif(const std::string& path, const jobs::PreparedAdvice& prepared,
                         const std::string& file, Launches& launches, Context& context) {
  std::string text;
  report::Output out([&](std::string_view part) {
    text += part;
    return true;
  });
  std::error_code ignored;  // without a folder, names of files stay as they are
  report::Sarif sarif(out, std::filesystem::current_path(ignored).string());
  sarif.begin(prepared.rules, BURIN_VERSION);
  for (const auto& launch : launches) sarif.add(report::report_of(*launch, file));
  sarif.end();
  out.flush();
  if (path == kStandardOutput) {
    context.out.put(text);
    return {};
  }
  Result<NewFile> to = NewFile::create(path);
  if (!to) return to.error().within("--sarif");
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  if (Result<void> written = to->write(bytes); !written) return written;
  return to->finish();
}

void write_all(const jobs::AdviseRequest& request, Launches& launches, Context& context) {
  const Timed timed("report");
  const std::string& file = request.predict.launch.source.file;
  if (!context.json) {
    const auto write = request.causes ? report::write_causes : report::write_advice;
    for (std::size_t k = 0; k < launches.size(); ++k) {
      if (k > 0) context.out.put('\n');
      report::AdviseReport report = report::report_of(*launches[k], file);
      report.patch = request.fix;
      write(context.out, report);
    }
    return;
  }
  const auto write = request.causes ? report::write_causes_json : report::write_advice_json;
  report::Json json(context.out);
  if (launches.size() > 1) json.open('[');
  for (const auto& launch : launches) write(json, report::report_of(*launch, file));
  if (launches.size() > 1) json.close();
}

void list_rules(const std::vector<const advise::Rule*>& all, Context& context) {
  if (context.json) {
    report::Json json(context.out);
    json.open('{');
    json.field("schema", "burin.rules/1");
    json.open("rules", '[');
    for (const advise::Rule* rule : all) {
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
  for (const advise::Rule* rule : all) width = std::max(width, rule->id().size() + 2);
  for (const advise::Rule* rule : all)
    context.out.put(report::Left{rule->id(), width}, rule->summary(), '\n');
}

// On standard output the patch stands alone, and what it does on standard error.
Result<void> write_patch(const std::string& path, const jobs::Fix& fix, Context& context) {
  if (path == kStandardOutput) {
    for (const std::string& line : report::fix_lines(fix, "")) context.warn(line);
    context.out.put(fix.patch);
    return {};
  }
  if (fix.patch.empty()) return {};
  Result<NewFile> to = NewFile::create(path);
  if (!to) return to.error().within("--fix");
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(fix.patch.data()), fix.patch.size());
  if (Result<void> written = to->write(bytes); !written) return written;
  return to->finish();
}

// One of them alone, and then not the report.
Result<void> check_standard_output(const AdviseCommand& command, bool json) {
  const bool patch = command.request.fix == kStandardOutput;
  const bool sarif = command.sarif == kStandardOutput;
  if (patch && json) {
    return Error{"--fix - and --json both write to standard output; the JSON has the patch",
                 Exit::kUsage};
  }
  if (sarif && (json || patch)) {
    return Error{fmt::format("--sarif - and {} both write to standard output; name a file",
                             json ? "--json" : "--fix -"),
                 Exit::kUsage};
  }
  return {};
}

Result<void> check_patch(const AdviseCommand& command) {
  const std::string& path = command.request.fix;
  if (path.empty() || path == kStandardOutput) return {};
  if (Result<void> fine =
          jobs::check_output({"--fix", path, jobs::FileContent::kText},
                             jobs::input_files(command.request.predict), command.pictures.force);
      !fine) {
    return fine;
  }
  // Text of any other kind is somebody's work.
  constexpr std::string_view kPatch = "--- ";
  const std::vector<std::uint8_t> begin = first_bytes(path, kPatch.size());
  if (command.pictures.force || begin.empty() || std::ranges::equal(begin, kPatch)) return {};
  return Error{fmt::format("--fix: {} exists and is a text file, not a patch; choose another name, "
                           "or overwrite it with --force",
                           path),
               Exit::kUsage};
}

Result<void> check_sarif(const AdviseCommand& command) {
  if (command.sarif.empty() || command.sarif == kStandardOutput) return {};
  std::vector<std::string> inputs = jobs::input_files(command.request.predict);
  inputs.push_back(command.request.cubin);
  inputs.push_back(command.request.baseline);
  inputs.insert(inputs.end(), command.request.libraries.begin(), command.request.libraries.end());
  return jobs::check_output({"--sarif", command.sarif, jobs::FileContent::kJson}, inputs,
                            command.pictures.force);
}

// Options about findings mean nothing where none are made.
Result<void> check_causes(const AdviseCommand& command) {
  const jobs::AdviseRequest& request = command.request;
  if (!request.causes) return {};
  for (const auto& [option, is_set] : {std::pair("--rule", !request.only.empty()),
                                       {"--no-rule", !request.without.empty()},
                                       {"--rules", !request.libraries.empty()},
                                       {"--sarif", !command.sarif.empty()},
                                       {"--html", !command.pictures.html.empty()},
                                       {"--try", request.try_changes},
                                       {"--fix", !request.fix.empty()},
                                       {"--plan", request.plan},
                                       {"--fail-on", !request.gates.empty()},
                                       {"--baseline", !request.baseline.empty()}}) {
    if (!is_set) continue;
    return Error{fmt::format("--causes: makes no findings; remove {}", option), Exit::kUsage};
  }
  return {};
}

Result<Exit> run_advise(const AdviseCommand& command, Context& context) {
  if (Result<void> fine = check_causes(command); !fine) return fine.error();
  const Result<std::unique_ptr<jobs::PreparedAdvice>> prepared =
      jobs::prepare_advice(command.request);
  if (!prepared) return prepared.error();
  if (command.list_rules) {
    list_rules((*prepared)->rules, context);
    return Exit::kDone;
  }
  if (Result<void> fine = check_standard_output(command, context.json); !fine) return fine.error();
  if (Result<void> fine = check_sarif(command); !fine) return fine.error();
  if (Result<void> fine = check(command.pictures, jobs::input_files(command.request.predict));
      !fine) {
    return fine.error();
  }
  if (Result<void> fine = check_patch(command); !fine) return fine.error();
  const std::string& file = command.request.predict.launch.source.file;
  Result<jobs::AdvisedLaunches> advised =
      jobs::advise_launches(command.request, **prepared, context.progress());
  if (!advised) return advised.error();
  for (const std::string& problem : advised->problems) context.warn(problem);
  if (!command.sarif.empty()) {
    if (Result<void> done =
            write_sarif(command.sarif, **prepared, file, advised->launches, context);
        !done) {
      return done.error();
    }
  }
  if (Result<void> done = write_pictures(command.pictures, advised->launches, file); !done) {
    return done.error();
  }
  if (const std::optional<jobs::Fix>& fix = advised->launches.front()->fix) {
    if (Result<void> done = write_patch(command.request.fix, *fix, context); !done) {
      return done.error();
    }
    if (command.request.fix == kStandardOutput) {
      return fail_on(jobs::crossings(**prepared, *advised), context);
    }
  }
  if (command.sarif != kStandardOutput) write_all(command.request, advised->launches, context);
  return fail_on(jobs::crossings(**prepared, *advised), context);
}

}  // namespace

void add_advise(Commands& commands) {
  auto command = std::make_shared<AdviseCommand>();
  CLI::App& app = commands.add(
      "advise", "Recommends code changes, with source line and estimated speedup",
      "  burin advise a.out --kernel transpose --grid 256,256 --block 32,8 \\\n    --arg "
      "buf:256M:f32 --arg buf:256M:undef --arg i32:8192 --machine h200\n  burin advise app.burin   "
      "                 the hottest kernels of a capture\n  burin advise app.burin:17 --json       "
      "   one launch\n  burin advise app.burin --causes           what its warps wait for, by "
      "line\n  burin advise report.csv --cubin a.out     an Nsight Compute report\n  "
      "burin advise a.out … --fail-on \"speedup>1.2\" --fail-on spills --sarif advice.sarif\n  "
      "burin advise a.out … --json > main.json   once; then, on each change:\n  burin advise a.out "
      "… --baseline main.json --fail-on \"speedup>1.05\"\n  burin advise kernel.cu … --try         "
      "   changes that burin can make "
      "itself, compiled and predicted\n  burin advise kernel.cu … --fix fix.patch  … and those "
      "that "
      "gain as a patch, with results compared\n  burin advise kernel.cu … --plan           "
      "headroom, "
      "and the findings as a sequence of steps\n\n--fail-on takes a metric (speedup, "
      "rule:ID, findings, spills, registers, shared, local, time,\noccupancy or stall:REASON) and "
      "a limit: >, >=, < or <= and a number (default: > 0). Exit\nstatus 1: a limit was exceeded. "
      "docs/advise.md explains the report and every rule.",
      [command](Context& context) {
        if (!command->pictures.html.empty()) {
          command->request.predict.timeline_intervals = kTimelineIntervals;
        }
        return run_advise(*command, context);
      });
  add_predict_options(app, command->request.predict);
  for (const char* name : {"--model", "--device"}) app.remove_option(app.get_option(name));
  app.add_option("--cubin", command->request.cubin,
                 "Cubin or program that the report, or a capture without code, was made from")
      ->type_name("FILE");
  CLI::Option* const top = add_whole(app, "--top", command->request.top, 0, kNoLimit,
                                     "Findings or causes to show (default: 10; with --json: all)");
  app.add_flag_callback(
         "--all", [command] { command->request.top = kNoLimit; }, "Show all findings or causes")
      ->excludes(top);
  app.add_option("--fix", command->request.fix,
                 "As --try, and write the changes that gain as a patch, once burin has run the "
                 "changed kernel and compared its results (-: standard output)")
      ->type_name("FILE")
      ->check(output_file_or_dash());
  app.add_flag("--plan", command->request.plan,
               "Show the headroom, and the findings as a sequence of steps");
  app.add_flag("--try", command->request.try_changes,
               "Compile and predict the changes that burin can make itself (FILE is a .cu file)");
  add_real(app, "--try-time", command->request.try_seconds, 0, kMaxSeconds,
           "Time limit of --try (default: 30)")
      ->type_name("SECONDS");
  add_whole(app, "--kernels", command->request.kernels, 1, kNoLimit,
            "Kernels of a capture to analyse (default: 5)");
  add_repeated(app, "--rule", command->request.only, "ID", "Run only this rule");
  add_repeated(app, "--no-rule", command->request.without, "ID", "Skip this rule");
  add_repeated(app, "--rules", command->request.libraries, "LIB.so",
               "Add rules from a shared library");
  app.add_flag("--list-rules", command->list_rules, "List the rules and exit");
  app.add_flag("--average-path", command->request.average_path,
               "Split stall samples among causes by the average path, not the longest");
  app.add_flag("--samples-only", command->request.samples_only,
               "Do not emulate if there are samples: faster, speedups are GPA estimates only");
  add_real(app, "--budget", command->request.budget, 0, kMaxSeconds,
           "Time limit for re-emulation per launch; remaining findings get GPA estimates only")
      ->type_name("SECONDS");
  app.add_option("--sarif", command->sarif,
                 "Write the findings as SARIF 2.1.0, for code review tools (-: standard output)")
      ->type_name("FILE")
      ->check(output_file_or_dash());
  add_html_option(app, command->pictures);
  add_repeated(app, "--fail-on", command->request.gates, "EXPR",
               "Exit with status 1 if this limit is exceeded");
  app.add_option("--baseline", command->request.baseline,
                 "Earlier --json output: --fail-on then counts only new or worse findings")
      ->type_name("FILE");
  app.add_flag("--causes", command->request.causes,
               "Show what causes each stall, by line and by loop, instead of advice");
}

}  // namespace burin::app
