// The options of every command that launches a kernel: which kernel, in what shape, with which
// arguments. docs/arguments.md explains them to users.
//
//   auto options = std::make_shared<LaunchOptions>();
//   add_launch_options(app, *options);
//   …
//   Result<LoadedLaunch> loaded = load_launch(*options, context);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/load_kernel.h"
#include "capture/rebuilt_launch.h"
#include "launch/launch.h"

namespace CLI {
class App;
}

namespace burin {

struct LaunchOptions {
  KernelSource source;
  std::string grid;
  std::string block;
  std::string cluster;
  std::string shared_bytes;
  std::vector<std::string> arguments;
  std::vector<std::string> settings;
};

void add_launch_options(CLI::App& app, LaunchOptions& options);

// The check of an option that counts something: CLI11 would take -1 for a large number.
std::string not_negative(const std::string& text);

// How many of the hottest lines a report shows where --lines does not ask for all.
inline constexpr std::size_t kLinesUnasked = 10;

// What a capture tells of a launch beside the launch itself.
struct CapturedFacts {
  std::string file;
  CapturedLaunch launch;
  std::optional<CapturedGpu> gpu;        // none: not known
  std::vector<ExpectedMemory> expected;  // empty: no contents were recorded
  std::vector<CapturedCounter> counts;   // of the launch; empty: it was not counted
  std::vector<std::string> notes;
  bool reuses_buffers = false;  // a launch before it used them: they are in the L2 cache
};

struct LoadedLaunch {
  std::unique_ptr<ChosenKernel> loaded;
  Launch launch;  // has passed check_launch
  std::optional<CapturedFacts> captured{};
};

// Whether FILE names a capture, or a launch in one (CAPTURE:LAUNCH): then the kernel, the shape and
// the arguments are those that were recorded, and the options for them must not be given.
bool names_capture(const LaunchOptions& options);

// The options that are missing: FILE, and --grid and --block where no capture has them.
Result<void> complete(const LaunchOptions& options, const std::string& command);

Result<LoadedLaunch> load_launch(const LaunchOptions& options, Context& context);

// One launch of a capture at hand; `settings` are those of --set.
Result<LoadedLaunch> load_launch(const Capture& capture, const CapturedLaunch& launch,
                                 const std::vector<std::string>& settings);

// An option that may be given several times, one value each.
void add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                  const std::string& type, const std::string& description);

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

}  // namespace burin
