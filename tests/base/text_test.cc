#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace burin {
namespace {

using testing::ElementsAre;

TEST(CountOf, KnowsTheSingular) {
  EXPECT_EQ(count_of(0, "kernel"), "0 kernels");
  EXPECT_EQ(count_of(1, "kernel"), "1 kernel");
  EXPECT_EQ(count_of(2, "kernel"), "2 kernels");
}

TEST(Text, LargeNumbersHaveCommas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(123456789), "123,456,789");
}

TEST(HumanBytes, IsExactBelowOneKibibyte) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1 KiB");
}

TEST(HumanBytes, ChoosesTheUnit) {
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(5ull << 20), "5 MiB");
  EXPECT_EQ(human_bytes(3ull << 30), "3 GiB");
  EXPECT_EQ(human_bytes(1ull << 40), "1 TiB");
  EXPECT_EQ(human_bytes(2048ull << 40), "2048 TiB");  // there is no larger unit
}

TEST(Closest, FindsTheSlipOfAFinger) {
  const std::vector<std::string> commands{"inspect", "doctor", "completion"};
  EXPECT_EQ(closest("inspct", commands), "inspect");
  EXPECT_EQ(closest("isnpect", commands), "inspect");
  EXPECT_EQ(closest("docter", commands), "doctor");
  EXPECT_EQ(closest("doctor", commands), "doctor");
}

TEST(Closest, SaysNothingWhereNothingIsNear) {
  const std::vector<std::string> commands{"inspect", "doctor"};
  EXPECT_EQ(closest("tune", commands), "");
  EXPECT_EQ(closest("x", commands), "");
  EXPECT_EQ(closest("inspect", {}), "");
}

TEST(ListOf, CountsWhatItLeavesOut) {
  const std::vector<std::string> names{"a", "b", "c", "d"};
  EXPECT_EQ(list_of(names, 4), "a, b, c and d");
  EXPECT_EQ(list_of(names, 9), "a, b, c and d");
  EXPECT_EQ(list_of(names, 2), "a, b and 2 more");
  EXPECT_EQ(list_of(std::span(names).first(1), 3), "a");
  EXPECT_EQ(list_of({}, 3), "");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("a,b", ','), ElementsAre("a", "b"));
  EXPECT_THAT(split(",a,,", ','), ElementsAre("", "a", "", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Text, NamesOfFilesAndLines) {
  EXPECT_EQ(file_name("kernels/a.cu"), "a.cu");
  EXPECT_EQ(file_name("a.cu"), "a.cu");
  EXPECT_EQ(file_name("kernels/"), "");
  EXPECT_EQ(folder_of("kernels/a.cubin"), "kernels/.");
  EXPECT_EQ(folder_of("a.cubin"), ".");
  EXPECT_EQ(folder_of("/a.cubin"), "/.");
  EXPECT_EQ(line_name("kernels/a.cu", 12), "a.cu:12");
  EXPECT_EQ(line_name("kernels/a.cu", 12, 12), "a.cu:12");
  EXPECT_EQ(line_name("kernels/a.cu", 12, 29), "a.cu:12-29");
  EXPECT_EQ(line_name("", 0), "no line info");
}

}  // namespace
}  // namespace burin
