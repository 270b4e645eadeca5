#include "emulate/memory/device_heap.h"

#include <algorithm>
#include <iterator>

namespace burin::emulate {

namespace {

constexpr std::uint64_t kAlignment = 16;

}  // namespace

DeviceHeap::DeviceHeap(std::uint64_t address, std::uint64_t bytes) : free_{{address, bytes}} {}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > kHeapBytes) return 0;
  const std::uint64_t size =
      std::max<std::uint64_t>(1, (bytes + kAlignment - 1) / kAlignment) * kAlignment;
  const auto piece = std::ranges::find_if(free_, [&](const auto& f) { return f.second >= size; });
  if (piece == free_.end()) return 0;
  const auto [address, room] = *piece;
  free_.erase(piece);
  if (room > size) free_.emplace(address + size, room - size);
  used_.emplace(address, size);
  return address;
}

bool DeviceHeap::release(std::uint64_t address) {
  if (address == 0) return true;
  const std::lock_guard lock(mutex_);
  const auto piece = used_.find(address);
  if (piece == used_.end()) return false;
  auto at = free_.emplace(address, piece->second).first;
  used_.erase(piece);
  if (const auto next = std::next(at);
      next != free_.end() && at->first + at->second == next->first) {
    at->second += next->second;
    free_.erase(next);
  }
  if (at == free_.begin()) return true;
  const auto before = std::prev(at);
  if (before->first + before->second == at->first) {
    before->second += at->second;
    free_.erase(at);
  }
  return true;
}

}  // namespace burin::emulate
