// Are buffers compared as the documents say: bit for bit, or within a tolerance?
#include "launch/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace burin::launch {
namespace {

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)};
}

template <typename T>
Comparison compare(ElementType type, const std::vector<T>& got, const std::vector<T>& expected,
                   std::optional<double> tolerance = std::nullopt) {
  Comparer comparer(type, tolerance);
  comparer.add(bytes_of(got), bytes_of(expected));
  return comparer.result();
}

TEST(Compare, WithoutToleranceBitsCount) {
  const std::vector<float> expected{0.0f, 1.0f, 2.5f, 3.0f};
  EXPECT_TRUE(compare(ElementType::kF32, expected, expected).equal());
  const std::vector<float> got{-0.0f, 1.0f, 2.0f, 4.0f};
  const Comparison c = compare(ElementType::kF32, got, expected);
  EXPECT_EQ(c.elements, 4u);
  EXPECT_EQ(c.different, 3u);
  EXPECT_EQ(c.first, 0u);
  EXPECT_EQ(c.got, "-0");
  EXPECT_EQ(c.expected, "0");
  EXPECT_EQ(c.largest_error, 1.0);
}

TEST(Compare, ToleranceIsAbsoluteBelowOneAndRelativeAbove) {
  const auto differs = [](double got, double expected) {
    return !compare(ElementType::kF64, std::vector{got}, std::vector{expected}, 0.01).equal();
  };
  EXPECT_FALSE(differs(0.009, 0.0));
  EXPECT_TRUE(differs(0.011, 0.0));
  EXPECT_FALSE(differs(1009.0, 1000.0));
  EXPECT_TRUE(differs(1011.0, 1000.0));
  EXPECT_TRUE(differs(-1000.0, 1000.0));
}

TEST(Compare, NaNsAndInfinities) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const auto equal = [](float got, float expected) {
    return compare(ElementType::kF32, std::vector{got}, std::vector{expected}, 0.5).equal();
  };
  EXPECT_TRUE(equal(nan, -nan));
  EXPECT_TRUE(equal(infinity, infinity));
  EXPECT_FALSE(equal(infinity, -infinity));
  EXPECT_FALSE(equal(infinity, std::numeric_limits<float>::max()));
  EXPECT_FALSE(equal(nan, 0));
  const Comparison c = compare(ElementType::kF32, std::vector{nan}, std::vector{1.0f}, 0.5);
  EXPECT_TRUE(std::isinf(c.largest_error));
}

TEST(Compare, HalvesAreReadAsNumbers) {
  const auto value = [](ElementType type, std::uint16_t bits) {
    return element_value(type, bytes_of(std::vector{bits}));
  };
  EXPECT_EQ(value(ElementType::kF16, 0x3c00), 1.0);
  EXPECT_EQ(value(ElementType::kF16, 0xc500), -5.0);
  EXPECT_EQ(value(ElementType::kF16, 0x0001), std::ldexp(1, -24));
  EXPECT_EQ(value(ElementType::kF16, 0x7bff), 65504.0);
  EXPECT_EQ(value(ElementType::kF16, 0xfc00), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(value(ElementType::kF16, 0x7c01)));
  EXPECT_EQ(value(ElementType::kBf16, 0x3f80), 1.0);
  EXPECT_EQ(value(ElementType::kBf16, 0xc000), -2.0);
}

TEST(Compare, PartsCountOn) {
  Comparer comparer(ElementType::kU32);
  const std::vector<std::uint32_t> zeros(4);
  const std::vector<std::uint32_t> other{0, 0, 7, 8};
  comparer.add(bytes_of(zeros), bytes_of(zeros));
  comparer.add(bytes_of(other), bytes_of(zeros));
  EXPECT_EQ(comparer.result().elements, 8u);
  EXPECT_EQ(comparer.result().different, 2u);
  EXPECT_EQ(comparer.result().first, 6u);
  EXPECT_EQ(comparer.result().got, "0x00000007");
}

TEST(Compare, ARestIsAnElement) {
  const std::vector<std::uint8_t> got{0, 0, 0, 0, 1, 2};
  const std::vector<std::uint8_t> expected{0, 0, 0, 0, 1, 3};
  const Comparison c = compare(ElementType::kF32, got, expected);
  EXPECT_EQ(c.elements, 2u);
  EXPECT_EQ(c.different, 1u);
  EXPECT_EQ(c.first, 1u);
  EXPECT_EQ(c.got, "0x0201");
}

}  // namespace
}  // namespace burin::launch
