// Do texture fetches access the texels that their coordinates name?
#include "launch/texture.h"

#include <gtest/gtest.h>

#include "emulate/launched.h"

namespace burin::emulate {
namespace {

constexpr std::uint64_t kAt = 0x7f0000000000;

// 32 integers: 100, 101 …
launch::PlacedBuffer numbers() {
  std::vector<std::uint8_t> bytes(128);
  for (unsigned i = 0; i < 32; ++i) bytes[4 * i] = static_cast<std::uint8_t>(100 + i);
  launch::Buffer buffer{.size = bytes.size(), .kind = launch::Fill::kBytes};
  buffer.bytes = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  return {"the texture", kAt, std::move(buffer)};
}

TEST(Texture, LinearTexelsAreRead) {
  for (const unsigned sm : {80u, 90u}) {
    const Launched run("texture", "fetch_linear",
                       {.block = {32},
                        .arguments = {"u64:7", "buf:128:undef"},
                        .sm = sm,
                        .memory = {numbers()},
                        .textures = {{.handle = 7, .address = kAt, .width = 32}}});
    ASSERT_EQ(run.error(), "");
    for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.word(1, i), 100 + 31 - i + 1);
    EXPECT_EQ(run.run().unknown.accesses, 0u);
  }
}

TEST(Texture, WithoutADescriptionAccessesAreUnknownAndCounted) {
  const Launched run("texture", "fetch_linear",
                     {.block = {32}, .arguments = {"u64:7", "buf:128:undef"}});
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.word(1, 0), std::nullopt);
  EXPECT_EQ(run.run().unknown.accesses, 32u) << "lanes";
}

TEST(Texture, AnArrayHasKnownAddressesAndUnknownContents) {
  const Launched run("texture", "fetch_plane",
                     {.grid = {4},
                      .block = {32},
                      .arguments = {"u64:9", "buf:512:undef", "i32:32"},
                      .textures = {{.handle = 9,
                                    .address = kAt,
                                    .width = 32,
                                    .height = 4,
                                    .pitch = 128,
                                    .is_array = true}}});
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.word(1, 5), std::nullopt);
  EXPECT_EQ(run.run().unknown.accesses, 0u);
  EXPECT_TRUE(run.run().faults.empty());
}

TEST(Texture, PlacesInAnArrayAreInTiles) {
  const launch::Texture array{.width = 64, .height = 64, .pitch = 256, .is_array = true};
  EXPECT_EQ(launch::offset_of(array, 15, 0), 60u);
  EXPECT_EQ(launch::offset_of(array, 16, 0), 512u);
  EXPECT_EQ(launch::offset_of(array, 0, 1), 64u);
  EXPECT_EQ(launch::offset_of(array, 0, 8), 4u * 512u);
  EXPECT_EQ(launch::offset_of(array, 99, -3), launch::offset_of(array, 63, 0)) << "clamped";
  const launch::Texture plain{.width = 64, .height = 64, .pitch = 256};
  EXPECT_EQ(launch::offset_of(plain, 3, 2), 2u * 256u + 12u);
}

}  // namespace
}  // namespace burin::emulate
