// Memory access for bulk copies: any number of bytes, in global memory or in the shared memory of
// any block of the cluster, with the same checks as per-lane accesses. Faults are reported for the
// lane that issued the copy.
#pragma once

#include <array>
#include <cstdint>

#include "emulate/access/bulk.h"
#include "emulate/numbers/bulk_reduce.h"

namespace burin::emulate {

inline constexpr unsigned kMaxRun = 2048;  // bytes: one row of the widest box

// A contiguous run of bytes being copied, with a flag per byte for Unknown values.
struct ByteRun {
  unsigned size = 0;
  std::array<std::uint8_t, kMaxRun> bytes;
  std::array<std::uint8_t, kMaxRun> unknown;  // per byte: 0 or 1
};

// Read `size` bytes into the run, starting at its byte `at`. Bytes outside of memory are Unknown.
void read_global(Warp& warp, std::uint64_t address, unsigned size, ByteRun& run, unsigned at);
void read_shared(Warp& warp, const SharedPlace& place, unsigned size, ByteRun& run, unsigned at);

// Write `size` bytes of the run, starting at its byte `at`. Bytes outside of memory are dropped.
void write_global(Warp& warp, std::uint64_t address, unsigned size, const ByteRun& run,
                  unsigned at);
void write_shared(Warp& warp, const SharedPlace& place, unsigned size, const ByteRun& run,
                  unsigned at);

// Combine `size` bytes of the run, from its byte `at`, with the contents of memory, element by
// element.
void reduce_global(Warp& warp, const Reduction& reduction, std::uint64_t address, unsigned size,
                   const ByteRun& run, unsigned at);
void reduce_shared(Warp& warp, const Reduction& reduction, const SharedPlace& place, unsigned size,
                   const ByteRun& run, unsigned at);

// Records in the warp's accesses that the instruction wrote to the space, although no lane did, so
// that the write counts as progress.
void tell_bulk(Warp& warp, read::Space written);

}  // namespace burin::emulate
