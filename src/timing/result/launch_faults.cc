#include "timing/result/launch_faults.h"

#include "base/format.h"
#include "base/text.h"

namespace burin::timing {
namespace {

// They are all in GPU memory at the same time.
std::uint64_t buffer_bytes(const launch::Launch& launch) {
  std::uint64_t bytes = 0;
  for (const launch::Argument& argument : launch.arguments) {
    if (const launch::Buffer* buffer = argument.buffer()) bytes += buffer->size;
  }
  for (const launch::PlacedBuffer& placed : launch.memory) bytes += placed.buffer.size;
  return bytes;
}

}  // namespace

std::vector<std::string> launch_faults(const launch::Launch& launch,
                                       const machine::Machine& machine) {
  const std::uint64_t bytes = buffer_bytes(launch);
  const auto memory = static_cast<std::uint64_t>(machine.dram.size);
  if (bytes <= memory) return {};
  return {
      fmt::format("the buffers take {}, and {} has {} of memory: on the GPU they cannot be "
                  "allocated",
                  human_bytes(bytes), machine.name, human_bytes(memory))};
}

}  // namespace burin::timing
