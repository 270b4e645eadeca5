// The inputs of the recorded tensor-core products: every register of every lane as a function of
// the product's number and the case's, so that of the GPU's outputs only checksums need to be kept.
// The program that ran on the GPU was compiled with this file; changing a number here means
// recording again.
//
//   Elements a{Format::kF16, Role::kA, product, case_number};
//   std::uint32_t register_2_of_lane_5 = a.word(5, 2, /*registers=*/4);
#pragma once

#include <cstdint>

namespace tensor_cases {

enum class Format { kBits, kF16, kBf16, kTf32, kE4m3, kE5m2, kF32, kF64, kPairs, kSingles };
enum class Role { kA, kB, kC, kMetadata };

inline std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

struct Shape {
  unsigned bits, exponent, mantissa;
};
inline Shape shape(Format f) {
  switch (f) {
    case Format::kF16:
      return {16, 5, 10};
    case Format::kBf16:
      return {16, 8, 7};
    case Format::kTf32:
      return {32, 8, 23};  // its low 13 bits are random too: the GPU ignores them
    case Format::kE4m3:
      return {8, 4, 3};
    case Format::kE5m2:
      return {8, 5, 2};
    case Format::kF32:
      return {32, 8, 23};
    case Format::kF64:
      return {64, 11, 52};
    default:
      return {32, 0, 0};
  }
}

// What the values of a matrix are like.
enum class Kind {
  kNear,       // about 1
  kWide,       // exponents within ±12
  kAny,        // any finite pattern
  kCancel,     // A: neighbours along K that cancel, most of the time
  kCancelFar,  // the same, half of K apart
  kSpecial,    // infinities, NaNs, zeros and extremes among values about 1
  kTiny,       // subnormal and just above
  kLarge,      // near the largest
  kZeros,      // ±0, ±1, the smallest
  kSparse,     // three of four are zero
};
inline constexpr unsigned kKinds = 10;
inline constexpr Kind kAccumulatorKinds[] = {Kind::kNear, Kind::kZeros, Kind::kWide,   Kind::kAny,
                                             Kind::kTiny, Kind::kLarge, Kind::kSpecial};
inline constexpr unsigned kAccumulators = 7;

struct Elements {
  Format format;
  Role role;
  unsigned product;
  unsigned number;  // of the case

  Kind kind() const {
    if (role == Role::kC) return kAccumulatorKinds[number / kKinds % kAccumulators];
    return static_cast<Kind>(number % kKinds);
  }

  std::uint64_t random(unsigned lane, unsigned index) const {
    return mix(mix(mix(product * 1000u + number) + static_cast<unsigned>(role) * 4096 + lane) +
               index);
  }

  // One element made of 64 random bits.
  std::uint64_t value(std::uint64_t r) const {
    const Shape s = shape(format);
    if (s.exponent == 0) return r >> 32;
    const std::uint64_t top = (std::uint64_t{1} << s.exponent) - 1;
    const std::uint64_t bias = top >> 1;
    const std::uint64_t fraction = r & ((std::uint64_t{1} << s.mantissa) - 1);
    const std::uint64_t sign = r >> 63;
    const std::uint64_t choice = mix(r) >> 8;
    const auto make = [&](std::uint64_t exponent, std::uint64_t f) {
      return sign << (s.bits - 1) | exponent << s.mantissa | f;
    };
    // E4M3 has no infinities: its top exponent is an ordinary one, but for the fraction of all
    // ones.
    const std::uint64_t most = format == Format::kE4m3 ? top : top - 1;
    const auto finite = [&](std::uint64_t exponent) {
      return make(exponent,
                  format == Format::kE4m3 && exponent == top && fraction == 7 ? 6 : fraction);
    };
    switch (kind()) {
      case Kind::kNear:
        return finite(bias - 1 + choice % 3);
      case Kind::kCancel:
      case Kind::kCancelFar:
      case Kind::kWide: {
        const std::uint64_t w = bias - 1 < 12 ? bias - 1 : 12;
        return finite(bias - w + choice % (2 * w + 1));
      }
      case Kind::kAny:
        return finite(choice % (most + 1));
      case Kind::kSpecial:
        switch (choice % 64) {
          case 0:
            return make(top, format == Format::kE4m3 ? 7 : 0);
          case 1:
            return make(top, fraction | 1);
          case 2:
            return make(0, 0);
          case 3:
            return finite(most);
          case 4:
            return finite(0);
          default:
            return finite(bias - 1 + choice / 64 % 3);
        }
      case Kind::kTiny:
        return finite(choice % 4);
      case Kind::kLarge:
        return finite(most - choice % 3);
      case Kind::kZeros: {
        const std::uint64_t what = choice % 8;
        return what < 4 ? make(0, 0) : what < 7 ? make(bias, 0) : make(0, 1);
      }
      case Kind::kSparse:
        return choice % 4 != 0 ? make(0, 0) : finite(choice / 4 % (most + 1));
    }
    return 0;
  }

  std::uint64_t negated(std::uint64_t v) const {
    const Shape s = shape(format);
    return s.exponent == 0 ? v : v ^ std::uint64_t{1} << (s.bits - 1);
  }

  // The element with index `k` of `count` along K, on line `line` (a row of A, a column of B).
  std::uint64_t along(unsigned line, unsigned k, unsigned count) const {
    const bool near = kind() == Kind::kCancel && (k & 1) != 0;
    const bool far = kind() == Kind::kCancelFar && k >= count / 2;
    if (role != Role::kC && (near || far) && random(line, k + 5000) % 4 != 0) {
      const std::uint64_t partner = value(random(line, near ? k - 1 : k - count / 2));
      return role == Role::kA ? negated(partner) : partner;
    }
    return value(random(line, k));
  }

  // Register `r` of `registers` in a lane's fragment.
  std::uint32_t word(unsigned lane, unsigned r, unsigned registers) const {
    if (role == Role::kMetadata) return metadata(lane, r);
    const Shape s = shape(format);
    if (s.exponent == 0) return static_cast<std::uint32_t>(value(random(lane, r)));
    if (s.bits == 64) {
      const std::uint64_t v = value(random(lane, r / 2));
      return static_cast<std::uint32_t>(r % 2 != 0 ? v >> 32 : v);
    }
    const unsigned parts = 32 / s.bits;
    std::uint32_t out = 0;
    for (unsigned p = 0; p < parts; ++p) {
      // Neighbours in a register are neighbours along K; the second half of the registers holds the
      // second half of K.
      std::uint64_t v = value(random(lane, r * 4 + p));
      const bool near = kind() == Kind::kCancel && p % 2 != 0;
      const bool far = (kind() == Kind::kCancelFar || (kind() == Kind::kCancel && parts == 1)) &&
                       r >= (registers + 1) / 2;
      if (role != Role::kC && (near || far) && random(lane, r * 4 + p + 5000) % 4 != 0) {
        v = value(random(lane, near ? r * 4 + p - 1 : (r - registers / 2) * 4 + p));
        if (role == Role::kA) v = negated(v);
      }
      out |= static_cast<std::uint32_t>(v << (p * s.bits));
    }
    return out;
  }

  // Eight groups of valid positions in A: two of four, or (kSingles) one of two in units of two.
  std::uint32_t metadata(unsigned lane, unsigned r) const {
    constexpr std::uint32_t kPairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    constexpr std::uint32_t kSingles[] = {0xe, 0x4};
    std::uint32_t out = 0;
    for (unsigned g = 0; g < 8; ++g) {
      const std::uint64_t choice = random(lane, r * 8 + g) >> 16;
      out |= (format == Format::kSingles ? kSingles[choice % 2] : kPairs[choice % 6]) << (4 * g);
    }
    return out;
  }
};

}  // namespace tensor_cases
