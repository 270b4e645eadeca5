// The heap of the kernel's malloc and free: one allocation of global memory, handed out in pieces.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace burin::emulate {

inline constexpr std::uint64_t kHeapBytes = std::uint64_t{8} << 20;  // as CUDA's default

class DeviceHeap {
 public:
  DeviceHeap(std::uint64_t address, std::uint64_t bytes);

  // Returns the address of `bytes` bytes, aligned to 16; 0 if there is no room for them.
  std::uint64_t allocate(std::uint64_t bytes);
  // Returns false if the address is not that of a piece in use. 0 is accepted and ignored.
  bool release(std::uint64_t address);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> free_;  // sizes by address; neighbours are joined
  std::map<std::uint64_t, std::uint64_t> used_;
};

}  // namespace burin::emulate
