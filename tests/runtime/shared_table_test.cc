#include "runtime/history/shared_table.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace burin::runtime {
namespace {

using Table = SharedTable<2, 3>;

Table::Value value_for(const Table::Key& key, std::uint64_t version) {
  return {splitmix64(key[0] + version), splitmix64(key[1] ^ version), version};
}

TEST(SharedTable, FindsWhatWasStored) {
  Table table(64);
  Table::Value value;
  EXPECT_FALSE(table.find({1, 2}, value));
  table.store({1, 2}, {3, 4, 5});
  table.store({2, 1}, {6, 7, 8});
  ASSERT_TRUE(table.find({1, 2}, value));
  EXPECT_EQ(value, (Table::Value{3, 4, 5}));
  table.store({1, 2}, {9, 9, 9});
  ASSERT_TRUE(table.find({1, 2}, value));
  EXPECT_EQ(value, (Table::Value{9, 9, 9}));
  ASSERT_TRUE(table.find({2, 1}, value));
  EXPECT_EQ(value, (Table::Value{6, 7, 8}));
}

TEST(SharedTable, ZeroIsAKeyLikeOthers) {
  Table table(64);
  Table::Value value;
  EXPECT_FALSE(table.find({0, 0}, value));
  table.store({0, 0}, {1, 1, 1});
  EXPECT_TRUE(table.find({0, 0}, value));
}

TEST(SharedTable, ForgetsOldEntriesWhenFull) {
  Table table(64);
  for (std::uint64_t i = 0; i < 10000; ++i) {
    table.store({i, i}, {i, 0, 0});
    Table::Value value;
    ASSERT_TRUE(table.find({i, i}, value)) << i;  // the newest is always there
    ASSERT_EQ(value[0], i);
  }
}

// Threads write and read a few keys in a table that is too small for them: an entry is never a mix
// of two.
TEST(SharedTable, EntriesAreWholeUnderContention) {
  Table table(16);
  std::atomic<std::uint64_t> found{0};
  std::atomic<std::uint64_t> mixed{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 100000; ++i) {
        const Table::Key key = {i * (t + 3) % 40, 7};
        Table::Value value;
        if (table.find(key, value)) {
          found.fetch_add(1, std::memory_order_relaxed);
          if (value != value_for(key, value[2])) mixed.fetch_add(1, std::memory_order_relaxed);
        }
        if (i % 3 == 0) table.store(key, value_for(key, i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(mixed, 0u);
  EXPECT_GT(found, 1000u);
}

}  // namespace
}  // namespace burin::runtime
