// Global memory: the launch's buffers and the module's variables in one sparse address space.
//
//   GlobalMemory memory;
//   std::uint64_t a = memory.add("argument 0", buffer);        // contents made page by page, when
//   touched Datum d; if (memory.read(a + 4, 4, d) != MemoryStatus::kDone) …
//
// Every byte is known, Unknown or undefined (never written). All functions may be called from
// several threads; accesses of up to 16 bytes do not tear below 8 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/buffer.h"

namespace burin {

// Up to 16 bytes on their way between memory and a lane.
struct Datum {
  std::array<std::uint8_t, 16> bytes{};
  std::uint16_t unknown = 0;    // bit i: byte i is not known (undefined ones too)
  std::uint16_t undefined = 0;  // bit i: nobody has written byte i
};

enum class MemoryStatus : std::uint8_t { kDone, kOutOfBounds };

class GlobalMemory {
 public:
  GlobalMemory();
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  // An allocation, aligned to 512 bytes, with a gap behind it; `name` is for messages. Not to be
  // called while a kernel runs.
  std::uint64_t add(std::string name, const Buffer& buffer);

  // `address` need not be aligned; `size` ≤ 16. kOutOfBounds where any byte is outside; nothing is
  // then read or written.
  MemoryStatus read(std::uint64_t address, unsigned size, Datum& out) const;
  MemoryStatus write(std::uint64_t address, unsigned size, const Datum& in);

  // Replaces the `size` (2, 4, 8, 16) bytes by what `update` makes of them, as one step; `before`
  // gets the old value. Aligned.
  MemoryStatus update(std::uint64_t address, unsigned size, Datum& before,
                      const std::function<Datum(const Datum&)>& update);

  // "argument 1 (1024 bytes)", and how far `address` is off it: for messages about an address that
  // is in no allocation.
  std::string describe(std::uint64_t address) const;

  // All bytes of the allocation at `address`, for outputs: chunk by chunk, in order. `known` is
  // false where some byte of the chunk is not known (those are given as 0).
  using Visit = std::function<Result<void>(std::span<const std::uint8_t> bytes, bool known)>;
  Result<void> for_each_chunk(std::uint64_t address, const Visit& visit) const;

  std::uint64_t touched_bytes() const;  // of the pages that exist

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace burin
