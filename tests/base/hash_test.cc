#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace burin {
namespace {

Bytes bytes_in(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The values that the authors of the algorithms publish.
TEST(HashTest, PublishedValues) {
  EXPECT_EQ(fnv1a({}), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a(bytes_in("a")), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv1a(bytes_in("foobar")), 0x85944171f73967e8u);
  EXPECT_EQ(splitmix64(1234567 + kGoldenRatio), 6457827717110365317u);
  EXPECT_EQ(splitmix64(1234567 + 2 * kGoldenRatio), 3203168211198807973u);
}

// Predictions depend on these.
TEST(HashTest, ValuesStay) {
  EXPECT_EQ(fibonacci_hash(3), 0xdaa66d2c7ddf743fu);
  EXPECT_EQ(hash_combine(0, 1), 0x2dc4643d3bcf659eu);
  EXPECT_EQ(hash_combine(hash_combine(0, 1), 2), 0x46a916eab66691e0u);
}

TEST(HashTest, CombineKnowsTheOrder) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t a = 0; a < 100; ++a) {
    for (std::uint64_t b = 0; b < 100; ++b) seen.insert(hash_combine(hash_combine(0, a), b));
  }
  EXPECT_EQ(seen.size(), 10000u);
}

}  // namespace
}  // namespace burin
