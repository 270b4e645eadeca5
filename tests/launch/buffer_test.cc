#include "launch/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/format.h"
#include "launch/argument.h"

namespace burin::launch {
namespace {

// The buffer that "buf:…" describes as argument 0.
Buffer buffer(const std::string& text) {
  const Result<Argument> argument = parse_argument(text, 0);
  if (!argument) {
    ADD_FAILURE() << argument.error().message;
    return {};
  }
  return *argument->buffer();
}

std::vector<std::uint8_t> part(const Buffer& from, std::uint64_t offset, std::size_t size) {
  std::vector<std::uint8_t> bytes(size, 0xee);
  from.fill(offset, bytes);
  return bytes;
}

template <typename T>
std::vector<T> values(const std::string& text) {
  const Buffer from = buffer(text);
  const std::vector<std::uint8_t> bytes = part(from, 0, from.size);
  std::vector<T> all(bytes.size() / sizeof(T));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

std::string hex(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// These bytes are a promise of docs/arguments.md; they were computed from its text by a program of
// its own. They must never change.
TEST(BufferGolden, EveryFillIsTheSameForever) {
  const struct {
    std::string fill, bytes;
  } goldens[] = {
      {"zero", "0000000000000000000000000000000000000000000000000000000000000000"},
      {"u8", "d70d3259e4e1cb631c663cf4d73c4c04022ab1ba804098e6cb293e6770eb3a95"},
      {"f16", "3c364024343ba9383c37f8337c373e35"},
      {"f32", "c297c73e8087893c4098663feb3a153f76a6e73ef86a7f3e8897ef3eacf9a73e"},
      {"f64", "824c1679f8f2d83f80f1d05ff330913f2556171008d3ec3fc5e70c6e5da7e23f"},
      {"int:1000", "85010000100000008403000046020000c4010000f9000000d301000048010000"},
      {"perm", "0000000004000000070000000300000005000000010000000200000006000000"},
      {"rowptr:5", "00000000030000000d0000001000000014000000180000001e00000023000000"},
  };
  for (const auto& [fill, bytes] : goldens) {
    const Buffer from = buffer(fmt::format("buf:32:{}:seed=7", fill));
    EXPECT_EQ(hex(part(from, 0, bytes.size() / 2)), bytes) << fill;
  }
}

TEST(Buffer, AnyPartEqualsThatPartOfTheWhole) {
  for (const char* fill :
       {"zero", "u8", "f16", "f32", "f64", "int:1000", "perm", "rowptr:5", "undef"}) {
    const Buffer from = buffer(fmt::format("buf:200:{}:seed=3", fill));
    const std::vector<std::uint8_t> whole = part(from, 0, from.size);
    for (std::size_t offset = 0; offset <= whole.size(); ++offset) {
      for (std::size_t size = 0; size <= whole.size() - offset; ++size) {
        ASSERT_TRUE(std::equal(whole.begin() + offset, whole.begin() + offset + size,
                               part(from, offset, size).begin()))
            << fill << " from " << offset << ", " << size;
      }
    }
  }
}

TEST(Buffer, LargeOnesAreMadeInParts) {
  // Element 2^35 of a 256 GiB buffer: far beyond 32-bit indices.
  const Buffer far = buffer("buf:256G:f64:seed=7");
  const Buffer near = buffer("buf:32:f64:seed=7");
  EXPECT_NE(part(far, std::uint64_t{1} << 37, 32), part(near, 0, 32));
  EXPECT_EQ(part(far, 0, 32), part(near, 0, 32));
}

TEST(Buffer, SeedsDiffer) {
  for (const char* fill : {"u8", "f16", "f32", "f64", "int:1000", "perm", "rowptr:50"}) {
    const Buffer one = buffer(fmt::format("buf:64:{}:seed=1", fill));
    const Buffer two = buffer(fmt::format("buf:64:{}:seed=2", fill));
    EXPECT_NE(part(one, 0, 64), part(two, 0, 64)) << fill;
  }
}

TEST(Buffer, SaysWhatItsBytesAre) {
  EXPECT_EQ(buffer("buf:16").contents(), Contents::kUnknown);
  EXPECT_EQ(buffer("buf:16:undef").contents(), Contents::kUndefined);
  for (const char* known : {"zero", "f32", "u8", "perm", "rowptr:2"}) {
    EXPECT_EQ(buffer(fmt::format("buf:16:{}", known)).contents(), Contents::kKnown) << known;
  }
}

template <typename T>
void expect_uniform(const std::vector<T>& sample, double scale) {
  double sum = 0, squares = 0;
  for (const T& raw : sample) {
    const double value = static_cast<double>(raw) / scale;
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
    squares += value * value;
  }
  const double mean = sum / static_cast<double>(sample.size());
  EXPECT_NEAR(mean, 0.5, 0.005);
  EXPECT_NEAR(squares / static_cast<double>(sample.size()) - mean * mean, 1.0 / 12, 0.002);
}

TEST(BufferUniform, FloatsFillTheUnitInterval) {
  expect_uniform(values<float>("buf:256K:f32"), 1);
  expect_uniform(values<double>("buf:512K:f64"), 1);
  std::vector<float> halves;
  for (const std::uint16_t half : values<std::uint16_t>("buf:128K:f16")) {
    ASSERT_LT(half, 0x3c00);  // below 1, and positive
    const int exponent = half >> 10;
    halves.push_back(exponent == 0 ? 0 : std::ldexp(1024.0f + (half & 0x3ff), exponent - 25));
  }
  expect_uniform(halves, 1);
}

TEST(BufferUniform, IntegersFillTheirRange) {
  expect_uniform(values<std::uint8_t>("buf:64K:u8"), 256 - 0.5);
  expect_uniform(values<std::uint32_t>("buf:256K:int:1000"), 1000);
  expect_uniform(values<std::uint32_t>("buf:256K:int:4294967296"), 4294967296.0);
  for (const std::uint32_t value : values<std::uint32_t>("buf:1K:int:1")) ASSERT_EQ(value, 0u);
  std::vector<int> seen(3);
  for (const std::uint32_t value : values<std::uint32_t>("buf:1K:int:3")) ++seen.at(value);
  for (const int count : seen) EXPECT_GT(count, 50);
}

TEST(BufferRowptr, IsMonotoneWithTheMeanAsked) {
  for (const std::uint32_t per_row : {1u, 2u, 7u, 100u}) {
    const auto pointers = values<std::uint32_t>(fmt::format("buf:40004:rowptr:{}", per_row));
    ASSERT_EQ(pointers.size(), 10001u);
    EXPECT_EQ(pointers.front(), 0u);
    EXPECT_EQ(pointers.back(), 10000 * per_row);
    std::uint32_t shortest = per_row, longest = per_row;
    for (std::size_t i = 1; i < pointers.size(); ++i) {
      ASSERT_LE(pointers[i - 1], pointers[i]);
      shortest = std::min(shortest, pointers[i] - pointers[i - 1]);
      longest = std::max(longest, pointers[i] - pointers[i - 1]);
    }
    EXPECT_LE(shortest, per_row / 10);
    EXPECT_GE(longest, 2 * per_row - per_row / 10);
    EXPECT_LE(longest, 2 * per_row);
  }
}

TEST(BufferRowptr, EndsAreExactForTheSmallest) {
  EXPECT_EQ(values<std::uint32_t>("buf:4:rowptr:9"), std::vector<std::uint32_t>{0});
  EXPECT_EQ(values<std::uint32_t>("buf:8:rowptr:9"), (std::vector<std::uint32_t>{0, 9}));
}

}  // namespace
}  // namespace burin::launch
