#include "runtime/settings.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace burin::runtime {
namespace {

struct ModeName {
  std::string_view name;
  Settings::Mode mode;
};

constexpr ModeName kModes[] = {{"off", Settings::Mode::kOff}, {"0", Settings::Mode::kOff},
                               {"log", Settings::Mode::kLog}, {"on", Settings::Mode::kOn},
                               {"1", Settings::Mode::kOn},    {"refine", Settings::Mode::kRefine}};

std::string text_of(const char* value) {
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

Settings read_settings(const char* (*get)(const char* name)) {
  Settings settings;
  const std::string path = text_of(get("BURIN_LAUNCH_PATH"));
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    if (end > start) settings.path.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  settings.log = text_of(get("BURIN_LAUNCH_LOG"));
  if (settings.log == "stderr") settings.log = "-";
  settings.wisdom = text_of(get("BURIN_LAUNCH_WISDOM"));
  const std::string graphs = text_of(get("BURIN_LAUNCH_GRAPHS"));
  settings.graphs = graphs == "on" || graphs == "1";

  const std::string mode = text_of(get("BURIN_LAUNCH"));
  if (mode.empty()) return settings;
  for (const ModeName& known : kModes) {
    if (mode != known.name) continue;
    settings.mode = known.mode;
    if (known.mode == Settings::Mode::kLog && settings.log.empty()) settings.log = "-";
    return settings;
  }
  settings.mode = Settings::Mode::kOff;
  settings.problem = "BURIN_LAUNCH=" + mode + ": use off, log, on or refine; launches unchanged";
  return settings;
}

Settings read_settings() {
  return read_settings([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace burin::runtime
