// Does a set of lines have those that were put into it, and no others?
#include "timing/memory/line_set.h"

#include <gtest/gtest.h>

#include <vector>

namespace burin::timing {
namespace {

TEST(LineSet, HasWhatItWasGiven) {
  std::vector<std::uint64_t> lines;
  for (std::uint64_t k = 0; k < 1000; ++k) lines.push_back(k * k);
  const LineSet set(lines);
  std::size_t found = 0;
  for (std::uint64_t line = 0; line < 1'000'000; ++line) found += set.contains(line) ? 1 : 0;
  EXPECT_EQ(found, lines.size());
  for (const std::uint64_t line : lines) EXPECT_TRUE(set.contains(line)) << line;
}

TEST(LineSet, OfNothingHasNothing) {
  EXPECT_FALSE(LineSet().contains(0));
  EXPECT_FALSE(LineSet(std::vector<std::uint64_t>{}).contains(7));
}

TEST(LineSet, OfOneHasThatOne) {
  const LineSet set({7});
  EXPECT_TRUE(set.contains(7));
  EXPECT_FALSE(set.contains(8));
}

}  // namespace
}  // namespace burin::timing
