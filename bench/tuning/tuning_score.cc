// Scores strategies on recorded spaces, for bench/tuning.py; one line of JSON for each space and
// strategy:
//
//   bench_tuning_score [--strategy NAME]… [--seeds 100] [--ahead 1] FILE…
//
//   {"file": …, "points": 4362, "valid": 4238, "evaluations": 310, "strategy": "local",
//    "score": 0.46, "trials": 29870, "trials_per_second": 412000}
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "base/format.h"
#include "tune/formats/recorded_space.h"
#include "tune/search/strategy.h"
#include "tuning/score.h"

using namespace burin;

namespace {

struct Options {
  std::vector<std::string> strategies, files;
  std::uint64_t seeds = 100;
  std::uint64_t first_seed = 0;
  std::size_t ahead = 1;
};

int refuse(const std::string& message) {
  fmt::print(stderr, "bench_tuning_score: {}\n", message);
  return 3;
}

void score_file(const std::string& file, const tune::RecordedSpace& recorded,
                const Options& options) {
  const tuning::RandomBaseline baseline(recorded);
  std::size_t valid = 0;
  for (const tune::RecordedPoint& point : recorded.points) {
    valid += point.status == tune::Status::kOk;
  }
  for (const std::string& strategy : options.strategies) {
    const std::clock_t begin = std::clock();  // of this process: others may be busy
    std::vector<tuning::ReplayedRun> runs;
    std::size_t trials = 0;
    for (std::uint64_t seed = 0; seed < options.seeds; ++seed) {
      runs.push_back(
          tuning::replay(recorded, baseline, strategy, options.first_seed + seed, options.ahead));
      trials += runs.back().trials;
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    fmt::print(
        "{{\"file\": \"{}\", \"points\": {}, \"valid\": {}, \"evaluations\": {:.1f}, "
        "\"strategy\": \"{}\", \"score\": {:.4f}, \"trials\": {}, \"trials_per_second\": "
        "{:.0f}}}\n",
        file, recorded.points.size(), valid, baseline.cutoff_evaluations(), strategy,
        tuning::score(baseline, runs), trials, static_cast<double>(trials) / seconds);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&] { return std::string(i + 1 < count ? words[++i] : ""); };
    if (word == "--strategy") {
      options.strategies.push_back(value());
    } else if (word == "--seeds") {
      options.seeds = std::strtoull(value().c_str(), nullptr, 10);
    } else if (word == "--first-seed") {
      options.first_seed = std::strtoull(value().c_str(), nullptr, 10);
    } else if (word == "--ahead") {
      options.ahead = std::strtoull(value().c_str(), nullptr, 10);
    } else {
      options.files.push_back(word);
    }
  }
  if (options.files.empty() || options.seeds == 0 || options.ahead == 0) {
    return refuse("give at least one recorded space, one seed and one point ahead");
  }
  if (options.strategies.empty()) options.strategies = {"ensemble"};
  for (const std::string& strategy : options.strategies) {
    const auto known = tune::make_strategy(strategy, tune::Space(), {});
    if (!known) return refuse(known.error().message);
  }
  for (const std::string& file : options.files) {
    const Result<tune::RecordedSpace> recorded = tune::read_recorded_space(file);
    if (!recorded) return refuse(recorded.error().message);
    if (!recorded->best()) return refuse(file + ": every configuration failed; nothing to score");
    score_file(file, *recorded, options);
  }
  return 0;
}
