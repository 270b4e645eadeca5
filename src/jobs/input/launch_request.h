// A launch as a user describes it, in text: which kernel, in what shape, with which arguments
// (docs/arguments.md has the grammar). load_launch() turns it into one that can be run.
//
//   LaunchRequest request{.source = {.file = "a.out", .kernel = "saxpy"}, .grid = "64", …};
//   Result<LoadedLaunch> loaded = load_launch(request, progress);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/rebuilt_launch.h"
#include "jobs/input/load_kernel.h"
#include "launch/launch.h"

namespace burin::jobs {

struct LaunchRequest {
  KernelSource source{};
  std::string grid{};
  std::string block{};
  std::string cluster{};
  std::string shared_bytes{};
  std::vector<std::string> arguments{};
  std::vector<std::string> settings{};
};

// What a capture tells of a launch beside the launch itself.
struct CapturedFacts {
  std::string file;
  capture::CapturedLaunch launch;
  std::optional<capture::CapturedGpu> gpu;       // none: not known
  std::vector<launch::ExpectedMemory> expected;  // empty: no contents were recorded
  std::vector<capture::CapturedCounter> counts;  // of the launch; empty: it was not counted
  std::vector<std::string> notes;
  bool reuses_buffers = false;  // a launch before it used them: they are in the L2 cache
};

struct LoadedLaunch {
  std::unique_ptr<ChosenKernel> loaded;
  launch::Launch launch;  // has passed check_launch
  std::optional<CapturedFacts> captured{};
};

// Whether FILE names a capture, or a launch in one (CAPTURE:LAUNCH): then the kernel, the shape and
// the arguments are those that were recorded, and the options for them must not be given.
bool names_capture(const LaunchRequest& options);

// The options that are missing: FILE, and --grid and --block where no capture has them.
Result<void> complete(const LaunchRequest& options, const std::string& command);

Result<LoadedLaunch> load_launch(const LaunchRequest& options, const Progress& progress);

// One launch of a capture at hand; `settings` are those of --set.
Result<LoadedLaunch> load_launch(const capture::Capture& capture,
                                 const capture::CapturedLaunch& launch,
                                 const std::vector<std::string>& settings);

// Applies `parse` to each text; the Error is told with the option's name in front.
template <typename T, typename Parse>
Result<std::vector<T>> parse_each(const std::string& option, const std::vector<std::string>& texts,
                                  Parse parse) {
  std::vector<T> values;
  for (const std::string& text : texts) {
    Result<T> value = parse(text);
    if (!value) return value.error().within(option);
    values.push_back(std::move(*value));
  }
  return values;
}

}  // namespace burin::jobs
