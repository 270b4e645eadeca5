#include "jobs/saturate/tune_at_saturation.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/format.h"
#include "jobs/tune/outputs.h"
#include "jobs/tune/ranks.h"
#include "model/saturate/finalists.h"

namespace burin::jobs {
namespace {

using tune::Trial;

// NAME=VALUE of every number of a size, as --size takes them.
std::vector<std::string> size_options(const formula::Names& size) {
  std::vector<std::string> options;
  for (const auto& [name, value] : size) {
    if (formula::integer(value)) {
      options.push_back(fmt::format("{}={}", name, *formula::integer(value)));
    }
  }
  return options;
}

// As --first takes it.
std::string first_option(const tune::Space& space, const tune::Point& point) {
  std::string text;
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", space.parameters()[i].name,
                        formula::plain_text(space.value(point, i)));
  }
  return text;
}

double kernel_time_us(const TunedKernel& tuned) {
  double sum = 0;
  for (const TunedRun& run : tuned.runs) {
    for (const Trial& trial : run.tuned.trials) {
      sum += trial.times_us.empty()
                 ? trial.time_us
                 : std::accumulate(trial.times_us.begin(), trial.times_us.end(), 0.0);
    }
    if (!run.tuned.final) continue;
    for (const tune::Finalist& finalist : run.tuned.final->finalists) {
      sum += std::accumulate(finalist.times_us.begin(), finalist.times_us.end(), 0.0);
    }
  }
  return sum;
}

void set_savings(TunedAtSaturation& result) {
  model::Savings& savings = result.savings;
  savings.curve_us = result.curve.kernel_time_us();
  savings.tuning_us = kernel_time_us(result.tuned);
  if (!result.verified) return;
  savings.verification_us = kernel_time_us(*result.verified);
  if (result.tuned.runs.empty() || result.verified->runs.empty()) return;
  std::map<tune::Point, double> at_msp;
  for (const Trial& trial : result.tuned.runs.front().tuned.trials) {
    if (trial.status == tune::Status::kOk) at_msp[trial.point] = trial.time_us;
  }
  std::vector<model::TimedAtBoth> both;
  for (const Trial& trial : result.verified->runs.front().tuned.trials) {
    const auto known = at_msp.find(trial.point);
    if (trial.status == tune::Status::kOk && known != at_msp.end()) {
      both.push_back({known->second, trial.time_us});
    }
  }
  const std::optional<double> factor = model::target_factor(both);
  if (!factor) return;
  savings.target_us = savings.tuning_us * *factor;
  result.savings_known = true;
}

// The configurations that are worth a run at the target, best first.
std::vector<std::string> finalists_of(const TunedRun& run, std::size_t count) {
  std::vector<model::Candidate> candidates;
  for (const Trial& trial : run.tuned.trials) {
    candidates.push_back({.objective = trial.objective});
  }
  std::vector<std::string> texts;
  for (const std::size_t i : model::choose_finalists(candidates, {.count = count})) {
    texts.push_back(first_option(run.space, run.tuned.trials[i].point));
  }
  return texts;
}

Result<TunedKernel> verify(const TuneRequest& request, const TunedAtSaturation& so_far,
                           const TuneEvents& events) {
  TuneRequest at_target = request;
  at_target.exports.clear();
  at_target.emits.clear();
  at_target.sizes = size_options(so_far.curve.target_size);
  at_target.first =
      finalists_of(so_far.tuned.runs.front(), std::max<std::size_t>(1, request.finalists));
  at_target.strategy = "random";
  at_target.budget = at_target.first.size();
  at_target.resume = request.resume || !request.session.empty();
  return tune_kernel(at_target, events);
}

}  // namespace

const TunedRun* TunedAtSaturation::winner() const {
  const TunedKernel& last = verified ? *verified : tuned;
  if (last.runs.empty() || last.runs.front().best() == nullptr) return nullptr;
  return &last.runs.front();
}

Result<TunedAtSaturation> tune_at_saturation(const SaturateRequest& wanted,
                                             const TuneEvents& events) {
  SaturateRequest request = wanted;
  TuneRequest& tune_request = request.tune;
  if (is_one_of_many()) {
    return Error{
        "--at-saturation: run it without mpirun, or tune at the size that `burin saturate` "
        "names with --size",
        Exit::kUsage};
  }
  if (tune_request.input.empty()) tune_request.input = tune_request.launch.source.file;
  if (Result<void> fine = check_tune_outputs(tune_request); !fine) return fine.error();
  TunedAtSaturation result;
  Result<SaturatedKernel> curve = saturate_kernel(request, events.progress);
  if (!curve) return curve.error();
  result.curve = std::move(*curve);
  const std::optional<std::int64_t> msp = result.curve.msp();
  result.at_target = !msp;

  TuneRequest search = tune_request;
  search.exports.clear();
  search.emits.clear();
  search.sizes = size_options(msp ? result.curve.size_at(*msp) : result.curve.target_size);
  if (msp) search.finalists = 0;
  Result<TunedKernel> tuned = tune_kernel(search, events);
  if (!tuned) return tuned.error();
  result.tuned = std::move(*tuned);
  const bool stopped = tune_request.interrupted && tune_request.interrupted();
  if (msp && !stopped && !result.tuned.runs.empty() &&
      result.tuned.runs.front().best() != nullptr) {
    Result<TunedKernel> verified = verify(tune_request, result, events);
    if (!verified) return verified.error();
    result.verified = std::move(*verified);
  }
  set_savings(result);

  // All trials are exported; the constants for the application are those of the target.
  TuneRequest outputs = tune_request;
  TunedKernel all = result.tuned;
  if (result.verified) {
    all.runs.insert(all.runs.end(), result.verified->runs.begin(), result.verified->runs.end());
  }
  outputs.emits.clear();
  if (Result<void> done = write_tune_outputs(outputs, all); !done) return done.error();
  result.written = all.written;
  if (result.winner() == nullptr) return result;
  outputs = tune_request;
  outputs.exports.clear();
  TunedKernel& last = result.verified ? *result.verified : result.tuned;
  if (Result<void> done = write_tune_outputs(outputs, last); !done) return done.error();
  result.written.insert(result.written.end(), last.written.begin(), last.written.end());
  return result;
}

}  // namespace burin::jobs
