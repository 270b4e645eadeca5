#include "gpu/micro/calibrate.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/file.h"
#include "base/format.h"
#include "gpu/micro/build.h"
#include "gpu/micro/clocks.h"
#include "machine/entries.h"
#include "measure/scratch_folder.h"

namespace burin::gpu {
namespace {

constexpr unsigned kTimedLaunches = 9;
constexpr double kLimitSeconds = 600;

struct Prepared {
  Microbenchmark micro;
  BuiltMicro built{};
  std::string refused{};             // why it is not built
  std::vector<std::size_t> asked{};  // its requests, one for each launch
};

// On all cores: a compiler is started for each.
void build_all(std::vector<Prepared>& all, const std::string& folder,
               const CalibrateRequest& request) {
  std::atomic<std::size_t> next = 0, done = 0;
  const auto work = [&](bool tells) {
    for (std::size_t i = next++; i < all.size(); i = next++) {
      if (tells && request.progress) request.progress("compiling", done, all.size());
      Result<BuiltMicro> built = build_micro(all[i].micro, request.gpu.arch, folder);
      if (built) all[i].built = std::move(*built);
      if (!built) all[i].refused = built.error().message;
      ++done;
    }
  };
  std::vector<std::thread> threads;
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < std::min(cores, all.size()); ++i) threads.emplace_back(work, false);
  work(true);
  for (std::thread& thread : threads) thread.join();
}

std::uint64_t output_words(const MicroLaunch& launch) {
  if (launch.output == MicroOutput::kWords) return launch.words;
  const std::uint64_t warps =
      launch.warps != 0 ? launch.warps : launch.grid.total() * (launch.block.total() / 32);
  return warps * kPasses * 2;
}

Result<measure::DeviceRequest> request_of(const Prepared& prepared, const MicroLaunch& launch,
                                          unsigned device, const std::string& outputs) {
  std::vector<std::string> texts;
  if (launch.output != MicroOutput::kTimes) {
    texts.push_back(fmt::format("buf:{}:zero", output_words(launch) * 4));
  }
  texts.insert(texts.end(), launch.arguments.begin(), launch.arguments.end());
  Result<std::vector<launch::Argument>> arguments = launch::parse_arguments(texts);
  if (!arguments) return arguments.error();
  measure::DeviceRequest request = measure::single_launch(prepared.built.cubin, launch.kernel,
                                                          {.grid = launch.grid,
                                                           .block = launch.block,
                                                           .shared_bytes = launch.shared_bytes,
                                                           .arguments = std::move(*arguments)});
  request.device = fmt::format("cuda:{}", device);
  request.stopping = measure::exactly(launch.output == MicroOutput::kTimes ? kTimedLaunches : 0);
  request.caches = launch.caches;
  request.limit_seconds = kLimitSeconds;
  if (launch.output != MicroOutput::kTimes) {
    std::error_code wrong;
    std::filesystem::create_directory(outputs, wrong);
    request.outputs = outputs;
  }
  return request;
}

Result<Reading> reading_of(const MicroLaunch& launch, const measure::DeviceResult& result) {
  Reading reading;
  if (launch.output == MicroOutput::kTimes) {
    reading.values = result.times_us;
    const std::vector<double> mhz(result.clock_mhz.begin(), result.clock_mhz.end());
    reading.clock_mhz = measure::summarize(mhz).median;
    return reading;
  }
  if (result.outputs.empty()) return Error{"the worker returned no clock readings", Exit::kDevice};
  const Result<MappedFile> file = MappedFile::open(result.outputs.front().path);
  if (!file) return file.error();
  reading.words.resize(file->bytes().size() / 4);
  std::memcpy(reading.words.data(), file->bytes().data(), reading.words.size() * 4);
  if (launch.output == MicroOutput::kSpan) reading.values = span_of_passes(reading.words);
  if (launch.output == MicroOutput::kMean) reading.values = mean_of_passes(reading.words);
  return reading;
}

bool is_wanted(const Microbenchmark& micro, const CalibrateRequest& request) {
  const unsigned sm = request.gpu.arch.sm;
  if (sm < micro.oldest_sm || sm > micro.newest_sm) return false;
  if (request.only.empty()) return true;
  return std::ranges::any_of(request.only, [&](const std::string& pattern) {
    return matches(pattern, micro.name) ||
           std::ranges::any_of(micro.entries,
                               [&](const std::string& entry) { return matches(pattern, entry); });
  });
}

void put(machine::Machine& machine, const Microbenchmark& micro, const Settled& settled) {
  for (const auto& entry : machine::machine_entries()) {
    if (entry.name != settled.entry) continue;
    entry.in(machine) = settled.value;
    machine.origins[entry.name] = {micro.name, settled.spread};
    machine.sources[micro.name] = "burin calibrate: " + micro.what;
  }
}

// A value that is no number, or absurd, is not put into a machine.
std::string absurd(const std::vector<Settled>& all) {
  for (const Settled& settled : all) {
    const auto entries = machine::machine_entries();
    const auto entry =
        std::ranges::find_if(entries, [&](const auto& e) { return e.name == settled.entry; });
    if (entry == entries.end()) return settled.entry + " is not an entry of a machine file";
    if (!(settled.value >= entry->least && settled.value <= entry->most)) {
      return fmt::format("the result {} = {:.4g} is not plausible", settled.entry, settled.value);
    }
  }
  return "";
}

// Values that differ from pass to pass, or from SM to SM, by more than this are not taken.
constexpr double kMaxSpread = 0.25;

void settle(MicroResult& result, const Microbenchmark& micro, machine::Machine& machine) {
  if (!micro.settle) return;
  const std::vector<Settled> settled = micro.settle(result.readings, machine);
  result.refused = absurd(settled);
  if (!result.refused.empty()) return;
  for (const Settled& one : settled) {
    if (one.spread > kMaxSpread) {
      result.refused +=
          fmt::format("{}{} is unstable: {:.4g} ± {:.0f} %", result.refused.empty() ? "" : "; ",
                      one.entry, one.value, one.spread * 100);
      continue;
    }
    put(machine, micro, one);
    result.settled.push_back(one);
  }
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') {
    return matches(pattern.substr(1), name) || (!name.empty() && matches(pattern, name.substr(1)));
  }
  return !name.empty() && pattern.front() == name.front() &&
         matches(pattern.substr(1), name.substr(1));
}

Result<Calibration> calibrate(measure::Device& device, const CalibrateRequest& request) {
  const Result<std::shared_ptr<measure::ScratchFolder>> folder = measure::ScratchFolder::make();
  if (!folder) return folder.error();
  std::vector<Prepared> all;
  for (Microbenchmark& micro : microbenchmarks(request.gpu)) {
    if (is_wanted(micro, request)) all.push_back({std::move(micro)});
  }
  if (all.empty()) return Error{"--only matches no entry that is measured", Exit::kUsage};
  build_all(all, (*folder)->path(), request);

  std::vector<measure::DeviceRequest> requests;
  for (Prepared& prepared : all) {
    for (const MicroLaunch& launch : prepared.micro.launches) {
      if (!prepared.refused.empty()) break;
      Result<measure::DeviceRequest> one =
          request_of(prepared, launch, request.device,
                     fmt::format("{}/{}", (*folder)->path(), requests.size()));
      if (!one) return one.error().within(prepared.micro.name + ": " + launch.label);
      prepared.asked.push_back(requests.size());
      requests.push_back(std::move(*one));
    }
  }
  const std::vector<measure::DeviceAnswer> answers =
      device.run_all(requests, [&](std::size_t done) {
        if (request.progress) request.progress("launch", done, requests.size());
      });

  Calibration calibration{.machine = request.machine};
  std::optional<Error> first_error;
  for (Prepared& prepared : all) {
    MicroResult result{.name = prepared.micro.name, .what = prepared.micro.what};
    result.refused = prepared.refused;
    for (std::size_t i = 0; i < prepared.asked.size(); ++i) {
      const MicroLaunch& launch = prepared.micro.launches[i];
      const measure::DeviceAnswer& answer = answers[prepared.asked[i]];
      Result<Reading> reading = answer ? reading_of(launch, *answer) : answer.error();
      if (!reading) {
        if (!first_error) first_error = reading.error();
        result.refused = launch.label + ": " + reading.error().message;
        continue;
      }
      calibration.gpu = answer->gpu;
      calibration.architecture = answer->architecture;
      calibration.driver = answer->driver;
      if (reading->clock_mhz > 0) calibration.clock_mhz.push_back(reading->clock_mhz);
      result.readings[launch.label] = std::move(*reading);
    }
    if (!prepared.built.toolkit.empty()) calibration.toolkit = prepared.built.toolkit;
    if (result.refused.empty()) settle(result, prepared.micro, calibration.machine);
    result.launches = std::move(prepared.micro.launches);
    calibration.results.push_back(std::move(result));
  }
  if (calibration.gpu.empty() && first_error) return *first_error;
  return calibration;
}

}  // namespace burin::gpu
