// The shared memory of one block and its checks: which bytes were written, which accesses are not
// ordered by a barrier (shared_watch.h), and which copies have not been waited for
// (pending_copies.h).
//
// Addresses are bytes from the start of the block's shared window. Its first `reserved` bytes
// belong to the system (1 KB on sm_90 and later: the kernel's variables start after them) and count
// as outside, like everything beyond the end.
//
//   SharedMemory shared;
//   shared.reset(4096 + 1024, 1024);
//   Datum d;
//   shared.read(1024, 4, d);          // true; d.undefined == 0xf: never written
//
// Not thread-safe: all blocks of a cluster run on one worker.
#pragma once

#include <cstdint>
#include <vector>

#include "emulate/memory/memory.h"
#include "emulate/memory/pending_copies.h"
#include "emulate/memory/shared_watch.h"

namespace burin::emulate {

class SharedMemory {
 public:
  using Race = burin::emulate::Race;

  // Starts a new block. `bytes` is the sum of reserved, static and dynamic shared memory.
  void reset(std::uint32_t bytes, std::uint32_t reserved);

  std::uint32_t size() const { return size_; }  // of the whole window
  std::uint32_t start() const { return reserved_; }
  std::uint32_t usable() const { return size_ - reserved_; }  // without the reserved bytes

  // Return false and do nothing if a byte is outside. They do not check for races.
  bool read(std::uint64_t address, unsigned size, Datum& out) const;
  bool write(std::uint64_t address, unsigned size, const Datum& in);

  // Load or store for a whole warp, also without race checks.
  void load(WarpLoad& load) const;
  void store(WarpStore& store);

  // Performs an atomic. `size` is 4 or 8, and `address` is a multiple of `size`. Returns false if
  // the address is outside.
  bool update(std::uint64_t address, unsigned size, const Update& update, Before& before);

  // Record that the lane's thread accesses the bytes, and return the races found. `clock` is the
  // vector clock of its warp. Bytes outside are ignored.
  Race note(std::uint64_t address, unsigned size, SharedUse use, std::uint32_t instruction,
            std::uint32_t warp, unsigned lane, const Clock& clock);
  SharedRaces note(const SharedAccess& access, const Clock& clock);
  SharedWatch& watch() { return watch_; }
  PendingCopies& copies() { return copies_; }

 private:
  bool inside(std::uint64_t address, unsigned size) const {
    return address >= reserved_ && address <= size_ && size <= size_ - address;
  }

  std::uint32_t size_ = 0;
  std::uint32_t reserved_ = 0;
  std::vector<std::uint64_t> bytes_;
  // Per 32-bit word, one bit per byte: bits 0-3 never written, bits 4-7 not known.
  std::vector<std::uint8_t> doubt_;
  SharedWatch watch_;
  PendingCopies copies_;
};

}  // namespace burin::emulate
