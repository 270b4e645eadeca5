#include "base/bytes.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace burin {
namespace {

using Buffer = std::vector<std::uint8_t>;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(CheckedAdd, FitsUpToTheLastValue) {
  EXPECT_EQ(checked_add(2, 3), 5u);
  EXPECT_EQ(checked_add(kMax - 1, 1), kMax);
  EXPECT_EQ(checked_add(kMax, 1), std::nullopt);
  EXPECT_EQ(checked_add(kMax, kMax), std::nullopt);
}

TEST(CheckedMul, FitsUpToTheLastValue) {
  EXPECT_EQ(checked_mul(6, 7), 42u);
  EXPECT_EQ(checked_mul(0, kMax), 0u);
  EXPECT_EQ(checked_mul(1ull << 32, (1ull << 32) - 1), 0xffffffff00000000u);
  EXPECT_EQ(checked_mul(1ull << 32, 1ull << 32), std::nullopt);
}

TEST(Slice, StaysInside) {
  const Buffer buffer{1, 2, 3, 4};
  EXPECT_EQ(slice(buffer, 1, 2)->front(), 2);
  EXPECT_EQ(slice(buffer, 1, 2)->size(), 2u);
  EXPECT_EQ(slice(buffer, 0, 4)->size(), 4u);
  EXPECT_EQ(slice(buffer, 4, 0)->size(), 0u);
  EXPECT_FALSE(slice(buffer, 0, 5));
  EXPECT_FALSE(slice(buffer, 5, 0));
  EXPECT_FALSE(slice(buffer, 3, 2));
}

TEST(Slice, IsNotFooledByASumThatWraps) {
  const Buffer buffer{1, 2, 3, 4};
  EXPECT_FALSE(slice(buffer, 2, kMax));
  EXPECT_FALSE(slice(buffer, kMax, 2));
  EXPECT_FALSE(slice(buffer, kMax, kMax));
}

TEST(Cursor, ReadsLittleEndianAndSigns) {
  const Buffer buffer{0x80, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0xff,
                      0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
  Cursor in(buffer);
  EXPECT_EQ(in.i8(), -128);
  EXPECT_EQ(in.u16(), 0x0201);
  EXPECT_EQ(in.u32(), 0x06050403u);
  EXPECT_EQ(in.u8(), 0xff);
  EXPECT_EQ(in.u64(), 0x8877665544332211u);
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.at_end());
}

// A read of each width: allowed when exactly that many bytes are left, refused with one fewer.
template <typename Read>
void expect_edge(std::size_t width, Read read) {
  const Buffer buffer(width, 0xff);
  Cursor enough(buffer);
  EXPECT_NE(read(enough), 0u);
  EXPECT_TRUE(enough.ok()) << width;
  EXPECT_TRUE(enough.at_end()) << width;

  Cursor short_by_one{Bytes(buffer).first(width - 1)};
  EXPECT_EQ(read(short_by_one), 0u) << width;
  EXPECT_FALSE(short_by_one.ok()) << width;
}

TEST(Cursor, ReadsUpToTheEdgeAndNoFurther) {
  expect_edge(1, [](Cursor& in) { return std::uint64_t{in.u8()}; });
  expect_edge(2, [](Cursor& in) { return std::uint64_t{in.u16()}; });
  expect_edge(4, [](Cursor& in) { return std::uint64_t{in.u32()}; });
  expect_edge(8, [](Cursor& in) { return in.u64(); });
  expect_edge(1, [](Cursor& in) { return static_cast<std::uint64_t>(in.i8()); });
  expect_edge(5, [](Cursor& in) { return std::uint64_t{in.bytes(5).size()}; });
}

TEST(Cursor, StaysFailed) {
  const Buffer buffer{1, 2, 3, 0};
  Cursor in(buffer);
  EXPECT_EQ(in.u64(), 0u);
  EXPECT_FALSE(in.ok());
  // What would fit is refused too: a parser may read a whole header and ask once.
  EXPECT_EQ(in.u8(), 0);
  EXPECT_EQ(in.uleb128(), 0u);
  EXPECT_EQ(in.sleb128(), 0);
  EXPECT_EQ(in.c_string(), "");
  EXPECT_TRUE(in.bytes(1).empty());
  in.seek(0);
  in.align(4);
  EXPECT_FALSE(in.ok());
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(in.remaining(), 0u);
}

TEST(Cursor, OfNothingIsAtItsEnd) {
  Cursor in(Bytes{});
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.at_end());
  EXPECT_TRUE(in.bytes(0).empty());
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.u8(), 0);
  EXPECT_FALSE(in.ok());
}

TEST(Cursor, RefusesASizeThatWouldWrap) {
  const Buffer buffer(8);
  Cursor in(buffer);
  in.skip(4);
  EXPECT_TRUE(in.bytes(kMax).empty());
  EXPECT_FALSE(in.ok());
}

TEST(Cursor, SeeksToTheEndButNotBehindIt) {
  const Buffer buffer{1, 2, 3};
  Cursor in(buffer);
  in.seek(3);
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.at_end());
  in.seek(1);
  EXPECT_EQ(in.u8(), 2);
  in.seek(4);
  EXPECT_FALSE(in.ok());
}

TEST(Cursor, Aligns) {
  const Buffer buffer(10);
  Cursor in(buffer);
  in.align(4);
  EXPECT_EQ(in.position(), 0u);
  in.skip(1);
  in.align(4);
  EXPECT_EQ(in.position(), 4u);
  in.align(4);
  EXPECT_EQ(in.position(), 4u);
  in.skip(5);
  in.align(8);  // would be 16: the end counts as aligned
  EXPECT_EQ(in.position(), 10u);
  EXPECT_TRUE(in.ok());
}

TEST(Cursor, ReadsStringsThatEnd) {
  const Buffer buffer{'a', 'b', 0, 0, 'c'};
  Cursor in(buffer);
  EXPECT_EQ(in.c_string(), "ab");
  EXPECT_EQ(in.position(), 3u);
  EXPECT_EQ(in.c_string(), "");
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.c_string(), "");  // "c" has no zero byte
  EXPECT_FALSE(in.ok());
}

std::optional<std::uint64_t> uleb128(const Buffer& buffer) {
  Cursor in(buffer);
  const std::uint64_t value = in.uleb128();
  return in.ok() ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> sleb128(const Buffer& buffer) {
  Cursor in(buffer);
  const std::int64_t value = in.sleb128();
  return in.ok() ? std::optional(value) : std::nullopt;
}

// `count` bytes that say "more follows" with these seven bits, and a last one.
Buffer leb(std::size_t count, std::uint8_t bits, std::uint8_t last) {
  Buffer buffer(count, static_cast<std::uint8_t>(0x80 | bits));
  buffer.push_back(last);
  return buffer;
}

TEST(Uleb128, ReadsOneAndMoreBytes) {
  EXPECT_EQ(uleb128({0x00}), 0u);
  EXPECT_EQ(uleb128({0x7f}), 127u);
  EXPECT_EQ(uleb128({0x80, 0x01}), 128u);
  EXPECT_EQ(uleb128({0xe5, 0x8e, 0x26}), 624485u);
  EXPECT_EQ(uleb128({0x81, 0x00}), 1u);  // padded, as assemblers do
}

TEST(Uleb128, HoldsSixtyFourBitsAndNoMore) {
  EXPECT_EQ(uleb128(leb(9, 0x7f, 0x01)), kMax);
  EXPECT_EQ(uleb128(leb(9, 0x00, 0x01)), 1ull << 63);
  EXPECT_EQ(uleb128(leb(9, 0x7f, 0x02)), std::nullopt);
  EXPECT_EQ(uleb128(leb(10, 0x00, 0x00)), std::nullopt);
}

TEST(Uleb128, MustEndInsideTheBytes) {
  EXPECT_EQ(uleb128({}), std::nullopt);
  EXPECT_EQ(uleb128({0x80}), std::nullopt);
  EXPECT_EQ(uleb128(Buffer(1000, 0xff)), std::nullopt);
}

TEST(Sleb128, ReadsBothSigns) {
  EXPECT_EQ(sleb128({0x00}), 0);
  EXPECT_EQ(sleb128({0x3f}), 63);
  EXPECT_EQ(sleb128({0x40}), -64);
  EXPECT_EQ(sleb128({0x7f}), -1);
  EXPECT_EQ(sleb128({0xc0, 0x00}), 64);
  EXPECT_EQ(sleb128({0xbf, 0x7f}), -65);
  EXPECT_EQ(sleb128({0xc0, 0xbb, 0x78}), -123456);
}

TEST(Sleb128, HoldsSixtyFourBitsAndNoMore) {
  EXPECT_EQ(sleb128(leb(9, 0x7f, 0x00)), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(sleb128(leb(9, 0x00, 0x7f)), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(sleb128(leb(9, 0x7f, 0x7f)), -1);
  EXPECT_EQ(sleb128(leb(9, 0x00, 0x01)), std::nullopt);  // 2^63
  EXPECT_EQ(sleb128(leb(9, 0x7f, 0x7e)), std::nullopt);  // -2^63 - 1
  EXPECT_EQ(sleb128(leb(10, 0x00, 0x00)), std::nullopt);
}

TEST(Sleb128, MustEndInsideTheBytes) {
  EXPECT_EQ(sleb128({}), std::nullopt);
  EXPECT_EQ(sleb128({0xff, 0xff}), std::nullopt);
}

}  // namespace
}  // namespace burin
