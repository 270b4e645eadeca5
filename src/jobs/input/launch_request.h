// A launch as described by the user, in text: the kernel, the launch shape and the arguments
// (grammar: docs/arguments.md). load_launch() turns it into a launch that can run.
//
//   LaunchRequest request{.source = {.file = "a.out", .kernel = "saxpy"}, .grid = "64", …};
//   Result<LoadedLaunch> loaded = load_launch(request, progress);
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/rebuilt_launch.h"
#include "jobs/input/load_kernel.h"
#include "launch/launch.h"
#include "launch/recent_use.h"

namespace burin::jobs {

struct LaunchRequest {
  KernelSource source{};
  std::string grid{};
  std::string block{};
  std::string cluster{};
  std::string shared_bytes{};
  std::vector<std::string> arguments{};
  std::vector<std::string> settings{};
  // What the buffers passed as these arguments hold instead of their fill, for callers that have
  // the bytes in memory; exactly the buffer's size.
  std::map<std::size_t, std::shared_ptr<const std::vector<std::uint8_t>>> contents{};
};

// Facts that a capture records about a launch, apart from the launch itself.
struct CapturedFacts {
  std::string file;
  capture::CapturedLaunch launch;
  std::optional<capture::CapturedGpu> gpu;       // empty: unknown
  std::vector<launch::ExpectedMemory> expected;  // empty: no contents were recorded
  std::vector<capture::CapturedCounter> counts;  // counts of the launch; empty: not counted
  std::vector<std::string> notes;
  bool is_repeated = false;     // the kernel was launched before
  bool reuses_buffers = false;  // an earlier launch used the buffers: they are in the L2 cache
  std::vector<launch::RecentUse> recent;  // what earlier launches used, oldest first

  std::optional<double> recorded_us() const;  // time of the launch when it was recorded
};

struct LoadedLaunch {
  std::unique_ptr<ChosenKernel> loaded;
  launch::Launch launch;  // has passed check_launch
  std::optional<CapturedFacts> captured{};
};

// Returns whether FILE is a capture or a launch in one (CAPTURE:LAUNCH). The kernel, the launch
// shape and the arguments are then the recorded ones, and the options for them must not be given.
bool names_capture(const LaunchRequest& options);

// Returns the files that the options name: FILE, and the files that fill buffers and variables.
std::vector<std::string> input_files(const LaunchRequest& options);

// Returns an Error for missing options: FILE, and --grid and --block unless a capture provides
// them.
Result<void> complete(const LaunchRequest& options, const std::string& command);

Result<LoadedLaunch> load_launch(const LaunchRequest& options, const Progress& progress);

// Loads one launch of an open capture; `settings` are the values of --set.
Result<LoadedLaunch> load_launch(const capture::Capture& capture,
                                 const capture::CapturedLaunch& launch,
                                 const std::vector<std::string>& settings);

// Applies `parse` to each text. Errors are prefixed with the option's name.
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
