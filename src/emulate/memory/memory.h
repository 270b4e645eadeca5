// Global memory: the launch's buffers and the module's variables in one sparse address space.
//
//   GlobalMemory memory;
//   const std::uint64_t a = memory.add("argument 0", buffer);
//   Datum d;
//   if (memory.read(a + 4, 4, d) != MemoryStatus::kDone) …
//
// Every byte is known, Unknown or undefined (never written). Pages are created on first access, so
// host memory grows with what is used. All functions except `add` may be called from several
// threads; naturally aligned accesses of up to 8 bytes do not tear.
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

// Up to 16 bytes moving between memory and a lane.
struct Datum {
  std::array<std::uint8_t, 16> bytes{};
  std::uint16_t unknown = 0;    // bit i: byte i is Unknown or undefined
  std::uint16_t undefined = 0;  // bit i: byte i was never written
};

enum class MemoryStatus : std::uint8_t { kDone, kOutOfBounds };

constexpr unsigned words_of(unsigned bytes) {
  return bytes < 4 ? 1 : bytes / 4;
}

// A load or store of a whole warp: `bytes` (1, 2, 4, 8 or 16) per lane, naturally aligned. A lane
// with an address outside of memory reads zero, or writes nothing, and is set in `outside`.
struct WarpLoad {
  const std::uint64_t* address = nullptr;  // per lane
  Mask lanes = 0;
  unsigned bytes = 4;
  Lanes* words = nullptr;         // 1, 2 or 4 registers; 8- and 16-bit values are zero-extended
  std::array<Mask, 4> unknown{};  // out, per word: lanes with an Unknown byte in it
  Mask outside = 0;               // out
  Mask undefined = 0;             // out: lanes that read a byte never written

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

// Computes the new value in memory of an atomic; `old`, `operand` and `compare` are in the low
// bytes.
using Combine = std::uint64_t (*)(std::uint64_t old, std::uint64_t operand, std::uint64_t compare);

struct Update {
  Combine combine = nullptr;
  std::uint64_t operand = 0;
  std::uint64_t compare = 0;
  bool replaces = false;  // the result does not depend on the old value
  bool unknown = false;   // the operand is Unknown, or whether the atomic executes
};
// The value in memory before an Update.
struct Before {
  std::uint64_t value = 0;
  bool unknown = false;
  bool undefined = false;
  bool same = false;  // the update left the value as it was; known of global memory only
};

class PageTable;

class GlobalMemory {
 public:
  GlobalMemory();
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  // Adds an allocation, aligned to at least 512 bytes and followed by a gap, and returns its
  // address. `name` is used in messages. An address outside all allocations is never described by
  // an `internal` one, which no program knows of. Do not call while a kernel runs.
  std::uint64_t add(std::string name, const launch::Buffer& buffer, bool internal = false);

  // Adds allocations at given addresses of a real program, which may be close together: between two
  // allocations within the same 64 KiB, bytes that belong to neither count as never written. Where
  // two overlap, the later one in the list wins.
  void place(std::span<const launch::PlacedBuffer> buffers);

  // Read or write `size` ≤ 16 bytes; `address` need not be aligned. If any byte is outside, they
  // return kOutOfBounds and read or write nothing.
  MemoryStatus read(std::uint64_t address, unsigned size, Datum& out) const;
  MemoryStatus write(std::uint64_t address, unsigned size, const Datum& in);

  void load(WarpLoad& load) const;
  void store(WarpStore& store);  // if lanes share an address, the highest lane wins
  // Prefetches the lanes' words, which are about to be accessed one by one.
  void expect(const std::uint64_t* address, Mask lanes) const;

  // Performs an atomic update with respect to all other threads. `size` is 4 or 8, and `address` is
  // a multiple of `size`.
  MemoryStatus update(std::uint64_t address, unsigned size, const Update& update, Before& before);

  // Like the update above, for any aligned `size` up to 16 and any function, but atomic only with
  // respect to other updates of this kind. `before` receives the old value.
  MemoryStatus update(std::uint64_t address, unsigned size, Datum& before,
                      const std::function<Datum(const Datum&)>& update);

  // Describes the address for messages: "byte 12 of argument 1 (1024 bytes)", "4 bytes past the end
  // of argument 1 (1024 bytes)".
  std::string describe(std::uint64_t address) const;

  // Visits all bytes of the allocation at `address`, for outputs, chunk by chunk and in order.
  // `known` is false if some byte of the chunk is not known; such bytes are passed as 0.
  using Visit = std::function<Result<void>(std::span<const std::uint8_t> bytes, bool known)>;
  Result<void> for_each_chunk(std::uint64_t address, const Visit& visit) const;

  std::uint64_t touched_bytes() const;  // size of the pages created so far
  // Calls `exceeded` once, as soon as the pages take more than `bytes` of the host's memory. The
  // access that exceeds the limit is completed. Do not call while a kernel runs.
  void limit(std::uint64_t bytes, std::function<void()> exceeded);

  struct Extent {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<Extent> extents() const;  // all allocations, sorted by address

 private:
  std::unique_ptr<PageTable> table_;
};

}  // namespace burin::emulate
