#include "capture/buffer_reuse.h"

namespace burin::capture {

bool BufferReuse::meets(const CapturedLaunch& launch, const CapturedArguments& arguments) {
  bool is_met = false;
  std::set<std::pair<std::uint64_t, std::uint64_t>> own;
  for (const CapturedAllocation& allocation : arguments.allocations) {
    own.emplace(launch.gpu, allocation.address);
  }
  for (const auto& allocation : own) is_met = !met_.insert(allocation).second || is_met;
  return is_met;
}

Result<bool> reuses_buffers(const Capture& capture, const CapturedLaunch& launch) {
  BufferReuse reuse;
  for (const CapturedLaunch& each : capture.launches()) {
    const Result<CapturedArguments> arguments = capture.arguments(each.id);
    if (!arguments) return arguments.error();
    const bool is_met = reuse.meets(each, *arguments);
    if (each.id == launch.id) return is_met;
  }
  return false;
}

}  // namespace burin::capture
