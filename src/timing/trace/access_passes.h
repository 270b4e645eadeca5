// The number of passes that serve the accesses of a warp's lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulate/values/event.h"
#include "timing/trace/trace.h"

namespace burin::timing {

// Returns the passes over the 32 banks of 4 bytes needed by the lanes' words: for each group of
// lanes, the maximum number of different words in any bank. A group is the whole warp, half of it
// for 8-byte accesses, or a quarter for 16-byte accesses. Groups are twice as large if lanes agree
// in pairs, as observed on an H200.
unsigned bank_passes(const emulate::Access& access);

// The same for an array that leaves one element free after every 128 bytes.
unsigned padded_bank_passes(const emulate::Access& access);

// Returns the maximum number of lanes at the same address, among lanes with a known address; 1
// if no address is known. Atomics at one address are serialised.
unsigned most_at_one_address(const emulate::Access& access);

// For a constant load: the number of distinct addresses. Each is served separately, even in one
// word.
unsigned different_places(const emulate::Access& access);

// The distinct addresses of some lanes, with the number of lanes at each.
struct Addresses {
  std::array<std::uint64_t, emulate::kWarpLanes> address;
  std::array<unsigned, emulate::kWarpLanes> lanes;
  std::size_t count = 0;
};
Addresses addresses_of(const emulate::Access& access, emulate::Mask lanes);
unsigned most_at_one_address(const Addresses& addresses);

// The passes of the lanes' atomics on each sector: each pass handles one lane per address.
AtomicPasses passes_of(const Addresses& addresses, unsigned bytes);

}  // namespace burin::timing
