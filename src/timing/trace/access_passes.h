// In how many passes the lanes of a warp get what they ask for.
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

// Returns the maximum number of lanes at the same address, among lanes with a known address; 1
// where no address is known. Atomics at one address are performed one after another.
unsigned most_at_one_address(const emulate::Access& access);

// Of a constant load: the places that the lanes name. Each comes on its own, in one word or not.
unsigned different_places(const emulate::Access& access);

// The addresses of some lanes, each once, and how many lanes have it.
struct Addresses {
  std::array<std::uint64_t, emulate::kWarpLanes> address;
  std::array<unsigned, emulate::kWarpLanes> lanes;
  std::size_t count = 0;
};
Addresses addresses_of(const emulate::Access& access, emulate::Mask lanes);
unsigned most_at_one_address(const Addresses& addresses);

// How the lanes' atomics on each sector are done: each pass takes one lane of each address.
AtomicPasses passes_of(const Addresses& addresses, unsigned bytes);

}  // namespace burin::timing
