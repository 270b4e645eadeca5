// Memory as copies see it that no lane makes: any number of bytes, in global memory or in the
// shared memory of some block of the cluster, with the checks of a lane's own accesses. What goes
// wrong is reported for the lane that issued the copy.
#pragma once

#include <array>
#include <cstdint>

#include "emulate/access/bulk.h"
#include "emulate/numbers/bulk_reduce.h"

namespace burin::emulate {

inline constexpr unsigned kMaxRun = 2048;  // bytes: a row of the widest box

// Bytes in a row on their way, with what is not known of them.
struct ByteRun {
  unsigned size = 0;
  std::array<std::uint8_t, kMaxRun> bytes;
  std::array<std::uint8_t, kMaxRun> unknown;  // 0 or 1
};

// Reads `size` bytes into the run from its byte `at` on; those outside of memory are Unknown.
void read_global(Warp& warp, std::uint64_t address, unsigned size, ByteRun& run, unsigned at);
void read_shared(Warp& warp, const SharedPlace& place, unsigned size, ByteRun& run, unsigned at);

// Writes them; those outside of memory are lost.
void write_global(Warp& warp, std::uint64_t address, unsigned size, const ByteRun& run,
                  unsigned at);
void write_shared(Warp& warp, const SharedPlace& place, unsigned size, const ByteRun& run,
                  unsigned at);

// Combines them with what is there, element by element.
void reduce_global(Warp& warp, const Reduction& reduction, std::uint64_t address, unsigned size,
                   const ByteRun& run, unsigned at);
void reduce_shared(Warp& warp, const Reduction& reduction, const SharedPlace& place, unsigned size,
                   const ByteRun& run, unsigned at);

// That the instruction wrote memory, for whoever asks whether anything happens; no lane did.
void tell_bulk(Warp& warp, read::Space written);

}  // namespace burin::emulate
