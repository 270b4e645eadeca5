// Which powers does a line of the source name, and what takes their place?
#include "advise/patterns/code/fixed_power.h"

#include <gtest/gtest.h>

namespace burin::advise {
namespace {

std::string cheap(std::string_view line) {
  const std::vector<FixedPower> powers = fixed_powers(line);
  return powers.empty() ? "" : powers[0].cheap();
}

TEST(FixedPower, Products) {
  EXPECT_EQ(cheap("y = s * powf(kelvin, 4.0f);"), "kelvin * kelvin * kelvin * kelvin");
  EXPECT_EQ(cheap("y = pow(x, 2);"), "x * x");
  EXPECT_EQ(cheap("y = powf(x, -2.f);"), "1.0f / (x * x)");
  EXPECT_EQ(cheap("y = powf(x, 1.5f);"), "x * sqrtf(x)");
  EXPECT_EQ(cheap("y = powf(a[i + 1], 3.0f);"), "x * x * x with x = a[i + 1]");
  EXPECT_EQ(fixed_powers("powf(x, 4.0f)")[0].products(), 2u);
  EXPECT_EQ(fixed_powers("powf(x, 7.0f)")[0].products(), 4u);
}

TEST(FixedPower, OfTwo) {
  EXPECT_EQ(cheap("w = powf(2.0f, 0.5f * level);"), "exp2f(0.5f * level)");
}

TEST(FixedPower, AllOfALineOrNone) {
  EXPECT_EQ(fixed_powers("powf(x, 2.0f) + powf(f(a, b), 3.0f)").size(), 2u);
  EXPECT_TRUE(fixed_powers("powf(x, 2.0f) + powf(x, y)").empty());
  EXPECT_TRUE(fixed_powers("powf(x, 9.5f)").empty());
  EXPECT_TRUE(fixed_powers("mypow(x, 2.0f)").empty());
  EXPECT_TRUE(fixed_powers("powf(x").empty());
  EXPECT_TRUE(fixed_powers("powf").empty());
  EXPECT_TRUE(fixed_powers("").empty());
}

}  // namespace
}  // namespace burin::advise
