// What the emulator tells those who listen: one Event per executed warp instruction.
#pragma once

#include <array>
#include <cstdint>

#include "emulate/values/lanes.h"
#include "read/isa/instruction.h"

namespace burin::emulate {

struct Warp;
struct Block;

// The lanes' addresses of one memory access.
struct Access {
  read::Space space = read::Space::kNone;  // where the bytes are: a generic address is resolved
  bool load = false;
  bool store = false;  // an atomic is both
  bool atomic = false;
  std::uint8_t bytes = 0;  // per lane
  Mask lanes = 0;          // that access memory
  Mask unknown = 0;        // among them, those whose address is Unknown
  // Global: the address. Shared: the byte in the block's window, the block's rank in its cluster
  // from bit 24 up. Local: the byte in the thread's window.
  std::array<std::uint64_t, kWarpLanes> address;
};

// Bytes of global memory in a row that a bulk copy reads or writes.
struct CopiedRow {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool store = false;
};

// An arrival at an mbarrier, or at one of BAR's numbered barriers.
struct PhaseChange {
  static constexpr std::uint32_t kNumbered = 0xffffffff;
  std::uint32_t rank = 0;     // of the mbarrier's block in its cluster; kNumbered: BAR
  std::uint32_t address = 0;  // in that block's shared window; BAR: its number
  bool completes = false;     // the phase is over with it
  bool first = false;         // BAR: nobody else had come yet
  bool waits = false;         // BAR: the warp goes on when the phase is over
};

struct Event {
  const Warp* warp = nullptr;
  std::uint32_t instruction = 0;  // index in Kernel::instructions
  Mask active = 0;                // the lanes that are at this instruction
  Mask exec = 0;                  // those whose guard holds (or is Unknown)
  Mask taken = 0;                 // of a branch: those that took it
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
