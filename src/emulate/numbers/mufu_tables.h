// The tables of the multi-function unit of an H200, recovered from its results. The results of a
// segment bound its three coefficients so tightly that only one set on their fixed-point grid
// remains, and with that set every H200 result is reproduced.
#pragma once

#include <array>
#include <cstdint>

namespace burin::emulate {

// constant / 2^26 + slope / 2^24 * t + curve / 2^24 * t², where t in [0, 1) is the position in the
// segment.
struct MufuSegment {
  std::int32_t constant;
  std::int32_t slope;
  std::int32_t curve;
};

extern const std::array<MufuSegment, 128> kRcpSegments;  // 1 / x, x in [1, 2)
extern const std::array<MufuSegment, 128> kRsqSegments;  // 1 / sqrt(x), x in [1, 2), then in [2, 4)
extern const std::array<MufuSegment, 128> kSqrtSegments;  // sqrt(x), x in [1, 2), then in [2, 4)
extern const std::array<MufuSegment, 64> kEx2Segments;    // 2^x / 2, x in [0, 1)
extern const std::array<MufuSegment, 64> kLg2Segments;    // log2(x), x in [1, 2)
extern const std::array<MufuSegment, 64> kSinSegments;    // sin(π/2 x), x in [0, 1)
extern const std::array<MufuSegment, 51>
    kTanhSegments;  // tanh(x), x in [2^-8, 8); MufuOctave says which rows are whose

}  // namespace burin::emulate
