// How far an output is from the expected one.
//
//   Floats: |got − expected| / max(|expected|, mean of |expected|). Integers: |got − expected|.
//   An element differs if this is above the tolerance; an output is right if at most the share
//   `may_differ` of its elements differ (0 unless the case says otherwise).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

namespace paths {

struct Difference {
  double largest = 0;  // over all elements; infinite if one is NaN and should not be
  double share = 0;    // of elements above the tolerance
};

template <typename Element>
Difference differences(const void* got_bytes, const void* expected_bytes, size_t bytes,
                       double tolerance) {
  const Element* const got = static_cast<const Element*>(got_bytes);
  const Element* const expected = static_cast<const Element*>(expected_bytes);
  const size_t count = bytes / sizeof(Element);
  constexpr bool kInteger = !std::is_floating_point_v<Element>;
  double mean = 0;
  if constexpr (!kInteger) {
    for (size_t i = 0; i < count; ++i)
      mean += std::isfinite(expected[i]) ? std::abs(expected[i]) : 0;
    mean /= std::max<size_t>(count, 1);
  }
  Difference result;
  size_t above = 0;
  for (size_t i = 0; i < count; ++i) {
    const double g = static_cast<double>(got[i]), e = static_cast<double>(expected[i]);
    if (g == e || (std::isnan(g) && std::isnan(e))) continue;
    double error = std::abs(g - e);
    if constexpr (!kInteger) error /= std::max(std::abs(e), mean);
    if (std::isnan(error)) error = INFINITY;
    result.largest = std::max(result.largest, error);
    above += error > tolerance;
  }
  result.share = static_cast<double>(above) / std::max<size_t>(count, 1);
  return result;
}

// Whether the type is known.
inline bool compare(const std::string& type, const void* got, const void* expected, size_t bytes,
                    double tolerance, Difference& result) {
  if (type == "f32")
    result = differences<float>(got, expected, bytes, tolerance);
  else if (type == "f64")
    result = differences<double>(got, expected, bytes, tolerance);
  else if (type == "i32")
    result = differences<int32_t>(got, expected, bytes, tolerance);
  else if (type == "u32")
    result = differences<uint32_t>(got, expected, bytes, tolerance);
  else if (type == "u8")
    result = differences<uint8_t>(got, expected, bytes, tolerance);
  else
    return false;
  return true;
}

}  // namespace paths
