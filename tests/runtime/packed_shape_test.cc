#include "runtime/launch/packed_shape.h"

#include <gtest/gtest.h>

#include <random>

namespace burin::runtime {
namespace {

TEST(PackedShape, UnpacksToTheSame) {
  std::mt19937_64 random(1);
  const auto up_to = [&](std::uint64_t most) {
    const std::uint64_t limit = random() % 4 == 0 ? most : random() % most + 1;
    return static_cast<std::uint32_t>(limit);
  };
  for (int i = 0; i < 10000; ++i) {
    const LaunchShape shape = {{up_to(2147483647), up_to(65535), up_to(65535)},
                               {up_to(1024), up_to(1024), up_to(64)},
                               up_to(233472)};
    PackedShape packed;
    ASSERT_TRUE(pack(shape, packed));
    ASSERT_EQ(unpack(packed), shape);
  }
}

TEST(PackedShape, WhatNoGpuHasDoesNotFit) {
  PackedShape packed;
  EXPECT_FALSE(pack({{1, 65536, 1}, {1, 1, 1}, 0}, packed));
  EXPECT_FALSE(pack({{1, 1, 65536}, {1, 1, 1}, 0}, packed));
  EXPECT_FALSE(pack({{1, 1, 1}, {2048, 1, 1}, 0}, packed));
  EXPECT_FALSE(pack({{1, 1, 1}, {1, 2048, 1}, 0}, packed));
  EXPECT_FALSE(pack({{1, 1, 1}, {1, 1, 128}, 0}, packed));
  EXPECT_FALSE(pack({{1, 1, 1}, {1, 1, 1}, std::uint64_t{1} << 32}, packed));
}

TEST(ArgumentRecipe, ReadsUpToOneWord) {
  const std::int32_t first = -5;
  const std::uint32_t structure[] = {1, 2, 3};
  const std::uint64_t wide = 0x123456789abcdef0;
  const void* arguments[] = {&first, structure, &wide};
  std::uint64_t values = 1;
  ArgumentRecipe recipe;
  ASSERT_TRUE(recipe.read(arguments, values));
  EXPECT_EQ(values, 0u);
  ASSERT_TRUE(recipe.add(0, 0, 4));
  ASSERT_TRUE(recipe.read(arguments, values));
  EXPECT_EQ(values, 0xfffffffbu);
  ASSERT_TRUE(recipe.add(1, 8, 4));
  ASSERT_TRUE(ArgumentRecipe(recipe.word()).read(arguments, values));
  EXPECT_EQ(values, 0x3fffffffbu);
  EXPECT_FALSE(recipe.add(1, 4, 4));  // a third
  EXPECT_FALSE(recipe.usable());

  ArgumentRecipe one;
  ASSERT_TRUE(one.add(2, 0, 8));
  ASSERT_TRUE(one.read(arguments, values));
  EXPECT_EQ(values, wide);
  EXPECT_FALSE(one.add(0, 0, 4));
  ArgumentRecipe missing;
  ASSERT_TRUE(missing.add(0, 0, 4));
  const void* none[] = {nullptr};
  EXPECT_FALSE(missing.read(none, values));
}

}  // namespace
}  // namespace burin::runtime
