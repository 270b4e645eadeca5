#include "jobs/try/fix.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "advise/case/origin.h"
#include "advise/changes/parameters.h"
#include "base/file.h"
#include "base/text.h"

namespace burin::jobs {
namespace {

namespace fs = std::filesystem;

// Nobody looks at a fix before it is applied. Of changes that were predicted to gain less, one in
// three was slower on an H200 (bench/advice/paths).
constexpr double kClearFixGain = 1.08;
constexpr double kMinStepGain = 1.02;  // on top of other changes
constexpr std::size_t kMaxSteps = 6;
constexpr std::size_t kAlternatives = 2;  // of each family and place, on top of other changes
// A change of the text is preferred to a flag that is faster by less.
constexpr double kTextAdvantage = 1.01;

double advantage(const TriedChange& tried) {
  return tried.speedup * (tried.change.in_source() ? kTextAdvantage : 1);
}

// The best of each family and place, as far as they gain. Coarsened PTX is no part of a fix.
std::vector<const TriedChange*> candidates_of(const TriedChanges& tried) {
  std::map<std::pair<std::string, std::string>, std::vector<const TriedChange*>> groups;
  for (const TriedChange& each : tried.changes) {
    if (!each.gains() || !each.change.coarsenings.empty()) continue;
    groups[{each.change.family, each.change.place}].push_back(&each);
  }
  std::vector<const TriedChange*> all;
  for (auto& [key, group] : groups) {
    std::ranges::stable_sort(group, std::ranges::greater(), &TriedChange::speedup);
    if (group.size() > kAlternatives) group.resize(kAlternatives);
    all.insert(all.end(), group.begin(), group.end());
  }
  std::ranges::stable_sort(all, std::ranges::greater(),
                           [](const auto* t) { return advantage(*t); });
  return all;
}

bool fits(const std::vector<FixStep>& steps, const advise::Change& change) {
  return std::ranges::all_of(
      steps, [&](const FixStep& step) { return advise::combine(step.change, change); });
}

Variant with(const std::vector<FixStep>& steps, const advise::Change* change) {
  Variant variant;
  for (const FixStep& step : steps) variant.push_back(&step.change);
  if (change != nullptr) variant.push_back(change);
  return variant;
}

// For changes on top of others, once each was tried alone.
Variants::Clock::duration more_time(const SourceTrialInput& input) {
  return std::chrono::duration_cast<Variants::Clock::duration>(
      std::chrono::duration<double>(input.limit_seconds / 3));
}

std::vector<FixStep> combine_steps(SourceTrial& trial, const TriedChanges& tried,
                                   const std::set<std::string>& excluded,
                                   const Progress& progress) {
  std::vector<const TriedChange*> left = candidates_of(tried);
  std::erase_if(left, [&](const TriedChange* t) { return excluded.contains(t->change.title); });
  std::vector<FixStep> steps;
  if (left.empty() || left[0]->speedup < kClearFixGain) return steps;
  steps.push_back({left[0]->change, *left[0]->result.time_us});
  while (steps.size() < kMaxSteps) {
    std::erase_if(left, [&](const TriedChange* t) { return !fits(steps, t->change); });
    if (left.empty()) break;
    std::vector<Variant> variants;
    for (const TriedChange* t : left) variants.push_back(with(steps, &t->change));
    const std::vector<PredictedVariant> found =
        trial.variants->predict(variants, trial.deadline, progress);
    std::size_t best = left.size();
    for (std::size_t k = 0; k < left.size(); ++k) {
      if (found[k].time_us && (best == left.size() || *found[k].time_us < *found[best].time_us)) {
        best = k;
      }
    }
    if (best == left.size() || steps.back().time_us < kMinStepGain * *found[best].time_us) break;
    steps.push_back({left[best]->change, *found[best].time_us});
  }
  return steps;
}

std::optional<launch::ElementType> element_of(const std::string& type) {
  static const std::map<std::string, launch::ElementType> types = {
      {"float", launch::ElementType::kF32},          {"float2", launch::ElementType::kF32},
      {"float4", launch::ElementType::kF32},         {"double", launch::ElementType::kF64},
      {"__half", launch::ElementType::kF16},         {"half", launch::ElementType::kF16},
      {"__nv_bfloat16", launch::ElementType::kBf16}, {"int", launch::ElementType::kU32},
      {"unsigned", launch::ElementType::kU32}};
  const auto found = types.find(type);
  if (found == types.end()) return std::nullopt;
  return found->second;
}

std::vector<ResultsReference::Argument> arguments_of(const SourceTrial& trial,
                                                     const SourceTrialInput& input) {
  const read::Function& function = *input.c.kernel.function;
  const std::set<std::uint32_t> written = advise::written_parameters(input.c.kernel);
  std::vector<ResultsReference::Argument> arguments;
  for (const read::Parameter& parameter : function.parameters) {
    arguments.push_back({.written = written.contains(parameter.offset)});
  }
  const advise::ProposalInput text =
      advise::proposal_input(input.c, trial.source, input.request.launch.source.file);
  if (text.kernel() == nullptr) return arguments;
  const auto parameters = advise::parameters_of(trial.source, *text.kernel());
  for (std::size_t k = 0; k < arguments.size() && parameters.size() == arguments.size(); ++k) {
    arguments[k].type = element_of(parameters[k].pointee);
  }
  return arguments;
}

// Changes of the text and flags, executed with the shape of the original: another shape alone is
// proved. A change that needs another shape is executed with that.
class FixCheck {
 public:
  FixCheck(SourceTrial& trial, const ResultsReference& reference, const Progress& progress)
      : trial_(trial), reference_(reference), progress_(progress) {}

  ResultsCheck of(const std::vector<FixStep>& steps) const {
    std::vector<advise::Change> changes;
    std::optional<launch::Dims> grid;
    bool rounds = false;
    for (const FixStep& step : steps) {
      if (step.change.launch_only()) continue;
      changes.push_back(step.change);
      rounds = rounds || step.change.rounds_differently;
      if (!step.change.for_grid) continue;
      advise::GridForm form = step.change.for_grid(reference_.grid());
      changes.back().edits = std::move(form.edits);
      grid = form.grid;
    }
    Variant variant;
    for (const advise::Change& change : changes) variant.push_back(&change);
    const Result<LaunchRequest> request = trial_.variants->request_of(variant);
    if (!request) return {.problem = request.error().message};
    return reference_.compare(*request, rounds, progress_, grid);
  }

 private:
  SourceTrial& trial_;
  const ResultsReference& reference_;
  const Progress& progress_;
};

// Steps whose results are right, each checked alone; what is wrong is noted.
void reject_wrong(const FixCheck& check, Fix& fix, std::set<std::string>& excluded) {
  for (const FixStep& step : fix.steps) {
    if (step.change.launch_only()) continue;
    const ResultsCheck alone = check.of({step});
    if (alone.same) continue;
    excluded.insert(step.change.title);
    fix.rejected.push_back({step.change.title, describe(alone)});
  }
}

void name_file(const std::string& file, Fix& fix) {
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored);
  const fs::path whole = fs::weakly_canonical(file, ignored);
  const fs::path below = whole.lexically_relative(fs::weakly_canonical(here, ignored));
  if (!below.empty() && *below.begin() != "..") {
    fix.path = below.generic_string();
  } else {
    fix.path = whole.filename().generic_string();
    fix.folder = whole.parent_path().generic_string();
  }
}

Result<void> make_patch(const SourceTrial& trial, const std::string& file, Fix& fix) {
  const Result<MappedFile> now = MappedFile::open(file);
  if (!now) return now.error();
  const std::string& text = trial.source.text();
  if (!std::ranges::equal(now->bytes(), text, {}, {},
                          [](char c) { return static_cast<std::uint8_t>(c); })) {
    return Error{file + ": was changed while burin tried its changes; run burin again"};
  }
  std::vector<advise::TextEdit> edits;
  for (const FixStep& step : fix.steps) {
    edits.insert(edits.end(), step.change.edits.begin(), step.change.edits.end());
    fix.flags.insert(fix.flags.end(), step.change.flags.begin(), step.change.flags.end());
    if (step.change.grid) fix.grid = step.change.grid;
    if (step.change.block) fix.block = step.change.block;
  }
  if (fix.grid && !fix.block) fix.block = trial.variants->base().launch.block;
  name_file(file, fix);
  fix.patch = advise::unified_diff(trial.source, fix.path, edits);
  return {};
}

}  // namespace

std::vector<FixStep> best_together(SourceTrial& trial, const SourceTrialInput& input,
                                   const TriedChanges& tried, const Progress& progress) {
  // Trying each alone may have used up the time.
  trial.deadline = std::max(trial.deadline, Variants::Clock::now() + more_time(input));
  return combine_steps(trial, tried, {}, progress);
}

Result<Fix> make_fix(SourceTrial& trial, const SourceTrialInput& input, const TriedChanges& tried,
                     const Progress& progress) {
  Fix fix{.base_us = tried.base_us};
  fix.steps = best_together(trial, input, tried, progress);
  if (fix.steps.empty()) return fix;
  LaunchRequest original = input.request.launch;
  original.source.gpu = input.c.machine.arch;
  const Result<std::unique_ptr<ResultsReference>> reference = ResultsReference::run(
      original, arguments_of(trial, input), input.c.study->base().instructions, progress);
  if (!reference) {
    fix.not_checked =
        "the kernel cannot be executed to compare results: " + reference.error().message;
    fix.steps.clear();
    return fix;
  }
  const FixCheck check(trial, **reference, progress);
  std::set<std::string> excluded;
  ResultsCheck together = check.of(fix.steps);
  while (!together.same && !fix.steps.empty()) {
    const std::size_t before = excluded.size();
    reject_wrong(check, fix, excluded);
    if (excluded.size() == before) {
      // Each alone is right: the last one is wrong together with the others.
      excluded.insert(fix.steps.back().change.title);
      fix.rejected.push_back({fix.steps.back().change.title, describe(together)});
    }
    fix.steps = combine_steps(trial, tried, excluded, progress);
    if (!fix.steps.empty()) together = check.of(fix.steps);
  }
  if (fix.steps.empty()) return fix;
  fix.check = together;
  if (Result<void> made = make_patch(trial, input.request.launch.source.file, fix); !made) {
    return made.error();
  }
  return fix;
}

}  // namespace burin::jobs
