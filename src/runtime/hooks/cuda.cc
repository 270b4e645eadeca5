#include "runtime/hooks/cuda.h"

#include <algorithm>

namespace burin::runtime {
namespace {

// CU_LAUNCH_ATTRIBUTE_…: ignore, access policy window, synchronization policy, programmatic stream
// serialization, priority, memory synchronization domain map and domain, shared memory carveout.
constexpr std::uint32_t kHarmless[] = {0, 1, 3, 6, 8, 9, 10, 14};

}  // namespace

bool may_reshape(const LaunchAttribute* attributes, std::uint32_t count) {
  return std::all_of(attributes, attributes + count, [](const LaunchAttribute& attribute) {
    return std::find(std::begin(kHarmless), std::end(kHarmless), attribute.id) !=
           std::end(kHarmless);
  });
}

bool read_arguments(void** parameters, void** extra, Arguments& arguments) {
  arguments = {};
  if (parameters != nullptr) {
    arguments.pointers = parameters;
    return true;
  }
  if (extra == nullptr) return false;
  constexpr int kMaxEntries = 8;
  bool has_bytes = false;
  for (int i = 0; i < kMaxEntries; ++i, extra += 2) {
    switch (reinterpret_cast<std::uintptr_t>(extra[0])) {
      case kExtraEnd:
        return arguments.buffer != nullptr && has_bytes;
      case kExtraBuffer:
        arguments.buffer = extra[1];
        break;
      case kExtraBufferBytes:
        if (extra[1] == nullptr) return false;
        arguments.buffer_bytes = *static_cast<const std::size_t*>(extra[1]);
        has_bytes = true;
        break;
      default:
        return false;
    }
  }
  return false;
}

}  // namespace burin::runtime
