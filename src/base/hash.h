// The hash functions that burin uses, each defined once. Predictions, golden dumps and the contents
// of random buffers depend on their values, so none of them may change.
//
//   fibonacci_hash(n) >> 40        // 24 bits, evenly spread for consecutive n; one multiplication
//   splitmix64(n)                  // every bit of n affects all bits
//   hash = hash_combine(hash, n)   // hash of a sequence
//   fnv1a(bytes)                   // hash of contents, to detect changes; not a unique identifier,
//                                  // for which there is SHA-256
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace burin {

inline constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15u;  // 2^64 / 1.618…
inline constexpr std::uint64_t kSplitmixMultiplier = 0xbf58476d1ce4e5b9u;

// Input bits affect only equal and higher bits of the result: use the high bits.
constexpr std::uint64_t fibonacci_hash(std::uint64_t n) {
  return n * kGoldenRatio;
}

// SplitMix64's output function: a bijection of 64-bit words in which every input bit affects all
// output bits.
constexpr std::uint64_t splitmix64(std::uint64_t n) {
  n = (n ^ n >> 30) * kSplitmixMultiplier;
  n = (n ^ n >> 27) * 0x94d049bb133111ebu;
  return n ^ n >> 31;
}

// Adds `value` to the hash of a sequence. A bijection of `value` for each `hash`; depends on the
// order of the values.
constexpr std::uint64_t hash_combine(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + kGoldenRatio + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdu;
}

constexpr std::uint64_t fnv1a(Bytes bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

}  // namespace burin
