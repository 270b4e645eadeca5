#include "emulate/memory/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "base/text.h"

namespace burin::emulate {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kPage = 65536;  // or a multiple of one
constexpr std::uint64_t kMinPage = 4096;

std::uint32_t word_at(const GlobalMemory& memory, std::uint64_t address) {
  Datum d;
  EXPECT_EQ(memory.read(address, 4, d), MemoryStatus::kDone);
  EXPECT_EQ(d.unknown, 0);
  std::uint32_t value;
  std::memcpy(&value, d.bytes.data(), 4);
  return value;
}

Datum word_of(std::uint32_t value) {
  Datum d;
  std::memcpy(d.bytes.data(), &value, 4);
  return d;
}

std::uint64_t add_combine(std::uint64_t old, std::uint64_t operand, std::uint64_t) {
  return old + operand;
}

TEST(GlobalMemory, PagesAreFilledWhenTouchedAndHoldWhatTheBufferPromises) {
  GlobalMemory memory;
  const launch::Buffer buffer{
      .size = 16 * kPage, .kind = launch::Fill::kInt, .limit = 1000, .seed = 3};
  const std::uint64_t a = memory.add("argument 0", buffer);
  EXPECT_EQ(memory.touched_bytes(), 0u);
  std::uint8_t expected[4];
  buffer.fill(5 * kPage + 8, expected);
  std::uint32_t value;
  std::memcpy(&value, expected, 4);
  EXPECT_EQ(word_at(memory, a + 5 * kPage + 8), value);
  EXPECT_EQ(memory.touched_bytes(), kMinPage);
}

TEST(GlobalMemory, AnAccessMayCrossFromPageToPage) {
  GlobalMemory memory;
  const std::uint64_t a = memory.add("a", {.size = 2 * kPage, .kind = launch::Fill::kZero});
  Datum in;
  for (std::uint8_t k = 0; k < 16; ++k) in.bytes[k] = k;
  in.unknown = 1 << 3 | 1 << 12;
  ASSERT_EQ(memory.write(a + kPage - 7, 16, in), MemoryStatus::kDone);
  Datum out;
  ASSERT_EQ(memory.read(a + kPage - 7, 16, out), MemoryStatus::kDone);
  EXPECT_EQ(out.unknown, in.unknown);
  EXPECT_EQ(out.bytes[6], 6);
  EXPECT_EQ(out.bytes[7], 7);
  EXPECT_EQ(out.bytes[15], 15);
}

TEST(GlobalMemory, NothingIsWrittenWhereAByteIsOutside) {
  GlobalMemory memory;
  const std::uint64_t a = memory.add("a", {.size = kPage + 10, .kind = launch::Fill::kZero});
  EXPECT_EQ(memory.write(a + kPage + 8, 4, word_of(~0u)), MemoryStatus::kOutOfBounds);
  Datum d;
  ASSERT_EQ(memory.read(a + kPage + 8, 2, d), MemoryStatus::kDone);
  EXPECT_EQ(d.bytes[0], 0);
  EXPECT_EQ(memory.read(a - 1, 1, d), MemoryStatus::kOutOfBounds);
  EXPECT_EQ(memory.read(0, 4, d), MemoryStatus::kOutOfBounds);
  EXPECT_EQ(memory.read(~std::uint64_t{0} - 2, 4, d), MemoryStatus::kOutOfBounds);
}

TEST(GlobalMemory, UnknownAndUndefinedBytesBecomeKnownAsTheyAreWritten) {
  GlobalMemory memory;
  for (const launch::Fill fill : {launch::Fill::kNone, launch::Fill::kUndef}) {
    const std::uint64_t a = memory.add("a", {.size = 3 * kPage, .kind = fill});
    const std::uint64_t touched = memory.touched_bytes();
    Datum d;
    ASSERT_EQ(memory.read(a + 100, 4, d), MemoryStatus::kDone);
    EXPECT_EQ(d.unknown, 0xf);
    EXPECT_EQ(d.undefined, fill == launch::Fill::kUndef ? 0xf : 0);
    EXPECT_EQ(memory.touched_bytes(), touched) << "reading what nobody knows needs no page";
    ASSERT_EQ(memory.write(a + 101, 1, word_of(7)), MemoryStatus::kDone);
    ASSERT_EQ(memory.read(a + 100, 4, d), MemoryStatus::kDone);
    EXPECT_EQ(d.unknown, 0b1101);
    EXPECT_EQ(d.undefined, fill == launch::Fill::kUndef ? 0b1101 : 0);
    EXPECT_EQ(d.bytes[1], 7);
  }
}

struct WarpCase {
  unsigned bytes;
  std::uint64_t stride;
  Mask lanes;
};

class WarpAccess : public testing::TestWithParam<WarpCase> {};

// The fast ways must do what `read` and `write` do.
TEST_P(WarpAccess, AgreesWithSingleAccesses) {
  const auto [bytes, stride, lanes] = GetParam();
  GlobalMemory memory;
  for (const launch::Fill fill : {launch::Fill::kU8, launch::Fill::kNone, launch::Fill::kUndef}) {
    const std::uint64_t a = memory.add("a", {.size = 6 * kPage + 100, .kind = fill});
    std::array<std::uint64_t, 32> address;
    for (unsigned i = 0; i < 32; ++i) address[i] = a + i * stride;
    std::array<Lanes, 4> in;
    WarpStore s{.address = address.data(), .lanes = lanes, .bytes = bytes};
    for (unsigned k = 0; k < 4; ++k) {
      for (unsigned i = 0; i < 32; ++i) in[k][i] = 0x01020304 * (i + 1) + k;
      s.words[k] = &in[k];
    }
    s.unknown[words_of(bytes) - 1] = 0x30;
    memory.store(s);
    std::array<Lanes, 4> out{};
    WarpLoad l{.address = address.data(), .lanes = kAllLanes, .bytes = bytes, .words = out.data()};
    memory.load(l);
    EXPECT_EQ(l.outside & lanes, s.outside);
    for (unsigned i = 0; i < 32; ++i) {
      Datum d;
      const bool outside = memory.read(address[i], bytes, d) != MemoryStatus::kDone;
      EXPECT_EQ(l.outside >> i & 1, outside) << i;
      EXPECT_EQ(l.undefined >> i & 1, d.undefined != 0) << i;
      for (unsigned k = 0; k < words_of(bytes); ++k) {
        std::uint32_t word;
        std::memcpy(&word, d.bytes.data() + 4 * k, 4);
        const bool unknown = (d.unknown >> 4 * k & 0xf) != 0;
        EXPECT_EQ(l.unknown[k] >> i & 1, unknown) << i;
        if (unknown) continue;
        EXPECT_EQ(out[k][i], word) << i;
        const std::uint32_t mask = bytes < 4 ? (1u << 8 * bytes) - 1 : ~0u;
        if (!outside && (lanes >> i & 1)) {
          EXPECT_EQ(word, in[k][i] & mask) << i;
        }
      }
      if (!outside && (lanes >> i & 1) && (0x30 >> i & 1)) {
        EXPECT_NE(d.unknown, 0) << i;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Sizes, WarpAccess,
                         testing::Values(WarpCase{1, 1, kAllLanes}, WarpCase{2, 2, kAllLanes},
                                         WarpCase{4, 4, kAllLanes}, WarpCase{4, 4, 0x0ff0},
                                         WarpCase{8, 8, kAllLanes}, WarpCase{16, 16, kAllLanes},
                                         WarpCase{4, 16384, kAllLanes}, WarpCase{8, 20480, 0xf0ff},
                                         WarpCase{16, 16384, kAllLanes}));

TEST(GlobalMemory, UpdatesFromManyThreadsAreAllCounted) {
  GlobalMemory memory;
  const std::uint64_t a = memory.add("a", {.size = 4 * kPage, .kind = launch::Fill::kZero});
  const auto work = [&] {
    for (unsigned n = 0; n < 20000; ++n) {
      const Update u{.combine = add_combine, .operand = 1};
      Before before;
      memory.update(a + 4 * (n % 8), 4, u, before);
      memory.update(a + kPage + 8 * (n % 4), 8, u, before);
      Datum old;
      memory.update(a + 2 * kPage, 16, old, [](const Datum& d) {
        Datum next = d;
        if (++next.bytes[0] == 0) ++next.bytes[15];
        return next;
      });
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back(work);
  for (std::thread& t : threads) t.join();
  for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(word_at(memory, a + 4 * k), 10000u);
  for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(word_at(memory, a + kPage + 8 * k), 20000u);
  Datum d;
  memory.read(a + 2 * kPage, 16, d);
  EXPECT_EQ(d.bytes[0], 80000 % 256);
  EXPECT_EQ(d.bytes[15], 80000 / 256 % 256);
}

TEST(GlobalMemory, ThreadsThatTouchOnePageFirstSeeOneAnother) {
  for (unsigned round = 0; round < 50; ++round) {
    GlobalMemory memory;
    const std::uint64_t a = memory.add("a", {.size = kPage, .kind = launch::Fill::kNone});
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] { memory.write(a + 4 * t, 4, word_of(t + 1)); });
    }
    for (std::thread& t : threads) t.join();
    for (std::uint32_t t = 0; t < 4; ++t) EXPECT_EQ(word_at(memory, a + 4 * t), t + 1);
    EXPECT_EQ(memory.touched_bytes(), kMinPage);
  }
}

TEST(GlobalMemory, AnUpdateOfTheUnknownIsUnknownUnlessItReplaces) {
  GlobalMemory memory;
  const std::uint64_t a = memory.add("a", {.size = 64, .kind = launch::Fill::kUndef});
  Before before;
  ASSERT_EQ(memory.update(a, 4, {.combine = add_combine, .operand = 1}, before),
            MemoryStatus::kDone);
  EXPECT_TRUE(before.unknown);
  EXPECT_TRUE(before.undefined);
  Datum d;
  memory.read(a, 4, d);
  EXPECT_EQ(d.unknown, 0xf);
  EXPECT_EQ(d.undefined, 0);
  const Combine second = [](std::uint64_t, std::uint64_t operand, std::uint64_t) {
    return operand;
  };
  memory.update(a, 4, {.combine = second, .operand = 9, .replaces = true}, before);
  EXPECT_EQ(word_at(memory, a), 9u);
  Before known;
  memory.update(a, 4, {.combine = add_combine, .operand = 1, .unknown = true}, known);
  EXPECT_FALSE(known.unknown);
  EXPECT_EQ(known.value, 9u);
  memory.read(a, 4, d);
  EXPECT_EQ(d.unknown, 0xf);
}

TEST(GlobalMemory, DescribesWhereAnAddressIs) {
  GlobalMemory memory;
  const std::uint64_t a = memory.add("argument 0", {.size = 1024, .kind = launch::Fill::kZero});
  memory.add("argument 1", {.size = 4, .kind = launch::Fill::kZero});
  EXPECT_EQ(memory.describe(a + 1028), "4 bytes past the end of argument 0 (1,024 bytes)");
  EXPECT_EQ(memory.describe(a + 1024), "just past the end of argument 0 (1,024 bytes)");
  EXPECT_EQ(memory.describe(a - 1), "1 byte before argument 0 (1,024 bytes)");
  EXPECT_EQ(memory.describe(a + 12), "byte 12 of argument 0 (1,024 bytes)");
  EXPECT_THAT(memory.describe(8), HasSubstr("null"));
}

TEST(GlobalMemory, GivesABufferBackChunkByChunk) {
  GlobalMemory memory;
  const launch::Buffer buffer{.size = 2 * kPage + 8, .kind = launch::Fill::kU8, .seed = 4};
  const std::uint64_t a = memory.add("a", buffer);
  memory.write(a + kPage, 4, word_of(0x11223344));
  Datum unknown;
  unknown.unknown = 0xf;
  memory.write(a + 2 * kPage, 4, unknown);
  std::vector<std::uint8_t> got;
  std::vector<bool> known;
  ASSERT_TRUE(memory.for_each_chunk(a, [&](std::span<const std::uint8_t> bytes, bool k) {
    got.insert(got.end(), bytes.begin(), bytes.end());
    known.push_back(k);
    return Result<void>{};
  }));
  std::vector<std::uint8_t> expected(buffer.size);
  buffer.fill(0, expected);
  const std::uint8_t written[] = {0x44, 0x33, 0x22, 0x11};
  std::copy_n(written, 4, expected.begin() + kPage);
  std::fill_n(expected.begin() + 2 * kPage, 4, std::uint8_t{0});
  EXPECT_EQ(got, expected);
  EXPECT_EQ(std::ranges::count(known, false), 1);
  EXPECT_FALSE(known.back());
}

// As a driver places small allocations: several in one page of ours.
TEST(GlobalMemory, PlacedBuffersKeepTheirAddresses) {
  constexpr std::uint64_t kHere = 0x7fc5'cb60'0200;
  const auto bytes = std::make_shared<std::vector<std::uint8_t>>(256, std::uint8_t{7});
  launch::Buffer known{.size = 256, .kind = launch::Fill::kBytes};
  known.bytes = bytes;
  GlobalMemory memory;
  const launch::PlacedBuffer placed[] = {
      {"third", kHere + 3 * kPage, {.size = 2 * kPage, .kind = launch::Fill::kZero}},
      {"first", kHere, known},
      {"second", kHere + 512, {.size = 64, .kind = launch::Fill::kNone}},
  };
  memory.place(placed);
  const std::uint64_t own = memory.add("own", {.size = 64, .kind = launch::Fill::kZero});
  EXPECT_EQ(word_at(memory, own), 0u);
  EXPECT_EQ(word_at(memory, kHere), 0x07070707u);
  EXPECT_EQ(word_at(memory, kHere + 252), 0x07070707u);
  EXPECT_EQ(word_at(memory, kHere + 4 * kPage), 0u);
  Datum d;
  EXPECT_EQ(memory.read(kHere + 512, 4, d), MemoryStatus::kDone);
  EXPECT_EQ(d.unknown, 0xf);
  EXPECT_EQ(d.undefined, 0);
  EXPECT_EQ(memory.read(kHere + 300, 4, d), MemoryStatus::kDone);
  EXPECT_EQ(d.undefined, 0xf);  // between two: nobody has written it
  EXPECT_EQ(memory.read(kHere + 2 * kPage, 4, d), MemoryStatus::kOutOfBounds);
  EXPECT_EQ(memory.read(kHere + 512 + 62, 4, d), MemoryStatus::kOutOfBounds);
  EXPECT_EQ(memory.write(kHere + 512, 4, word_of(42)), MemoryStatus::kDone);
  EXPECT_EQ(word_at(memory, kHere + 512), 42u);
  EXPECT_THAT(memory.describe(kHere + 512 + 62), HasSubstr("byte 62 of second (64 bytes)"));
}

// Whatever the program's own allocations, ours go elsewhere.
TEST(GlobalMemory, OwnBuffersKeepClearOfPlacedOnes) {
  GlobalMemory first;
  const std::uint64_t usual = first.add("own", {.size = 64, .kind = launch::Fill::kZero});
  GlobalMemory memory;
  const launch::PlacedBuffer placed[] = {
      {"placed", usual + 512, {.size = 3 * kPage, .kind = launch::Fill::kU8, .seed = 1}}};
  memory.place(placed);
  const std::uint64_t a = memory.add("a", {.size = 64, .kind = launch::Fill::kZero});
  const std::uint64_t b = memory.add("b", {.size = 64, .kind = launch::Fill::kZero});
  EXPECT_EQ(word_at(memory, a), 0u);
  EXPECT_EQ(word_at(memory, b), 0u);
  EXPECT_NE(a, b);
  EXPECT_TRUE(a >= usual + 512 + 3 * kPage || a + 64 <= usual + 512);
}

TEST(GlobalMemory, WhatNoProgramKnowsOfDescribesNoAddressButItsOwn) {
  GlobalMemory memory;
  const std::uint64_t a = memory.add("argument 0", {.size = 64, .kind = launch::Fill::kZero});
  const std::uint64_t b = memory.add("the heap", {.size = 64, .kind = launch::Fill::kZero}, true);
  EXPECT_EQ(memory.describe(b + 8), "byte 8 of the heap (64 bytes)");
  EXPECT_EQ(memory.describe(b + 64),
            count_of(b - a, "byte") + " past the end of argument 0 (64 bytes)");
}

}  // namespace
}  // namespace burin::emulate
