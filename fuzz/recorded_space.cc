// Any text is a T4 file, a cache file of Kernel Tuner, or a refusal. A recorded space has one point
// for each of its configurations, and its fastest is a time that was recorded.
#include "tune/formats/recorded_space.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace burin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<tune::RecordedSpace> recorded = tune::parse_recorded_space(text);
  if (!recorded) {
    if (recorded.error().message.empty()) std::abort();
    return 0;
  }
  if (recorded->points.empty() || recorded->points.size() != recorded->space.size()) std::abort();
  for (std::uint64_t i = 0; i < recorded->space.size(); ++i) {
    const tune::Point point = recorded->space.at(i);
    if (recorded->space.index_of(point) != i) std::abort();
    const tune::Trial trial = recorded->trial(point);
    if (trial.status == tune::Status::kOk && !(trial.time_us > 0)) std::abort();
  }
  return 0;
}
