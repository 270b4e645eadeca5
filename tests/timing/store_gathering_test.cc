#include "timing/memory/store_gathering.h"

#include <gtest/gtest.h>

namespace burin::timing {
namespace {

TEST(StoreGathering, WhatTheSameWarpStoresSoonJoins) {
  StoreGathering gathering(4, 100);
  const int one = 0;
  const int other = 0;
  EXPECT_EQ(gathering.join(&one, 7, 0x3, 0), 0x3u);
  EXPECT_EQ(gathering.join(&one, 7, 0x3, 100), 0u);
  EXPECT_EQ(gathering.join(&one, 7, 0x6, 150), 0x4u) << "a sector that was not there";
  EXPECT_EQ(gathering.join(&other, 7, 0x3, 150), 0x3u) << "of another warp";
  EXPECT_EQ(gathering.join(&one, 7, 0x7, 251), 0x7u) << "it has left";
}

TEST(StoreGathering, TheLineThatWasStoredToFirstLeavesFirst) {
  StoreGathering gathering(2, 1000);
  const int warp = 0;
  gathering.join(&warp, 1, 0xf, 0);
  gathering.join(&warp, 2, 0xf, 1);
  gathering.join(&warp, 1, 0xf, 2);
  gathering.join(&warp, 3, 0xf, 3);  // in place of 2
  EXPECT_EQ(gathering.join(&warp, 1, 0xf, 4), 0u);
  EXPECT_EQ(gathering.join(&warp, 2, 0xf, 5), 0xfu);
  gathering.clear();
  EXPECT_EQ(gathering.join(&warp, 1, 0xf, 6), 0xfu);
}

}  // namespace
}  // namespace burin::timing
