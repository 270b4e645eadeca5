// What a kernel did wrong, found while it ran: the memory checker's findings.
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
    kOutOfBounds,        // an address outside of every allocation
    kMisaligned,         // not a multiple of the access's size
    kUninitialised,      // read of memory nobody has written
    kRace,               // two threads, one address of shared memory, no barrier between
    kBarrierDivergence,  // lanes of a warp that meet at different barriers, or never
    kTrap,               // the kernel stopped itself
  };
  Kind kind = Kind::kOutOfBounds;
  std::uint32_t instruction = 0;  // index in Kernel::instructions
  launch::Dims block{};           // indices, from 0
  launch::Dims thread{};
  std::uint64_t address = 0;
  std::uint8_t bytes = 0;
  std::string detail;       // a clause: "4 bytes past the end of argument 1 (1024 bytes)"
  std::uint64_t count = 1;  // how often this kind was seen at this instruction
};
std::string_view name(Fault::Kind kind);  // "out-of-bounds"

// Collects faults from all workers: of each kind and instruction the first one of the lowest block
// is kept in full, whatever the workers' order, and the others are counted.
class FaultList {
 public:
  void add(Fault fault);
  std::vector<Fault> take();  // by instruction, then kind

 private:
  std::mutex mutex_;
  std::vector<Fault> faults_;
};

}  // namespace burin::emulate
