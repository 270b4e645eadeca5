// mbarriers, bulk copies and TMA, one instruction at a time.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "emulate/memory/mbarrier.h"
#include "emulate/memory/tensor_box.h"
#include "emulate/numbers/bulk_reduce.h"
#include "launch/tensor_map.h"
#include "one_op.h"

namespace burin::emulate {
namespace {

class Bulk : public OneOp {
 public:
  explicit Bulk(OneOp::Word word, const std::string& expected) : OneOp(word) {
    EXPECT_EQ(text(), expected);
    block().shared.reset(8192, 1024);
  }
  void uniform(unsigned number, std::uint32_t value) {
    for (std::uint32_t& lane : warp().slots[kUniformSlot + number].lane) lane = value;
  }
  void uniform_wide(unsigned number, std::uint64_t value) {
    uniform(number, static_cast<std::uint32_t>(value));
    uniform(number + 1, static_cast<std::uint32_t>(value >> 32));
  }
  void set_barrier(std::uint32_t address, const Mbarrier& barrier) {
    Datum d;
    const std::uint64_t word = pack(barrier);
    std::memcpy(d.bytes.data(), &word, 8);
    ASSERT_TRUE(block().shared.write(address, 8, d));
  }
  Mbarrier barrier(std::uint32_t address) {
    Datum d;
    EXPECT_TRUE(block().shared.read(address, 8, d));
    EXPECT_EQ(d.unknown & 0xff, 0);
    std::uint64_t word;
    std::memcpy(&word, d.bytes.data(), 8);
    return unpack(word);
  }
  std::uint32_t shared_word(std::uint32_t address) {
    Datum d;
    EXPECT_TRUE(block().shared.read(address, 4, d));
    EXPECT_EQ(d.unknown & 0xf, 0) << address;
    std::uint32_t word;
    std::memcpy(&word, d.bytes.data(), 4);
    return word;
  }
  void set_shared_word(std::uint32_t address, std::uint32_t word) {
    Datum d;
    std::memcpy(d.bytes.data(), &word, 4);
    ASSERT_TRUE(block().shared.write(address, 4, d));
  }
  std::uint64_t add_words(std::uint32_t count) {
    const std::uint64_t address =
        grid().memory->add("words", {.size = 4 * count, .kind = launch::Fill::kZero});
    for (std::uint32_t k = 0; k < count; ++k) set_global_word(address + 4 * k, 1000 + k);
    return address;
  }
  void set_global_word(std::uint64_t address, std::uint32_t word) {
    Datum d;
    std::memcpy(d.bytes.data(), &word, 4);
    ASSERT_EQ(grid().memory->write(address, 4, d), MemoryStatus::kDone);
  }
  std::uint32_t global_word(std::uint64_t address) {
    Datum d;
    EXPECT_EQ(grid().memory->read(address, 4, d), MemoryStatus::kDone);
    std::uint32_t word;
    std::memcpy(&word, d.bytes.data(), 4);
    return word;
  }
  std::uint64_t add_map(const launch::TensorMap& map) {
    const std::uint64_t address =
        grid().memory->add("map", {.size = 128, .kind = launch::Fill::kZero});
    const auto bytes = launch::encode(map);
    for (unsigned at = 0; at < bytes.size(); at += 16) {
      Datum d;
      std::memcpy(d.bytes.data(), &bytes[at], 16);
      EXPECT_EQ(grid().memory->write(address + at, 16, d), MemoryStatus::kDone);
    }
    return address;
  }
};

TEST(Syncs, ExchangeInitialisesABarrier) {
  Bulk op({0x00000808063f75b2, 0x000fe20008000100}, "SYNCS.EXCH.64 URZ, [UR6+0x8], UR8");
  op.uniform(6, 2048);
  op.uniform(8, (0x100000 - 3) << 1);
  op.uniform(9, (0x100000 - 3) << 11);
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.barrier(2056).pending, 3u);
  EXPECT_EQ(op.barrier(2056).expected, 3u);
}

TEST(Syncs, LanesThatArriveTogetherSeeTheStateBefore) {
  Bulk op({0x0000f0ff03ff79a7, 0x000fe2000810003f},
          "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R3+URZ+0xf0], RZ");
  op.set_barrier(2048, {.pending = 40, .expected = 40});
  for (std::uint32_t& lane : op.warp().slots[3].lane) lane = 2048 - 0xf0;
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.barrier(2048).pending, 8u);
  EXPECT_FALSE(op.run());  // 32 more than the 8 that are missing: the hardware ends the kernel
}

TEST(Syncs, ArriveGivesPhaseAndCountInTheUpperWord) {
  Bulk op({0x00000008ff0879a7, 0x000e240008500005}, "SYNCS.ARRIVE.TRANS64.ART0 R8, [UR5], R8");
  op.set_barrier(2048, {.phase = true, .pending = 100, .expected = 100});
  op.uniform(5, 2048);
  for (std::uint32_t& lane : op.warp().slots[8].lane) lane = 10;
  ASSERT_TRUE(op.run(1));
  EXPECT_EQ(op.warp().slots[8][0], 10u);  // as it was
  EXPECT_EQ(op.warp().slots[9][0], 0x80000000 | (0x100000u - 100) << 11);
  EXPECT_EQ(op.barrier(2048).pending, 90u);
}

TEST(Syncs, ExpectedBytesHoldThePhase) {
  Bulk op({0x00000006ffff09a7, 0x000fe2000800000c}, "@P0 SYNCS.ARRIVE.TRANS64 RZ, [UR12], R6");
  op.set_barrier(2048, {.pending = 1, .expected = 1});
  op.uniform(12, 2048);
  op.warp().predicates[0] = 4;
  op.warp().slots[6][2] = 512;
  ASSERT_TRUE(op.run());
  EXPECT_FALSE(op.barrier(2048).phase);
  EXPECT_EQ(op.barrier(2048).bytes, 512);
}

TEST(Syncs, ABarrierThatNobodyMadeIsRefused) {
  Bulk op({0x0000f0ff03ff79a7, 0x000fe2000810003f},
          "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R3+URZ+0xf0], RZ");
  for (std::uint32_t& lane : op.warp().slots[3].lane) lane = 2048 - 0xf0;
  EXPECT_FALSE(op.run());
  EXPECT_NE(op.grid().error()->message.find("is not initialised"), std::string::npos);
}

TEST(Syncs, TestWaitAnswersAtOnce) {
  Bulk op({0x00010800ff0075a7, 0x000fe20008000067}, "SYNCS.PHASECHK.TRANS64 P0, [UR39+0x108], R0");
  op.set_barrier(2048, {.pending = 1, .expected = 1});
  op.uniform(39, 2048 - 0x108);
  op.warp().slots[0][1] = 0x80000000;  // the phase before
  ASSERT_TRUE(op.run());
  EXPECT_FALSE(op.warp().retry);
  EXPECT_EQ(op.warp().predicates[0], 2u);
}

TEST(Syncs, TryWaitWaitsUntilAPhaseIsOver) {
  Bulk op({0x0000e800ff0075a7, 0x000fe20008000165},
          "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR37+0xe8], R0");
  op.set_barrier(2048, {.pending = 1, .expected = 1});
  op.uniform(37, 2048 - 0xe8);
  op.warp().block->mbarrier_clocks[2048].passed[5] = 7;
  ASSERT_TRUE(op.run());
  EXPECT_TRUE(op.warp().retry);
  EXPECT_EQ(op.warp().clock[5], 0u);
  op.set_barrier(2048, {.phase = true, .pending = 1, .expected = 1});
  ASSERT_TRUE(op.run());
  EXPECT_FALSE(op.warp().retry);
  EXPECT_EQ(op.warp().predicates[0], kAllLanes);
  EXPECT_EQ(op.warp().clock[5], 7u);  // what was done before the phase ended has been seen
}

TEST(BulkCopy, GoesFromGlobalToSharedAndTellsTheBarrier) {
  Bulk op({0x0000000a060073ba, 0x000fe20008000205}, "UBLKCP.S.G [UR10], [UR6], UR5");
  op.set_barrier(2048, {.pending = 1, .expected = 1});
  const std::uint64_t from = op.add_words(64);
  op.uniform(10, 4096);
  op.uniform(11, 2048);
  op.uniform_wide(6, from + 16);
  op.uniform(5, 3);  // times 16 bytes
  ASSERT_TRUE(op.run(1));
  for (std::uint32_t k = 0; k < 12; ++k) EXPECT_EQ(op.shared_word(4096 + 4 * k), 1004 + k);
  EXPECT_EQ(op.barrier(2048).bytes, -48);
  EXPECT_TRUE(op.grid().faults.take().empty());
}

TEST(BulkCopy, ReportsWhatIsOutside) {
  Bulk op({0x0000000a060073ba, 0x000fe20008000205}, "UBLKCP.S.G [UR10], [UR6], UR5");
  op.set_barrier(2048, {.pending = 1, .expected = 1});
  op.uniform(10, 4096);
  op.uniform(11, 2048);
  op.uniform_wide(6, op.add_words(4));
  op.uniform(5, 2);
  ASSERT_TRUE(op.run(1));
  const std::vector<Fault> faults = op.grid().faults.take();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, Fault::Kind::kOutOfBounds);
}

TEST(BulkCopy, ReducesInMemory) {
  Bulk op({0x00000008070073bb, 0x000fe20008020605}, "UBLKRED.S.S.ADD.S32 [UR8], [UR7], UR5");
  op.set_barrier(2048, {.pending = 1, .expected = 1});
  for (std::uint32_t k = 0; k < 4; ++k) {
    op.set_shared_word(4096 + 4 * k, 10 * k);
    op.set_shared_word(5120 + 4 * k, k);
  }
  op.uniform(7, 4096);
  op.uniform(8, 5120);
  op.uniform(9, 2048);
  op.uniform(5, 1);
  ASSERT_TRUE(op.run(1));
  for (std::uint32_t k = 0; k < 4; ++k) EXPECT_EQ(op.shared_word(5120 + 4 * k), 11 * k);
  EXPECT_EQ(op.barrier(2048).bytes, -16);
  EXPECT_EQ(op.warp().reduced, 4u);  // counts against the limits of a run
}

launch::TensorMap small_map(std::uint64_t address) {
  launch::TensorMap map;
  map.address = address;
  map.type = launch::TensorType::kU32;
  map.rank = 2;
  map.size = {6, 5, 1, 1, 1};
  map.stride = {0, 32, 0, 0, 0};
  map.box = {8, 4, 1, 1, 1};
  return map;
}

TEST(TensorCopy, LoadsABoxAndFillsWhatIsOutside) {
  Bulk op({0x00000e041e0075b4, 0x000fe20008009000}, "UTMALDG.2D [UR4], [UR30], desc[UR14]");
  op.set_barrier(2048, {.pending = 1, .expected = 1});
  const std::uint64_t from = op.add_words(40);
  launch::TensorMap map = small_map(from);
  map.swizzle = launch::TensorSwizzle::k32;
  op.uniform_wide(30, op.add_map(map));
  op.uniform(4, 4096);
  op.uniform(5, 2048);
  op.uniform(6, static_cast<std::uint32_t>(-1));
  op.uniform(7, 3);
  ASSERT_TRUE(op.run(1));
  for (std::int32_t row = 0; row < 4; ++row) {
    for (std::int32_t column = 0; column < 8; ++column) {
      const std::int32_t x = column - 1, y = row + 3;
      const bool inside = x >= 0 && x < 6 && y < 5;
      const std::uint32_t expected = inside ? static_cast<std::uint32_t>(1000 + 8 * y + x) : 0;
      const auto linear = static_cast<std::uint32_t>(4096 + 32 * row + 4 * column);
      EXPECT_EQ(op.shared_word(linear ^ (linear >> 7 & 1) << 4), expected) << row << ' ' << column;
    }
  }
  EXPECT_EQ(op.barrier(2048).bytes, -128);
}

TEST(TensorCopy, StoresOnlyWhatIsInside) {
  Bulk op({0x0000000c160073b5, 0x000fe20008008000}, "UTMASTG.2D [UR12], [UR22]");
  const std::uint64_t to = op.add_words(40);
  op.uniform_wide(22, op.add_map(small_map(to)));
  for (std::uint32_t k = 0; k < 32; ++k) op.set_shared_word(4096 + 4 * k, 5000 + k);
  op.uniform(12, 4096);
  op.uniform(13, 2);
  op.uniform(14, static_cast<std::uint32_t>(-2));
  ASSERT_TRUE(op.run(1));
  for (std::uint32_t k = 0; k < 40; ++k) {
    const std::uint32_t x = k % 8, y = k / 8;
    const bool stored = x >= 2 && x < 6 && y < 2;
    EXPECT_EQ(op.global_word(to + 4 * k), stored ? 5000 + 8 * (y + 2) + x - 2 : 1000 + k);
  }
}

TEST(TensorCopy, RefusesAMapOfOtherDimensions) {
  Bulk op({0x0000000c160073b5, 0x000fe20008008000}, "UTMASTG.2D [UR12], [UR22]");
  launch::TensorMap map = small_map(op.add_words(40));
  map.rank = 1;
  op.uniform_wide(22, op.add_map(map));
  op.uniform(12, 4096);
  EXPECT_FALSE(op.run(1));
  EXPECT_NE(op.grid().error()->message.find("the tensor map has 1 dimension"), std::string::npos);
}

TEST(TensorBox, SkipsByTheStep) {
  launch::TensorMap map = small_map(0);
  map.box = {4, 5, 1, 1, 1};
  map.step = {1, 2, 1, 1, 1};
  std::vector<std::uint64_t> addresses;
  for_each_row(map, {2, 1}, [&](const BoxRow& row) {
    addresses.push_back(row.inside != 0 ? row.address : 0);
    EXPECT_EQ(row.offset, 16 * (addresses.size() - 1));
  });
  EXPECT_EQ(addresses, (std::vector<std::uint64_t>{40, 104, 0}));
  EXPECT_EQ(box_bytes(map), 48u);
}

// 2 images of 3×2 pixels with 4 floats each. A filter of 3 weights in a row with padding 1 begins
// at -1, 0 and 1; of its weights, the copy is for the third.
TEST(TensorBox, CopiesPixelsFromImageToImage) {
  launch::TensorMap map;
  map.type = launch::TensorType::kF32;
  map.rank = 5;
  map.size = {4, 3, 2, 1, 2};
  map.stride = {0, 16, 48, 96, 96};
  map.box = {4, 1, 1, 1, 1};
  map.pixels = launch::PixelRange{.lower = {-1, 0, 0}, .upper = {-1, 0, 0}, .pixels = 5};
  std::vector<std::int64_t> pixels;  // their numbers; -1 outside
  for_each_pixel(map, {0, 0, 1, 0, 0}, {2, 0, 0}, [&](const BoxRow& row) {
    EXPECT_EQ(row.offset, 16 * pixels.size());
    pixels.push_back(row.inside == 16 ? static_cast<std::int64_t>(row.address / 16) : -1);
  });
  // (0, 1) and (1, 1) of the first image, then (-1, 0), (0, 0) and (1, 0) of the second.
  EXPECT_EQ(pixels, (std::vector<std::int64_t>{5, -1, 7, 8, -1}));
  EXPECT_EQ(box_bytes(map), 80u);
}

std::uint64_t reduced(std::string_view operation, launch::TensorType type, std::uint64_t a,
                      std::uint64_t b) {
  const Reduction* reduction = find_reduction(*parse_reduce_operation(operation), type);
  EXPECT_NE(reduction, nullptr);
  return reduction == nullptr ? 0 : reduction->combine(a, b);
}

// As an H200 gave them.
TEST(BulkReduce, TreatsFloatsAsTheHardwareDoes) {
  EXPECT_EQ(reduced("ADD", launch::TensorType::kF32, 0x80400000, 0x80800001), 0x80c00001u);
  EXPECT_EQ(reduced("ADD", launch::TensorType::kF32, 0x7f812345, 0x3f800000), 0x7fffffffu);
  EXPECT_EQ(reduced("ADD", launch::TensorType::kF32, 0x80000000, 0x00000000), 0u);
  EXPECT_EQ(reduced("ADD", launch::TensorType::kF16, 0x8001, 0x0200), 0x01ffu);
  EXPECT_EQ(reduced("ADD", launch::TensorType::kF16, 0x0200, 0x8400), 0x8200u);
  EXPECT_EQ(reduced("ADD", launch::TensorType::kF16, 0x7c00, 0xfc00), 0x7fffu);
  EXPECT_EQ(reduced("ADD", launch::TensorType::kF16, 0x7bff, 0x5000), 0x7c00u);
  EXPECT_EQ(reduced("ADD", launch::TensorType::kF16, 0x3c00, 0x1000),
            0x3c00u);  // half an ulp, to even
  EXPECT_EQ(reduced("ADD", launch::TensorType::kBf16, 0x8001, 0x0080), 0x007fu);
  EXPECT_EQ(reduced("ADD", launch::TensorType::kBf16, 0x0040, 0x3f80), 0x3f80u);
  EXPECT_EQ(reduced("MIN", launch::TensorType::kF16, 0x7e00, 0x7d01), 0x7fffu);
  EXPECT_EQ(reduced("MIN", launch::TensorType::kF16, 0x0000, 0x8000), 0x8000u);
  EXPECT_EQ(reduced("MAX", launch::TensorType::kBf16, 0xff80, 0x7fc0), 0xff80u);
  EXPECT_EQ(reduced("INC", launch::TensorType::kU32, 0x6e9b126d, 0x2f7f76ee), 0u);
  EXPECT_EQ(reduced("DEC", launch::TensorType::kU32, 0x6e9b126d, 0x2f7f76ee), 0x2f7f76eeu);
  EXPECT_EQ(find_reduction(ReduceOperation::kMin, launch::TensorType::kF32), nullptr);
}

}  // namespace
}  // namespace burin::emulate
