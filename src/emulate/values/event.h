// The events that the emulator sends to a Listener: one Event per executed warp instruction.
#pragma once

#include <array>
#include <cstdint>

#include "emulate/values/lanes.h"
#include "read/isa/instruction.h"

namespace burin::emulate {

struct Warp;
struct Block;

// One memory access of a warp, with the address of each lane.
struct Access {
  read::Space space = read::Space::kNone;  // actual space: generic addresses are resolved
  bool load = false;
  bool store = false;  // an atomic sets both load and store
  bool atomic = false;
  std::uint8_t bytes = 0;  // bytes per lane
  Mask lanes = 0;          // lanes that access memory
  Mask unknown = 0;        // subset of `lanes` whose address is Unknown
  // Global: the address. Shared: byte offset in the block's shared window, with the block's rank in
  // its cluster from bit 24 up. Local: byte offset in the thread's local window.
  std::array<std::uint64_t, kWarpLanes> address;
};

// A contiguous range of global memory that a bulk copy reads or writes.
struct CopiedRow {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool store = false;
};

// An arrival at an mbarrier, or at one of BAR's numbered barriers.
struct PhaseChange {
  static constexpr std::uint32_t kNumbered = 0xffffffff;
  std::uint32_t rank = 0;     // cluster rank of the mbarrier's block; kNumbered: BAR
  std::uint32_t address = 0;  // mbarrier: byte in that block's shared window; BAR: barrier number
  bool completes = false;     // this arrival completes the phase
  bool first = false;         // BAR: first arrival of the phase
  bool waits = false;         // BAR: the warp blocks until the phase completes
};

struct Event {
  const Warp* warp = nullptr;
  std::uint32_t instruction = 0;  // index in Kernel::instructions
  Mask active = 0;                // lanes at this instruction
  Mask exec = 0;                  // active lanes whose guard is true or Unknown
  Mask taken = 0;                 // branch: lanes that take it
  std::uint8_t access_count = 0;  // 2 for LDGSTS: the load, then the store
  const Access* accesses = nullptr;
};

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void block_started(const Block&) {}
  virtual void executed(const Event&) = 0;
  virtual void block_ended(const Block&) {}
};

}  // namespace burin::emulate
