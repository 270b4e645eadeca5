// The recorder's own walk of the stack against the C library's, where that one can walk.
#include <execinfo.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "gpu/record/stacks/frame_tables.h"
#include "gpu/record/stacks/unwind.h"

namespace burin::gpu {
namespace {

struct Walks {
  std::vector<std::uintptr_t> ours, theirs;
};

[[gnu::noinline]] Walks walk_both() {
  Walks walks;
  walks.ours = walk_stack();
  void* frames[96];
  const int count = ::backtrace(frames, 96);
  for (int i = 0; i < count; ++i)
    walks.theirs.push_back(reinterpret_cast<std::uintptr_t>(frames[i]));
  return walks;
}

[[gnu::noinline]] Walks deeper(int levels) {
  Walks walks = levels == 0 ? walk_both() : deeper(levels - 1);
  walks.ours.push_back(0);  // behind the call, so that it stays one
  walks.ours.pop_back();
  return walks;
}

// The innermost frames differ in the place of the call (and by the sanitizer's), the outermost ones
// in where each stops.
void expect_same(const Walks& walks) {
  ASSERT_GT(walks.ours.size(), 3u);
  const auto begin = std::ranges::find(walks.theirs, walks.ours[1]);
  ASSERT_LE(begin - walks.theirs.begin(), 2);
  const std::vector<std::uintptr_t> theirs(begin, walks.theirs.end());
  const std::size_t same = std::min(walks.ours.size() - 1, theirs.size()) - 1;
  for (std::size_t i = 0; i < same; ++i) EXPECT_EQ(walks.ours[i + 1], theirs[i]) << i;
  EXPECT_LE(std::max(walks.ours.size(), theirs.size()) - same, 4u);
}

TEST(RecordUnwindTest, FindsTheFramesThatTheCLibraryFinds) {
  expect_same(walk_both());
  expect_same(deeper(20));
}

TEST(RecordUnwindTest, OnOtherThreads) {
  Walks walks;
  std::thread([&] { walks = deeper(5); }).join();
  expect_same(walks);
}

[[gnu::noinline]] std::vector<std::uintptr_t> one_way() {
  std::vector<std::uintptr_t> found = walk_stack();
  EXPECT_FALSE(found.empty());
  return found;
}

[[gnu::noinline]] std::vector<std::uintptr_t> another_way() {
  std::vector<std::uintptr_t> found = walk_stack();
  EXPECT_GT(found.size(), 0u);
  return found;
}

// What was found before at the same depth is used again only while it is true.
TEST(RecordUnwindTest, TwoWaysToOnePlaceAreToldApart) {
  const auto first = one_way(), second = another_way(), third = one_way();
  EXPECT_NE(first[0], second[0]);
  EXPECT_EQ(first[0], third[0]);
  EXPECT_EQ(first.size(), third.size());
}

TEST(RecordUnwindTest, AddressesOutsideCodeHaveNoTables) {
  int local = 0;
  EXPECT_FALSE(frame_row(reinterpret_cast<std::uintptr_t>(&local)).has_value());
  EXPECT_FALSE(frame_row(16).has_value());
  EXPECT_FALSE(object_of(0).has_value());
}

}  // namespace
}  // namespace burin::gpu
