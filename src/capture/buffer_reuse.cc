#include "capture/buffer_reuse.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace burin::capture {
namespace {

std::uint64_t pointer_of(const CapturedArguments& arguments, const CapturedAllocation& allocation) {
  std::uint64_t pointer = allocation.address;
  if (!arguments.bytes) return pointer;
  if (const auto bytes = slice(*arguments.bytes, allocation.argument_offset, sizeof pointer)) {
    std::memcpy(&pointer, bytes->data(), sizeof pointer);
  }
  const std::uint64_t end = allocation.address + allocation.size;
  return pointer >= allocation.address && pointer < end ? pointer : allocation.address;
}

}  // namespace

BufferReuse::BufferReuse(const std::vector<CapturedGpu>& gpus) {
  for (const CapturedGpu& gpu : gpus) caches_[gpu.id].capacity = gpu.l2_bytes;
}

void BufferReuse::expect(const CapturedLaunch& launch, const CapturedArguments& arguments) {
  Cache& cache = caches_[launch.gpu];
  for (const CapturedAllocation& allocation : arguments.allocations) {
    Buffer& buffer = cache.buffers[pointer_of(arguments, allocation)];
    buffer.end = std::max(buffer.end, allocation.address + allocation.size);
  }
}

bool BufferReuse::meets(const CapturedLaunch& launch, const CapturedArguments& arguments) {
  Cache& cache = caches_[launch.gpu];
  std::set<std::uint64_t> pointers;
  for (const CapturedAllocation& allocation : arguments.allocations) {
    pointers.insert(pointer_of(arguments, allocation));
  }
  std::uint64_t all = 0, missing = 0;
  for (const std::uint64_t pointer : pointers) {
    const auto at = cache.buffers.find(pointer);
    if (at == cache.buffers.end()) continue;
    const auto next = std::next(at);
    const std::uint64_t end =
        next == cache.buffers.end() ? at->second.end : std::min(at->second.end, next->first);
    const Buffer& buffer = at->second;
    const bool is_near = buffer.is_used && cache.filled - buffer.used <= cache.capacity;
    all += end - pointer;
    if (!is_near) missing += end - pointer;
  }
  cache.filled += missing;
  for (const std::uint64_t pointer : pointers) {
    if (const auto at = cache.buffers.find(pointer); at != cache.buffers.end()) {
      at->second.is_used = true;
      at->second.used = cache.filled;
    }
  }
  return all > 0 && 2 * missing < all;
}

std::vector<bool> find_reuse(const Capture& capture,
                             const std::vector<CapturedArguments>& arguments) {
  BufferReuse reuse(capture.gpus());
  const std::vector<CapturedLaunch>& launches = capture.launches();
  for (std::size_t k = 0; k < launches.size(); ++k) reuse.expect(launches[k], arguments[k]);
  std::vector<bool> meets;
  for (std::size_t k = 0; k < launches.size(); ++k) {
    meets.push_back(reuse.meets(launches[k], arguments[k]));
  }
  return meets;
}

Result<std::vector<CapturedArguments>> all_arguments(const Capture& capture) {
  std::vector<CapturedArguments> all;
  for (const CapturedLaunch& launch : capture.launches()) {
    Result<CapturedArguments> read = capture.arguments(launch.id);
    if (!read) return read.error();
    all.push_back(std::move(*read));
  }
  return all;
}

}  // namespace burin::capture
