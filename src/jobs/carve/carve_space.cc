#include "jobs/carve/carve_space.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "jobs/carve/collect.h"
#include "jobs/carve/survivors.h"
#include "jobs/input/choose_machine.h"
#include "jobs/tune/device.h"
#include "jobs/tune/spec_compiler.h"
#include "jobs/tune/target.h"
#include "machine/load.h"
#include "model/carve/speculate.h"
#include "tune/formats/recorded_space.h"

namespace burin::jobs {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kDefaultMachine = "h200";

class Carve {
 public:
  Carve(const CarveRequest& request, const Progress& progress)
      : request_(request), progress_(progress) {}

  Result<CarvedSpace> run() {
    if (Result<void> done = load(); !done) return done.error();
    carved_.machine = machine_.name;
    carved_.cycles_per_us = machine_.sm.clock_mhz;
    SpecCompilerOptions options;
    options.build.arch = read::to_string(machine_.arch);
    options.build.compiler = compiler_of(tune_);
    options.build.max_shared_bytes = static_cast<std::uint64_t>(machine_.limit.shared_per_block);
    options.burin = path_of_burin(tune_);
    options.processes = request_.compilers;
    SpecCompiler compiler(carved_.spec, std::move(options));
    for (std::size_t size = 0; size < carved_.spec.sizes.size(); ++size) {
      if (Result<void> done = run_size(compiler, size); !done) return done.error();
    }
    return std::move(carved_);
  }

 private:
  bool replays() const { return request_.device.starts_with(kReplayDevice); }

  // The spec and the machine.
  Result<void> load() {
    std::string machine = request_.machine;
    if (machine.empty() && request_.run && request_.device.starts_with(kEmulatorDevice)) {
      machine = request_.device.substr(kEmulatorDevice.size());
    }
    if (machine.empty()) machine = kDefaultMachine;
    Result<machine::Machine> loaded = machine::load_machine(machine);
    if (!loaded) return loaded.error().within("--machine");
    machine_ = std::move(*loaded);
    if (!request_.input.ends_with(".toml") && !request_.input.ends_with(".json")) {
      return Error{fmt::format("{}: burin carve takes a spec, .toml or .json", request_.input),
                   Exit::kUsage};
    }
    tune_ = TuneRequest{.input = request_.input,
                        .device = fmt::format("{}{}", kEmulatorDevice, machine_.name),
                        .sizes = request_.sizes,
                        .compiler = request_.compiler,
                        .compilers = request_.compilers,
                        .limit_seconds = request_.limit_seconds,
                        .warm = request_.warm,
                        .burin = request_.burin};
    TunedKernel tuned;
    const auto target = make_target(tune_, tuned, progress_);
    if (!target) return target.error();
    carved_.spec = std::move(tuned.spec);
    if (!carved_.spec.sources.contains(tune::Language::kCuda)) {
      return Error{fmt::format("{}: carving counts SASS and needs CUDA source; this spec has none",
                               carved_.spec.path)};
    }
    if (replays() && request_.run) {
      Result<tune::RecordedSpace> recorded =
          tune::read_recorded_space(request_.device.substr(kReplayDevice.size()));
      if (!recorded) return recorded.error();
      recorded_ = std::move(*recorded);
      if (carved_.spec.sizes.size() > 1) {
        return Error{fmt::format("{}: a recording is of one problem size; name it with --size",
                                 carved_.spec.path),
                     Exit::kUsage};
      }
    }
    return {};
  }

  Result<void> run_size(SpecCompiler& compiler, std::size_t number) {
    const Result<tune::Builder*> builder = compiler.begin(number);
    if (!builder) return builder.error();
    CarvedSize& size = carved_.sizes.emplace_back();
    size.size = carved_.spec.sizes[number];
    size.space = compiler.space();
    Result<CountsFile> file =
        CountsFile::open(request_.counts, machine_.name, size.size, size.space);
    if (!file) return file.error();
    Result<void> counted = request_.compile_share ? count_some(**builder, compiler, *file, size)
                                                  : count_all(**builder, compiler, *file, size);
    if (!counted) return counted;
    if (request_.count_only) return {};
    if (Result<void> done = select(size); !done) return done;
    if (!request_.run) return judge(size);
    return measure(size, number);
  }

  Result<std::vector<model::Counted>> collect(tune::Builder& builder, const SpecCompiler& compiler,
                                              CountsFile& file,
                                              const std::vector<tune::Point>& points) {
    const std::chrono::duration<double> spent = Clock::now() - begin_;
    std::optional<double> left;
    if (request_.max_seconds) left = std::max(0.0, *request_.max_seconds - spent.count());
    return collect_counts(builder,
                          {.points = points,
                           .machine = machine_,
                           .options = {.trips = request_.trips},
                           .predict = request_.predict,
                           .ahead = compiler.width(),
                           .threads = request_.compilers,
                           .max_seconds = left,
                           .interrupted = request_.interrupted},
                          file, progress_);
  }

  Result<void> count_all(tune::Builder& builder, const SpecCompiler& compiler, CountsFile& file,
                         CarvedSize& size) {
    std::vector<tune::Point> points;
    for (std::uint64_t i = 0; i < size.space.size(); ++i) points.push_back(size.space.at(i));
    Result<std::vector<model::Counted>> counted = collect(builder, compiler, file, points);
    if (!counted) return counted.error();
    size.counted = std::move(*counted);
    size.compiled = size.counted.size();
    size.complete = size.compiled == points.size();
    return {};
  }

  // Compiles a share of the configurations; the others are judged by their neighbours.
  Result<void> count_some(tune::Builder& builder, const SpecCompiler& compiler, CountsFile& file,
                          CarvedSize& size) {
    const auto budget = static_cast<std::size_t>(
        std::floor(*request_.compile_share * static_cast<double>(size.space.size())));
    model::Speculation speculation(size.space, std::max<std::size_t>(1, budget), request_.seed);
    std::map<tune::Point, model::Counted> known;
    for (auto points = speculation.next(); !points.empty(); points = speculation.next()) {
      Result<std::vector<model::Counted>> counted = collect(builder, compiler, file, points);
      if (!counted) return counted.error();
      for (model::Counted& one : *counted) {
        std::optional<double> cycles;
        if (one.ok()) cycles = model::metrics_of(one.launches, machine_, request_.metrics).cycles;
        speculation.learn(one.point, cycles);
        known[one.point] = std::move(one);
      }
      if (counted->size() < points.size()) {
        size.complete = false;
        break;
      }
    }
    size.compiled = known.size();
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [point, one] : known) {
      if (one.ok()) best = std::min(best, speculation.estimate(point));
    }
    for (std::uint64_t i = 0; i < size.space.size(); ++i) {
      const tune::Point point = size.space.at(i);
      const auto found = known.find(point);
      if (found != known.end()) {
        size.counted.push_back(std::move(found->second));
        continue;
      }
      model::Counted uncompiled{.point = point, .compiled = false};
      uncompiled.reason =
          fmt::format("not compiled: its neighbours suggest {:.2f}× the cycles of the best",
                      speculation.estimate(point) / best);
      size.counted.push_back(std::move(uncompiled));
    }
    return {};
  }

  Result<void> select(CarvedSize& size) {
    model::CarveOptions published = model::published_options();
    model::CarveOptions modern = model::modern_options(size.space.size());
    modern.metrics = request_.metrics;
    for (model::CarveOptions* options : {&published, &modern}) {
      options->coalesced = request_.coalesced;
      options->thresholds = request_.thresholds;
      options->seed = request_.seed;
    }
    if (request_.keep_share) {
      modern.keep = std::max<std::size_t>(
          1,
          static_cast<std::size_t>(*request_.keep_share * static_cast<double>(size.space.size())));
    }
    if (request_.band) modern.band = *request_.band;
    if (request_.guards) modern.guards = *request_.guards;
    for (const auto& [name, options] :
         {std::pair<std::string, model::CarveOptions*>{"as published", &published},
          {modern.metrics == model::kModernMetrics ? "modern metrics" : "chosen metrics",
           &modern}}) {
      Result<model::Carving> carving = model::carve(size.counted, size.space, machine_, *options);
      if (!carving) return carving.error().within(carved_.spec.path);
      CarveRow row{.name = name, .kept = carving->kept};
      row.carving = std::move(*carving);
      size.rows.push_back(std::move(row));
    }
    size.blind = model::blind_spots(size.space, size.counted, size.carving());
    std::vector<std::size_t> top = model::top_by_prediction(size.counted, *modern.keep);
    if (!top.empty()) {
      size.rows.push_back({.name = "predicted time", .carving = {}, .kept = std::move(top)});
    }
    return {};
  }

  // Without measurements: by what is known of all configurations.
  Result<void> judge(CarvedSize& size) {
    const bool predicted = std::ranges::all_of(size.counted, [](const model::Counted& counted) {
      return !counted.ok() || (counted.compiled && counted.predicted_us);
    });
    size.source = predicted ? TimeSource::kPredicted : TimeSource::kEstimated;
    size.device = fmt::format("{}{}", kEmulatorDevice, machine_.name);
    for (std::size_t i = 0; i < size.counted.size(); ++i) {
      const model::Counted& counted = size.counted[i];
      double time_us = std::numeric_limits<double>::infinity();
      if (counted.ok() && counted.compiled) {
        time_us = predicted ? *counted.predicted_us
                            : size.carving().metrics[i].cycles / carved_.cycles_per_us;
      }
      size.times_us.push_back(time_us);
    }
    for (CarveRow& row : size.rows) row.outcome = model::judge(row.kept, size.times_us, {});
    return {};
  }

  Result<void> measure(CarvedSize& size, std::size_t number) {
    if (recorded_) {
      Result<RecordedTimes> times = recorded_times(*recorded_, size);
      if (!times) return times.error().within(request_.device.substr(kReplayDevice.size()));
      size.source = TimeSource::kRecorded;
      size.device = recorded_->device.empty() ? request_.device : recorded_->device;
      size.times_us = std::move(times->times_us);
      for (CarveRow& row : size.rows) {
        row.outcome = model::judge(row.kept, size.times_us, times->costs);
      }
      return {};
    }
    if (Result<void> done = judge(size); !done) return done;
    TuneRequest request = tune_;
    request.device = request_.device;
    TunedKernel ignored;
    const Result<std::unique_ptr<TuneTarget>> target = make_target(request, ignored, progress_);
    if (!target) return target.error();
    if (Result<void> opened = (*target)->open(request.device); !opened) return opened.error();
    if (number == 0 && !(*target)->note().empty()) carved_.notes.push_back((*target)->note());
    const Result<tune::Lab*> lab = (*target)->lab(number, {}, (*target)->width());
    if (!lab) return lab.error();
    std::vector<tune::Point> points;
    for (const std::size_t i : size.rows[size.chosen].kept) points.push_back(size.counted[i].point);
    Result<std::vector<tune::Trial>> trials = measure_points(**lab, points, progress_);
    if (!trials) return trials.error();
    size.trials = std::move(*trials);
    size.source = TimeSource::kMeasured;
    size.device = (*target)->model();
    return {};
  }

  const CarveRequest& request_;
  const Progress& progress_;
  const Clock::time_point begin_ = Clock::now();
  machine::Machine machine_;
  TuneRequest tune_;
  std::optional<tune::RecordedSpace> recorded_;
  CarvedSpace carved_;
};

}  // namespace

Result<CarvedSpace> carve_space(const CarveRequest& request, const Progress& progress) {
  return Carve(request, progress).run();
}

Result<model::MetricChoice> parse_metrics(const std::string& text) {
  if (text == "modern") return model::kModernMetrics;
  model::MetricChoice choice = model::kPublishedMetrics;
  if (text == "published") return choice;
  struct Word {
    std::string_view name;
    bool model::MetricChoice::* flag;
  };
  static constexpr std::array kWords = {Word{"weighted", &model::MetricChoice::weighted},
                                        Word{"capped", &model::MetricChoice::capped},
                                        Word{"ilp", &model::MetricChoice::ilp},
                                        Word{"bytes", &model::MetricChoice::bytes}};
  for (const std::string_view part : split(text, ',')) {
    const auto word = std::ranges::find(kWords, part, &Word::name);
    if (word == kWords.end()) {
      return Error{fmt::format("--metrics: expected modern, published, or some of weighted, "
                               "capped, ilp and bytes, not '{}'",
                               part),
                   Exit::kUsage};
    }
    choice.*(word->flag) = true;
  }
  return choice;
}

}  // namespace burin::jobs
