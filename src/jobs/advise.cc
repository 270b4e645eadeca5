#include "jobs/advise.h"

#include <algorithm>

#include "advise/load_rules.h"
#include "advise/rules/all.h"
#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "jobs/advise_capture.h"
#include "jobs/advise_plan.h"
#include "jobs/input/launch_on_machine.h"
#include "jobs/input/open_capture.h"

namespace burin::jobs {
namespace {

// Of each kernel, where a capture has many: one that spins for ever must not keep the others
// waiting.
constexpr std::uint64_t kMaxCaptureInstructions = 40'000'000;

Result<void> add_rules(const AdviseRequest& command, PreparedAdvice& prepared) {
  for (const advise::Rule* rule : advise::rules()) prepared.rules.push_back(rule);
  for (const std::string& library : command.libraries) {
    const Result<std::vector<const advise::Rule*>> loaded = advise::load_rules(library);
    if (!loaded) return loaded.error().within("--rules");
    for (const advise::Rule* rule : *loaded) {
      prepared.rules.push_back(rule);
      prepared.request.advise.more.push_back(rule);
    }
  }
  std::vector<std::string> ids;
  for (const advise::Rule* rule : prepared.rules) ids.emplace_back(rule->id());
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

Result<void> add_gates(const AdviseRequest& command, PreparedAdvice& prepared) {
  auto gates = parse_each<advise::Gate>("--fail-on", command.gates, [](const std::string& text) {
    return advise::parse_gate(text, advise::advise_measures());
  });
  if (!gates) return gates.error();
  prepared.gates = std::move(*gates);
  for (const advise::Gate& gate : prepared.gates) {
    const auto is_it = [&](const advise::Rule* rule) { return rule->id() == gate.part; };
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
  Result<std::vector<advise::AdviceRecord>> records =
      advise::read_records({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!records)
    return Error{fmt::format("--baseline: {}: {}", command.baseline, records.error().message)};
  prepared.baseline = std::move(*records);
  return {};
}

// What --try and --fix need: source, not what was made from it.
Result<void> check_source(const AdviseRequest& command, bool is_capture) {
  const std::string& file = command.predict.launch.source.file;
  if (command.plan && is_capture) {
    return Error{"--plan is for a launch given by options, not for a capture", Exit::kUsage};
  }
  const char* const option = !command.fix.empty() ? "--fix" : "--try";
  if ((!command.try_changes && command.fix.empty()) || is_cuda_source(file)) return {};
  return Error{fmt::format("{} changes and compiles the source: give the .cu file{}", option,
                           is_capture ? "; a capture has none" : " instead of " + file),
               Exit::kUsage};
}

Result<void> prepare(const AdviseRequest& command, PreparedAdvice& prepared) {
  if (Result<void> added = add_rules(command, prepared); !added) return added;
  if (Result<void> added = add_gates(command, prepared); !added) return added;
  Result<timing::PredictOptions> predict = parse_predict_options(command.predict);
  if (!predict) return predict.error();
  const capture::CaptureName name = capture::parse_capture_name(command.predict.launch.source.file);
  const bool is_capture = names_capture(command.predict.launch);
  prepared.request.predict = std::move(*predict);
  if (prepared.request.predict.most_instructions == 0 && is_capture && name.launch.empty()) {
    prepared.request.predict.most_instructions = kMaxCaptureInstructions;
  }
  prepared.request.blame.average_path = command.average_path;
  prepared.request.blame.unpruned = command.causes;
  prepared.request.samples_only = command.samples_only;
  prepared.request.causes_only = command.causes;
  prepared.request.budget_seconds = command.budget;
  prepared.request.top = command.top;
  return check_source(command, is_capture);
}

// The advice for the launch with the changes that were made.
Result<std::unique_ptr<AdvisedLaunch>> advise_changed(const AdviseRequest& command,
                                                      const PreparedAdvice& prepared,
                                                      SourceTrial& trial,
                                                      const std::vector<FixStep>& steps,
                                                      const Progress& progress) {
  Variant variant;
  for (const FixStep& step : steps) variant.push_back(&step.change);
  const Result<LaunchRequest> request = trial.variants->request_of(variant);
  if (!request) return request.error();
  PredictRequest predict = command.predict;
  predict.launch = *request;
  Result<LaunchOnMachine> loaded = load_on_machine(predict, progress);
  if (!loaded) return loaded.error();
  return advise_on(input_of(std::move(*loaded)), prepared.request, predict.launch.source.file,
                   progress);
}

// --try, --fix and --plan, on the advice for a launch of a source file.
Result<void> try_on(const AdviseRequest& command, const PreparedAdvice& prepared,
                    AdvisedLaunch& advised, const Progress& progress) {
  const SourceTrialInput input{.request = command.predict,
                               .c = *advised.given,
                               .code = *advised.input.code,
                               .options = advised.request.predict,
                               .limit_seconds = command.try_seconds};
  const Result<std::unique_ptr<SourceTrial>> trial = open_source_trial(input);
  if (!trial) return trial.error();
  advised.tried = try_changes(**trial, input, advised.advice, progress);
  if (!command.fix.empty()) {
    Result<Fix> fix = make_fix(**trial, input, *advised.tried, progress);
    if (!fix) return fix.error();
    advised.fix = std::move(*fix);
  }
  if (!command.plan) return {};
  const std::vector<FixStep> steps =
      advised.fix ? advised.fix->steps : best_together(**trial, input, *advised.tried, progress);
  std::unique_ptr<AdvisedLaunch> changed;
  if (!steps.empty()) {
    Result<std::unique_ptr<AdvisedLaunch>> after =
        advise_changed(command, prepared, **trial, steps, progress);
    if (!after) return after.error();
    changed = std::move(*after);
  }
  std::vector<std::string> without;
  for (const advise::Finding& finding : advised.tried->not_faster) without.push_back(finding.rule);
  advised.plan = make_plan(advised, steps, changed.get(), without, progress);
  return {};
}

// A launch that the options give.
Result<AdvisedLaunches> advise_file(const AdviseRequest& command, const PreparedAdvice& prepared,
                                    const Progress& progress) {
  if (!command.cubin.empty()) {
    return Error{"--cubin is for Nsight Compute reports and captures; " +
                     command.predict.launch.source.file + " is neither",
                 Exit::kUsage};
  }
  if (const Result<void> all = complete(command.predict.launch, "advise"); !all) {
    return all.error();
  }
  Result<LaunchOnMachine> loaded = load_on_machine(command.predict, progress);
  if (!loaded) return loaded.error();
  Result<std::unique_ptr<AdvisedLaunch>> advised = advise_on(
      input_of(std::move(*loaded)), prepared.request, command.predict.launch.source.file, progress);
  if (!advised) return advised.error();
  const bool tries = command.try_changes || !command.fix.empty();
  const bool from_source = is_cuda_source(command.predict.launch.source.file);
  if ((tries || command.plan) && (*advised)->study == nullptr) {
    return Error{"--try, --fix and --plan need a launch that can be emulated: " +
                 (*advised)->input.not_emulated};
  }
  if (tries || (command.plan && from_source)) {
    if (Result<void> tried = try_on(command, prepared, **advised, progress); !tried) {
      return tried.error();
    }
  } else if (command.plan) {
    (*advised)->plan = make_plan(**advised, {}, nullptr, {}, progress);
  }
  AdvisedLaunches all;
  all.launches.push_back(std::move(*advised));
  return all;
}

// A kernel that cannot be served is told of and the others go on; where none can, it is an Error.
Result<AdvisedLaunches> advise_capture(const AdviseRequest& command, const PreparedAdvice& prepared,
                                       const Progress& progress) {
  const capture::CaptureName name = capture::parse_capture_name(command.predict.launch.source.file);
  const Result<capture::Capture> capture = open_capture(name.file);
  if (!capture) return capture.error();
  const CaptureChoice choice{.launch = name.launch,
                             .kernels = command.kernels,
                             .by_caller = true,
                             .cubin = command.cubin,
                             .command = command.predict};
  Result<std::vector<CaptureInput>> inputs = advise_inputs(*capture, choice, progress);
  if (!inputs) return inputs.error();
  AdvisedLaunches all;
  std::optional<Error> first;
  for (CaptureInput& each : *inputs) {
    Result<std::unique_ptr<AdvisedLaunch>> advised =
        each.input ? advise_on(std::move(*each.input), prepared.request,
                               command.cubin.empty() ? name.file : command.cubin, progress)
                   : Result<std::unique_ptr<AdvisedLaunch>>(each.input.error());
    if (advised) {
      all.launches.push_back(std::move(*advised));
    } else {
      if (!first) first = advised.error();
      all.problems.push_back(advised.error().message);
    }
  }
  if (all.launches.empty()) return *first;
  return all;
}

}  // namespace

Result<std::unique_ptr<PreparedAdvice>> prepare_advice(const AdviseRequest& request) {
  auto prepared = std::make_unique<PreparedAdvice>();
  if (Result<void> sound = prepare(request, *prepared); !sound) return sound.error();
  return prepared;
}

Result<AdvisedLaunches> advise_launches(const AdviseRequest& request,
                                        const PreparedAdvice& prepared, const Progress& progress) {
  return names_capture(request.predict.launch) ? advise_capture(request, prepared, progress)
                                               : advise_file(request, prepared, progress);
}

std::vector<advise::Crossing> crossings(const PreparedAdvice& prepared,
                                        const AdvisedLaunches& advised) {
  std::vector<advise::AdviceRecord> now;
  for (const auto& launch : advised.launches) {
    now.push_back(advise::record_of(*launch->given, launch->advice, *launch->source));
    const std::vector<Caller>& callers = launch->input.callers;
    if (callers.size() == 1) now.back().caller = callers.front().place;
  }
  return advise::crossings(prepared.gates, now, prepared.baseline ? &*prepared.baseline : nullptr);
}

}  // namespace burin::jobs
