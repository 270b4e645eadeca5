// Global memory: the launch's buffers and the module's variables in one sparse address space.
//
//   GlobalMemory memory;
//   const std::uint64_t a = memory.add("argument 0", buffer);
//   Datum d;
//   if (memory.read(a + 4, 4, d) != MemoryStatus::kDone) …
//
// Every byte is known, Unknown or undefined (never written). Contents are made page by page, when
// first touched, so that memory grows with what is used. All functions but `add` may be called from
// several threads; accesses at a multiple of their size do not tear below 8 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulate/values/lanes.h"
#include "launch/buffer.h"
#include "launch/launch.h"

namespace burin::emulate {

// Up to 16 bytes on their way between memory and a lane.
struct Datum {
  std::array<std::uint8_t, 16> bytes{};
  std::uint16_t unknown = 0;    // bit i: byte i is not known (undefined ones too)
  std::uint16_t undefined = 0;  // bit i: nobody has written byte i
};

enum class MemoryStatus : std::uint8_t { kDone, kOutOfBounds };

constexpr unsigned words_of(unsigned bytes) {
  return bytes < 4 ? 1 : bytes / 4;
}

// What a whole warp reads or writes at once: `bytes` (1, 2, 4, 8 or 16) per lane, at a multiple of
// that. A lane that is outside of memory reads zero, or writes nothing, and is named in `outside`.
struct WarpLoad {
  const std::uint64_t* address = nullptr;  // per lane
  Mask lanes = 0;
  unsigned bytes = 4;
  Lanes* words = nullptr;         // 1, 2 or 4 in a row; bytes and halves are extended with zeros
  std::array<Mask, 4> unknown{};  // out, per word: lanes in which some byte of it is not known
  Mask outside = 0;               // out
  Mask undefined = 0;             // out: lanes that read a byte nobody has written

  void put(unsigned lane, const Datum& d) {
    if (d.undefined != 0) undefined |= Mask{1} << lane;
    for (unsigned k = 0; k < words_of(bytes); ++k) {
      std::memcpy(&words[k].lane[lane], d.bytes.data() + 4 * k, 4);
      unknown[k] |= Mask{(d.unknown >> (4 * k) & 0xf) != 0} << lane;
    }
  }
};
struct WarpStore {
  const std::uint64_t* address = nullptr;
  Mask lanes = 0;
  unsigned bytes = 4;
  std::array<const Lanes*, 4> words{};
  std::array<Mask, 4> unknown{};  // in
  Mask outside = 0;               // out

  bool all_known() const {
    return ((unknown[0] | unknown[1] | unknown[2] | unknown[3]) & lanes) == 0;
  }
  Datum get(unsigned lane) const {
    Datum d;
    for (unsigned k = 0; k < words_of(bytes); ++k) {
      std::memcpy(d.bytes.data() + 4 * k, &words[k]->lane[lane], 4);
      if (unknown[k] >> lane & 1) d.unknown = static_cast<std::uint16_t>(d.unknown | 0xf << 4 * k);
    }
    return d;
  }
};

// What an atomic makes of the value in memory: `old`, `operand` and `compare` in the low bytes.
using Combine = std::uint64_t (*)(std::uint64_t old, std::uint64_t operand, std::uint64_t compare);

struct Update {
  Combine combine = nullptr;
  std::uint64_t operand = 0;
  std::uint64_t compare = 0;
  bool replaces = false;  // the result does not depend on the old value
  bool unknown = false;   // the operand, or whether it happens at all, is not known
};
// What an Update found.
struct Before {
  std::uint64_t value = 0;
  bool unknown = false;
  bool undefined = false;
};

class PageTable;

class GlobalMemory {
 public:
  GlobalMemory();
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  // An allocation, aligned to 512 bytes at least, with a gap behind it; `name` is for messages. Not
  // to be called while a kernel runs.
  std::uint64_t add(std::string name, const launch::Buffer& buffer);

  // Allocations at the addresses of a real program, which may lie close together: between two that
  // share 64 KiB, what belongs to neither counts as memory that nobody has written. Where two
  // overlap, the one that is named later counts.
  void place(std::span<const launch::PlacedBuffer> buffers);

  // `address` need not be aligned; `size` ≤ 16. kOutOfBounds where any byte is outside; nothing is
  // then read or written.
  MemoryStatus read(std::uint64_t address, unsigned size, Datum& out) const;
  MemoryStatus write(std::uint64_t address, unsigned size, const Datum& in);

  void load(WarpLoad& load) const;
  void store(WarpStore& store);  // where lanes share an address, the highest wins
  // The lanes are about to ask for their words one by one: all are fetched from here on.
  void expect(const std::uint64_t* address, Mask lanes) const;

  // One step for all other threads. `size` is 4 or 8, `address` a multiple of it.
  MemoryStatus update(std::uint64_t address, unsigned size, const Update& update, Before& before);

  // The same for any `size` up to 16 and any function, but one step only for others of this kind;
  // `before` gets the old value. Aligned.
  MemoryStatus update(std::uint64_t address, unsigned size, Datum& before,
                      const std::function<Datum(const Datum&)>& update);

  // Where the address is, for messages: "byte 12 of argument 1 (1024 bytes)", "4 bytes past the end
  // of argument 1 (1024 bytes)".
  std::string describe(std::uint64_t address) const;

  // All bytes of the allocation at `address`, for outputs: chunk by chunk, in order. `known` is
  // false where some byte of the chunk is not known (those are given as 0).
  using Visit = std::function<Result<void>(std::span<const std::uint8_t> bytes, bool known)>;
  Result<void> for_each_chunk(std::uint64_t address, const Visit& visit) const;

  std::uint64_t touched_bytes() const;  // of the pages that exist

  struct Extent {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<Extent> extents() const;  // of all allocations, by address

 private:
  std::unique_ptr<PageTable> table_;
};

}  // namespace burin::emulate
