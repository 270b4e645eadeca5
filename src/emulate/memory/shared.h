// The shared memory of one block, and the watch over it: which bytes were written, which accesses
// no barrier orders (shared_watch.h), and which nobody has waited for (pending_copies.h).
//
// Addresses are bytes from the start of the block's window, in which the first `reserved` bytes
// belong to the system (1 KB on sm_90 and later: the kernel's own variables start behind) and are
// outside as all beyond the end is.
//
//   SharedMemory shared;
//   shared.reset(4096 + 1024, 1024);
//   Datum d;
//   shared.read(1024, 4, d);          // true; d.undefined == 0xf: nobody has written it
//
// One thread at a time: a cluster's blocks run on one worker.
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

  // `bytes`: reserved, static and dynamic together.
  void reset(std::uint32_t bytes, std::uint32_t reserved);

  std::uint32_t size() const { return size_; }  // of the window
  std::uint32_t start() const { return reserved_; }
  std::uint32_t usable() const { return size_ - reserved_; }  // what the kernel asked for

  // False where a byte is outside; nothing is then done. No checks of order.
  bool read(std::uint64_t address, unsigned size, Datum& out) const;
  bool write(std::uint64_t address, unsigned size, const Datum& in);

  // The same for a whole warp.
  void load(WarpLoad& load) const;
  void store(WarpStore& store);

  // `size` is 4 or 8, `address` a multiple of it. False where it is outside.
  bool update(std::uint64_t address, unsigned size, const Update& update, Before& before);

  // Notes that the lane's thread uses the bytes; `clock` is its warp's. Bytes outside are ignored.
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
  // Per 32-bit word, a bit for each of its bytes: 0-3 nobody has written it, 4-7 it is not known.
  std::vector<std::uint8_t> doubt_;
  SharedWatch watch_;
  PendingCopies copies_;
};

}  // namespace burin::emulate
