// Runs the guided search on recorded examinations and compares it with recorded times, for
// bench/guided.py table; one line of JSON:
//
//   bench_guided_search [--most 60] [--following 0.5] [--first 5] [--seeded 8]
//                       [--seeds 30] [--seed 0] [--trajectory N] [--whole] [--path | --points]
//                       SPEC EXAMINATIONS MEASURED
//
//   {"points": 180, "examined": 60, "predicted_best_us": …, "guided_predicted_us": …, …}
//
// --seed is that of the guided search's surrogate. --trajectory adds what the ensemble has reached
// after each of N trials, with and without the seed.
//
// --path prints the decisions of the search to standard error; --points prints one line for each
// configuration instead of searching, with its predicted and its measured time.
//
// --whole searches among all configurations that were measured, examined or not; what it needs and
// does not have it prints instead, {"missing": [17, 92]}, so that guided.py examines just these.
//
// --exact takes the measured times for predictions, of a kernel that one resource's latency limits:
// what the search would lose with a perfect model. EXAMINATIONS is not read.
//
// EXAMINATIONS is what guided.py record wrote, MEASURED a recorded space of the same spec.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/format.h"
#include "guided/examination.h"
#include "guided/replayed.h"
#include "model/guided/search.h"
#include "tune/formats/recorded_space.h"
#include "tune/formats/toml_spec.h"
#include "tune/space/build_space.h"
#include "tune/space/same_point.h"

using namespace burin;

namespace {

struct Options {
  std::vector<std::string> files;
  model::GuidedOptions guided;
  std::size_t first = 5;   // that --strategy guided tries
  std::size_t seeded = 8;  // first points of the ensemble
  std::uint64_t seeds = 30;
  std::size_t trajectory = 0;
  bool path = false;
  bool points = false;
  bool whole = false;
  bool exact = false;
};

int refuse(const std::string& message) {
  fmt::print(stderr, "bench_guided_search: {}\n", message);
  return 3;
}

// The configurations that were both examined and measured.
struct Joined {
  tune::Space space;
  std::map<tune::Point, guided_bench::Recorded> examined;
  std::map<tune::Point, tune::Point> measured;  // the same configuration in the measured space
};

Joined join(const tune::Space& space, const std::map<std::uint64_t, guided_bench::Recorded>& lines,
            const tune::RecordedSpace& measured, bool whole) {
  Joined joined;
  std::vector<tune::Point> points;
  for (std::uint64_t index = 0; index < space.size(); ++index) {
    const auto line = lines.find(index);
    if (line == lines.end() && !whole) continue;
    const tune::Point point = space.at(index);
    const std::optional<tune::Point> same = tune::same_point(space, point, measured.space);
    if (!same) continue;
    if (line != lines.end()) joined.examined[point] = line->second;
    joined.measured[point] = *same;
    points.push_back(point);
  }
  joined.space = tune::Space::of_points({space.parameters().begin(), space.parameters().end()},
                                        std::move(points));
  return joined;
}

void make_exact(Joined& joined, const tune::RecordedSpace& measured) {
  for (const auto& [point, same] : joined.measured) {
    const tune::RecordedPoint& found = measured.at(same);
    model::Examined& e = joined.examined[point].examined;
    e.time_us = found.time_us;
    if (found.status != tune::Status::kOk) e.failure = "failed";
    e.waits_for = machine::Resource::kFma;
    e.demand_us[static_cast<std::size_t>(e.waits_for)] =
        0.5 * measured.points[*measured.best()].time_us;
    e.warps = e.threads = e.registers = 32;
  }
}

class RecordedExaminer : public model::Examiner {
 public:
  explicit RecordedExaminer(const Joined& joined) : joined_(joined) {}
  Result<std::vector<model::Examined>> examine(std::span<const tune::Point> points) override {
    std::vector<model::Examined> examined;
    for (const tune::Point& point : points) {
      if (!joined_.examined.contains(point)) missing.push_back(point);
    }
    if (!missing.empty()) return Error{"not examined"};
    for (const tune::Point& point : points) {
      const guided_bench::Recorded& recorded = joined_.examined.at(point);
      seconds += recorded.compile_seconds + recorded.examine_seconds;
      examined.push_back(recorded.examined);
    }
    return examined;
  }
  double seconds = 0;
  std::vector<tune::Point> missing;

 private:
  const Joined& joined_;
};

// ", "with_95": …, "with_99": …, "with_path": …", over the seeds.
void print_replayed(const char* name, const tune::RecordedSpace& measured,
                    const std::vector<tune::Point>& first, const Options& options) {
  const std::vector<guided_bench::Replayed> searches =
      guided_bench::replay(measured, first, options.seeds, options.trajectory);
  for (const double share : {0.95, 0.99}) {
    fmt::print(", \"{}_{:.0f}\": {}", name, 100 * share, guided_bench::reached(searches, share));
  }
  if (options.trajectory > 0) {
    fmt::print(", \"{}_path\": {}", name, guided_bench::trajectory(searches, options.trajectory));
  }
}

// {"config": {"tile": "4"}, "predicted_us": …, "measured_us": …, "warps": …, "registers": …,
//  "bottleneck": "dram", "latency": true, "busy": 0.87}
void print_points(const Joined& joined, const tune::RecordedSpace& measured) {
  for (const auto& [point, recorded] : joined.examined) {
    const model::Examined& e = recorded.examined;
    const double measured_us = measured.at(joined.measured.at(point)).time_us;
    if (!e.works() || !std::isfinite(measured_us)) continue;
    std::string config;
    for (std::size_t p = 0; p < joined.space.dimensions(); ++p) {
      config +=
          fmt::format("{}\"{}\": \"{}\"", p == 0 ? "" : ", ", joined.space.parameters()[p].name,
                      formula::plain_text(joined.space.value(point, p)));
    }
    const model::Bottleneck bottleneck = e.bottleneck();
    fmt::print(
        "{{\"config\": {{{}}}, \"predicted_us\": {:.6g}, \"measured_us\": {:.6g}, \"warps\": {}, "
        "\"registers\": {}, \"bottleneck\": \"{}\", \"latency\": {}, \"busy\": {:.4f}}}\n",
        config, e.time_us, measured_us, e.warps, e.registers, machine::name(bottleneck.resource),
        bottleneck.latency, e.utilization(bottleneck.resource));
  }
}

std::set<std::string> block_sizes(const tune::Spec& spec) {
  std::set<std::string> names;
  for (const tune::LaunchSpec& launch : spec.launches) {
    for (const formula::Expression& size : launch.block) {
      for (std::string& name : size.names()) names.insert(std::move(name));
    }
  }
  return names;
}

int search(const Options& options) {
  const Result<tune::Spec> spec = tune::read_toml_spec(options.files[0]);
  if (!spec) return refuse(spec.error().message);
  Result<std::map<std::uint64_t, guided_bench::Recorded>> lines =
      std::map<std::uint64_t, guided_bench::Recorded>{};
  if (!options.exact) lines = guided_bench::read_examinations(options.files[1]);
  if (!lines) return refuse(lines.error().message);
  const Result<tune::RecordedSpace> measured = tune::read_recorded_space(options.files[2]);
  if (!measured) return refuse(measured.error().message);
  const Result<tune::Space> space = tune::build_space(
      spec->tunables, tune::space_restrictions(*spec), spec->sizes[0], spec->derived);
  if (!space) return refuse(space.error().message);
  Joined joined = join(*space, *lines, *measured, options.whole);
  if (options.exact) make_exact(joined, *measured);
  if (joined.space.size() == 0) return refuse("nothing was both examined and measured");

  if (options.points) {
    print_points(joined, *measured);
    return 0;
  }
  RecordedExaminer examiner(joined);
  const auto axes = model::axes_of(joined.space, block_sizes(*spec));
  const Result<model::Guided> guided =
      model::guided_search(joined.space, axes, examiner, options.guided);
  if (!examiner.missing.empty()) {
    std::string indices;
    for (const tune::Point& point : examiner.missing) {
      indices += fmt::format("{}{}", indices.empty() ? "" : ", ", space->index_of(point));
    }
    fmt::print("{{\"missing\": [{}]}}\n", indices);
    return 0;
  }
  if (!guided) return refuse(guided.error().message);
  if (options.path) {
    for (const model::GuidedMove& move : guided->path) {
      fmt::print(stderr, "{:3} {}\n", move.trial + 1, move.text);
    }
  }
  const auto measured_us = [&](const tune::Point& point) {
    return measured->at(joined.measured.at(point)).time_us;
  };

  // Those that work by prediction, best first.
  std::vector<std::pair<double, tune::Point>> order;
  const double optimum = measured->points[*measured->best()].time_us;
  for (const auto& [point, recorded] : joined.examined) {
    if (recorded.examined.works()) order.emplace_back(recorded.examined.expected_us(), point);
  }
  std::ranges::stable_sort(order, {}, &std::pair<double, tune::Point>::first);
  const auto best_of = [&](std::size_t count) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < std::min(count, order.size()); ++k) {
      best = std::min(best, measured_us(order[k].second));
    }
    return best;
  };
  const std::vector<const model::GuidedTrial*> ranked = guided->ranked();
  const model::GuidedTrial& best = *ranked.front();
  const double base_us = measured_us(guided->trials.front().point);
  double first_best = std::numeric_limits<double>::infinity();
  std::vector<tune::Point> seeds;
  for (std::size_t k = 0; k < ranked.size(); ++k) {
    if (k < options.seeded) seeds.push_back(joined.measured.at(ranked[k]->point));
    if (k < options.first) first_best = std::min(first_best, measured_us(ranked[k]->point));
  }
  fmt::print(
      "{{\"points\": {}, \"valid\": {}, \"of\": {}, \"examined\": {}, \"examine_seconds\": {:.3f}, "
      "\"optimum_us\": {:.6g}, \"base_us\": {:.6g}, \"predicted_best_us\": {:.6g}, "
      "\"guided_predicted_us\": {:.6g}, \"guided_us\": {:.6g}, \"first_us\": {:.6g}, "
      "\"exhaustive_us\": {:.6g}, \"top_tenth_us\": {:.6g}",
      joined.space.size(), order.size(), space->size(), guided->trials.size(), examiner.seconds,
      optimum, base_us, order.front().first, best.examined.expected_us(), measured_us(best.point),
      first_best, measured_us(order.front().second), best_of((order.size() + 9) / 10));
  if (options.seeds > 0) {
    print_replayed("with", *measured, seeds, options);
    print_replayed("without", *measured, {}, options);
  }
  fmt::print("}}\n");
  return 0;
}

}  // namespace

int main(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&] { return std::string(i + 1 < count ? words[++i] : ""); };
    const auto number = [&] { return std::strtod(value().c_str(), nullptr); };
    if (word == "--most") {
      options.guided.most = static_cast<std::size_t>(number());
    } else if (word == "--seed") {
      options.guided.seed = static_cast<std::uint64_t>(number());
    } else if (word == "--following") {
      options.guided.following = number();
    } else if (word == "--first") {
      options.first = static_cast<std::size_t>(number());
    } else if (word == "--seeded") {
      options.seeded = static_cast<std::size_t>(number());
    } else if (word == "--seeds") {
      options.seeds = static_cast<std::uint64_t>(number());
    } else if (word == "--trajectory") {
      options.trajectory = static_cast<std::size_t>(number());
    } else if (word == "--exact") {
      options.exact = options.whole = true;
    } else if (word == "--whole") {
      options.whole = true;
    } else if (word == "--points") {
      options.points = true;
    } else if (word == "--path") {
      options.path = true;
    } else {
      options.files.push_back(word);
    }
  }
  if (options.files.size() != 3)
    return refuse("name a spec, its examinations and a recorded space");
  return search(options);
}
