#include "base/crc32.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace burin {
namespace {

Bytes text_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The check value of the catalogue of CRC algorithms, and zlib's of longer texts.
TEST(Crc32Test, KnownValues) {
  EXPECT_EQ(crc32({}), 0u);
  EXPECT_EQ(crc32(text_bytes("123456789")), 0xcbf43926u);
  EXPECT_EQ(crc32(text_bytes("The quick brown fox jumps over the lazy dog")), 0x414fa339u);
}

// Eight bytes at a time or one by one, from any place on.
TEST(Crc32Test, PartsAddUp) {
  std::vector<std::uint8_t> bytes;
  for (unsigned i = 0; i < 100; ++i) bytes.push_back(static_cast<std::uint8_t>(i * 37));
  const std::uint32_t whole = crc32(bytes);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const Bytes all = bytes;
    EXPECT_EQ(crc32(all.subspan(cut), crc32(all.first(cut))), whole) << cut;
  }
  std::uint32_t single = 0;
  for (const std::uint8_t& byte : bytes) single = crc32({&byte, 1}, single);
  EXPECT_EQ(single, whole);
}

}  // namespace
}  // namespace burin
