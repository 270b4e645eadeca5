// The 32 lanes of a warp as arrays, and the two attributes that make loops over them fast.
//
//   BURIN_LANES void execute_xor(Warp& warp, const Op& op) {
//     map2(warp, op, [](std::uint32_t a, std::uint32_t b) BURIN_INLINE { return a ^ b; });
//   }
#pragma once

#include <bit>
#include <cstdint>

// BURIN_LANES: compiles the function twice on x86-64, once for any processor and once for
// processors with AVX2 and FMA; the loader picks one at startup. The target is the level x86-64-v3,
// because arch=haswell would match that one processor generation only. Use it only for plain
// functions (no templates) that are not called from another file: clang does not accept a clone of
// a function that it has already seen called. Lambdas and templates called from such a function
// must be BURIN_INLINE, otherwise they are compiled for the baseline target only.
#if defined(__SANITIZE_ADDRESS__)
#define BURIN_LANES_PLAIN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BURIN_LANES_PLAIN
#endif
#endif
#if defined(__x86_64__) && !defined(BURIN_LANES_PLAIN)
#define BURIN_LANES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define BURIN_LANES
#endif
#define BURIN_INLINE __attribute__((always_inline))

namespace burin::emulate {

inline constexpr unsigned kWarpLanes = 32;

using Mask = std::uint32_t;  // bit i: lane i
inline constexpr Mask kAllLanes = 0xffffffff;

// One 32-bit register of a warp.
struct alignas(64) Lanes {
  std::uint32_t lane[kWarpLanes];

  std::uint32_t& operator[](unsigned i) { return lane[i]; }
  const std::uint32_t& operator[](unsigned i) const { return lane[i]; }
};

// Calls visit(lane) for every lane of the mask, lowest first.
template <typename Visit>
BURIN_INLINE inline void for_each_lane(Mask mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

// Like for_each_lane, with a separate loop for a full mask, which is the common case. Use it where
// the speed is worth compiling `visit` twice.
template <typename Visit>
BURIN_INLINE inline void for_lanes(Mask mask, Visit visit) {
  if (mask == kAllLanes) {
    for (unsigned i = 0; i < kWarpLanes; ++i) visit(i);
  } else {
    for_each_lane(mask, visit);
  }
}

// Copies `from` to `to` in the lanes of the mask.
BURIN_INLINE inline void blend(Lanes& to, const Lanes& from, Mask mask) {
  if (mask == kAllLanes) {
    to = from;
    return;
  }
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t keep = (mask >> i & 1) - 1;  // all ones if the lane is not in the mask
    to.lane[i] = (to.lane[i] & keep) | (from.lane[i] & ~keep);
  }
}

}  // namespace burin::emulate
