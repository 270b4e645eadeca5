// The memory checker's findings: errors of the kernel detected while it runs.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"

namespace burin::emulate {

struct Fault {
  enum class Kind : std::uint8_t {
    kOutOfBounds,        // address outside all allocations
    kMisaligned,         // address not a multiple of the access size
    kUninitialised,      // read of memory that was never written
    kRace,               // unsynchronised shared memory accesses to one address by two threads
    kBarrierDivergence,  // lanes of a warp wait at different barriers, or some never arrive
    kTrap,               // the kernel executed a trap
    kAssert,             // an assertion of the kernel failed
    kStackOverflow,      // the thread's stack is larger than its local memory
    kInvalidFree,        // free() of an address that malloc() did not return
  };
  Kind kind = Kind::kOutOfBounds;
  std::uint32_t instruction = 0;  // index in Kernel::instructions
  launch::Dims block{};           // indices, from 0
  launch::Dims thread{};
  std::uint64_t address = 0;
  std::uint8_t bytes = 0;
  std::string detail;       // clause: "4 bytes past the end of argument 1 (1024 bytes)"
  std::uint64_t count = 1;  // occurrences of this kind at this instruction
};
std::string_view name(Fault::Kind kind);  // "out-of-bounds"

// Collects faults from all workers. For each kind and instruction, the first fault of the lowest
// block is kept in full, independent of the order in which workers run; the other faults are only
// counted.
class FaultList {
 public:
  void add(Fault fault);
  // Counts a fault if one of the same kind and instruction is already present. Otherwise returns
  // false, and the fault must be added. Saves the caller from describing a fault millions of times.
  bool repeat(Fault::Kind kind, std::uint32_t instruction, const launch::Dims& block,
              std::uint64_t count);
  std::vector<Fault> take();  // sorted by instruction, then kind

 private:
  std::vector<Fault>::iterator find(Fault::Kind kind, std::uint32_t instruction);

  std::mutex mutex_;
  std::vector<Fault> faults_;
};

}  // namespace burin::emulate
