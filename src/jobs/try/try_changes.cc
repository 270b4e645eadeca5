#include "jobs/try/try_changes.h"

#include <algorithm>
#include <set>

#include "analyze/code/regions.h"
#include "base/file.h"
#include "base/format.h"
#include "base/timings.h"

namespace burin::jobs {
namespace {

// A smaller gain may be noise from warp ordering.
constexpr double kMinGain = 1.02;

bool is_about(const advise::Case& c, const advise::Finding& finding, const advise::Change& change) {
  if (std::ranges::find(change.rules, finding.rule) == change.rules.end()) return false;
  if (change.line == 0) return true;
  const auto within = [&](std::uint32_t instruction) {
    if (instruction == read::kNoIndex) return false;
    const std::uint32_t line = analyze::line_of(c.kernel, instruction).line;
    return line >= change.line && line <= change.last_line;
  };
  return within(finding.where) || within(finding.cause);
}

advise::TriedResult result_of(const TriedChange& tried) {
  return {.change = tried.change.title,
          .time_us = *tried.result.time_us,
          .speedup = tried.speedup,
          .condition = tried.change.condition};
}

// The finding's best change. All changes that it asks for are marked as used.
void settle_finding(const advise::Case& c, const TriedChanges& tried, advise::Finding& finding,
                    std::set<std::size_t>& used) {
  const TriedChange* best = nullptr;
  for (std::size_t k = 0; k < tried.changes.size(); ++k) {
    const TriedChange& change = tried.changes[k];
    if (!change.result.time_us || !is_about(c, finding, change.change)) continue;
    used.insert(k);
    if (best == nullptr || change.speedup > best->speedup) best = &change;
  }
  if (best == nullptr) return;
  finding.tried = result_of(*best);
  finding.speedup = best->speedup;
}

// The first instruction of the lines that a change is about.
std::uint32_t place_of(const advise::Case& c, const advise::Change& change) {
  if (change.line == 0) return read::kNoIndex;
  for (std::uint32_t i = 0; i < c.kernel.instructions.size(); ++i) {
    if (analyze::line_of(c.kernel, i).line == change.line) return i;
  }
  return read::kNoIndex;
}

// What to do, as a sentence.
std::string instruction_of(const advise::Change& change) {
  if (!change.coarsenings.empty()) {
    return fmt::format("`burin coarsen` with {} makes this kernel, as PTX, and proves it equal.",
                       change.title);
  }
  if (change.launch_only()) return fmt::format("Launch it with {}.", change.title);
  if (!change.flags.empty()) return fmt::format("Compile it with {}.", change.title);
  return fmt::format("Make this change: {}.", change.title);
}

advise::Finding finding_of(const advise::Case& c, const TriedChange& tried) {
  advise::Finding finding;
  finding.rule = tried.change.rules.empty() ? tried.change.family : tried.change.rules.front();
  finding.speedup = tried.speedup;
  finding.speedup_paper = tried.speedup;
  finding.computed = true;
  finding.where = finding.cause = place_of(c, tried.change);
  finding.text = "No rule asks for this change, and it makes the kernel faster.";
  finding.hint = instruction_of(tried.change);
  finding.confidence = 0.9;
  finding.tried = result_of(tried);
  return finding;
}

// The best of each family and place, of the changes that no finding asked for.
void add_unasked(const advise::Case& c, const TriedChanges& tried,
                 const std::set<std::size_t>& used, std::vector<advise::Finding>& findings) {
  std::map<std::pair<std::string, std::string>, const TriedChange*> best;
  for (std::size_t k = 0; k < tried.changes.size(); ++k) {
    const TriedChange& change = tried.changes[k];
    if (used.contains(k) || !change.gains()) continue;
    const TriedChange*& most = best[{change.change.family, change.change.place}];
    if (most == nullptr || change.speedup > most->speedup) most = &change;
  }
  for (const auto& [key, change] : best) findings.push_back(finding_of(c, *change));
}

void settle_findings(const advise::Case& c, TriedChanges& tried, advise::Advice& advice) {
  std::set<std::size_t> used;
  for (advise::Finding& finding : advice.findings) settle_finding(c, tried, finding, used);
  std::vector<advise::Finding> kept;
  for (advise::Finding& finding : advice.findings) {
    const bool slower = finding.tried && finding.tried->speedup < kMinGain;
    (slower ? tried.not_faster : kept).push_back(std::move(finding));
  }
  add_unasked(c, tried, used, kept);
  std::ranges::stable_sort(kept, std::ranges::greater(), &advise::Finding::speedup);
  advice.findings = std::move(kept);
}

}  // namespace

bool TriedChange::gains() const {
  return speedup >= kMinGain;
}

Result<std::unique_ptr<SourceTrial>> open_source_trial(const SourceTrialInput& input) {
  const std::string& path = input.request.launch.source.file;
  if (!is_cuda_source(path)) {
    return Error{"--try compiles changed sources: give the .cu file instead of " + path,
                 Exit::kUsage};
  }
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  auto trial = std::make_unique<SourceTrial>(std::string(bytes.begin(), bytes.end()));
  Result<std::unique_ptr<Variants>> variants =
      Variants::open({.request = input.request,
                      .source = trial->source,
                      .code = input.code,
                      .launch = input.c.study->launch(),
                      .machine = input.c.machine,
                      .options = input.options,
                      .prediction = input.c.study->base()});
  if (!variants) return variants.error();
  trial->variants = std::move(*variants);
  trial->deadline =
      Variants::Clock::now() + std::chrono::duration_cast<Variants::Clock::duration>(
                                   std::chrono::duration<double>(input.limit_seconds));
  return trial;
}

TriedChanges try_changes(SourceTrial& trial, const SourceTrialInput& input, advise::Advice& advice,
                         const Progress& progress) {
  const Timed timed("try");
  TriedChanges tried;
  tried.base_us = input.c.study->base().time_us;
  trial.proposals = advise::propose_changes(
      advise::proposal_input(input.c, trial.source, input.request.launch.source.file));
  // Changes that a finding asks for come first: the time may not be enough for all.
  std::ranges::stable_partition(trial.proposals.changes, [&](const advise::Change& change) {
    return std::ranges::any_of(advice.findings, [&](const advise::Finding& finding) {
      return is_about(input.c, finding, change);
    });
  });
  std::vector<Variant> variants;
  for (const advise::Change& change : trial.proposals.changes) variants.push_back({&change});
  const std::vector<PredictedVariant> found =
      trial.variants->predict(variants, trial.deadline, progress);
  tried.refused = trial.proposals.refused;
  for (std::size_t k = 0; k < found.size(); ++k) {
    TriedChange& change = tried.changes.emplace_back(
        TriedChange{.change = trial.proposals.changes[k], .result = found[k]});
    if (found[k].time_us) {
      change.speedup = tried.base_us / *found[k].time_us;
    } else if (found[k].refused.empty()) {
      ++tried.not_reached;
    }
  }
  settle_findings(input.c, tried, advice);
  return tried;
}

}  // namespace burin::jobs
