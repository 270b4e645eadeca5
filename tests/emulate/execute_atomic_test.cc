#include <gtest/gtest.h>

#include <cstring>

#include "emulate/memory/mbarrier.h"
#include "emulate/numbers/atomic.h"
#include "one_op.h"

namespace burin::emulate {
namespace {

std::uint64_t value_at(OneOp& op, std::uint64_t address, unsigned bytes) {
  Datum d;
  EXPECT_EQ(op.grid().memory->read(address, bytes, d), MemoryStatus::kDone);
  EXPECT_EQ(d.unknown, 0);
  std::uint64_t value = 0;
  std::memcpy(&value, d.bytes.data(), bytes);
  return value;
}

std::uint64_t shared_at(OneOp& op, std::uint64_t address, unsigned bytes) {
  Datum d;
  EXPECT_TRUE(op.block().shared.read(address, bytes, d));
  EXPECT_EQ(d.unknown, 0);
  std::uint64_t value = 0;
  std::memcpy(&value, d.bytes.data(), bytes);
  return value;
}

struct Combined {
  const char* operation;
  const char* type;
  std::uint64_t old;
  std::uint64_t operand;
  std::uint64_t expected;
};

class Rules : public testing::TestWithParam<Combined> {};

TEST_P(Rules, Combine) {
  const Combined& c = GetParam();
  const AtomicRule* rule = find_atomic(c.operation, c.type);
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->combine(c.old, c.operand, 0), c.expected);
}
INSTANTIATE_TEST_SUITE_P(
    All, Rules,
    testing::Values(
        Combined{"ADD", "", 0xffffffff, 2, 1}, Combined{"ADD", "64", 0xffffffff, 2, 0x100000001},
        Combined{"MIN", "", 0x80000000, 1, 1}, Combined{"MIN", "S32", 0x80000000, 1, 0x80000000},
        Combined{"MAX", "S64", ~std::uint64_t{0}, 3, 3}, Combined{"MAX", "64", 4, 3, 4},
        Combined{"INC", "", 6, 7, 7}, Combined{"INC", "", 7, 7, 0}, Combined{"DEC", "", 0, 7, 7},
        Combined{"DEC", "", 9, 7, 7}, Combined{"DEC", "", 5, 7, 4}, Combined{"AND", "", 6, 3, 2},
        Combined{"OR", "64", 6, 1, 7}, Combined{"XOR", "", 6, 3, 5}, Combined{"EXCH", "", 6, 3, 3},
        // 1 + 2; the least subnormal is flushed, but not by every type; NaN is canonical.
        Combined{"ADD", "F32.FTZ.RN", 0x3f800000, 0x40000000, 0x40400000},
        Combined{"ADD", "F32.FTZ.RN", 1, 0x80000001, 0},
        Combined{"ADD", "F32.FTZ.RN", 0x00800001, 0x80800000, 0},
        Combined{"ADD", "F32.RN", 1, 1, 2},
        Combined{"ADD", "F32.FTZ.RN", 0xff800000, 0x7f800000, 0x7fffffff},
        Combined{"ADD", "F64.RN", 0x3ff0000000000000, 0x3ff0000000000000, 0x4000000000000000},
        // Halves: 1 + 2^-11 is a tie and goes to even; 65504 + 16 overflows; subnormals stay.
        Combined{"ADD", "F16x2.RN", 0x3c003c01, 0x10001000, 0x3c003c02},
        Combined{"ADD", "F16x2.RN", 0x7bff0001, 0x4c000001, 0x7c000002},
        Combined{"ADD", "F16x2.RN", 0x7e00fc00, 0x00003c00, 0x7ffffc00},
        Combined{"ADD", "F16x4.RN", 0x83ff03ff, 0x00010001, 0x83fe0400},
        Combined{"ADD", "BF16x2.RN", 0x3f803f81, 0x3b803b80, 0x3f803f82},
        Combined{"MIN", "F16x2.RN", 0x7e008000, 0x3c000000, 0x3c008000},
        Combined{"MAX", "BF16x8.RN", 0xbf808000, 0x40000000, 0x40000000}));

TEST(ExecuteAtomic, LanesTakeTheirTurns) {
  OneOp op({0x00000007080779a8, 0x000fe200081ee1fa});
  ASSERT_EQ(op.text(), "ATOMG.E.ADD.STRONG.GPU PT, R7, desc[UR58][R8.64], R7");
  const std::uint64_t a = op.grid().memory->add("a", {.size = 64, .kind = launch::Fill::kZero});
  for (unsigned i = 0; i < 32; ++i) {
    set_address(op.warp(), 8, i, a + 4 * (i % 2));
    op.warp().slots[7][i] = i;
  }
  ASSERT_TRUE(op.run());
  EXPECT_EQ(value_at(op, a, 4), 240u);
  EXPECT_EQ(value_at(op, a + 4, 4), 256u);
  EXPECT_EQ(op.warp().slots[7][4], 2u) << "what lanes 0 and 2 had added";
  const Access& access = op.warp().accesses[0];
  EXPECT_TRUE(access.load && access.store && access.atomic);
}

TEST(ExecuteAtomic, CompareAndSwapStoresTheLastOperand) {
  OneOp op({0x00000004020573a9, 0x000fe200001ee105});
  ASSERT_EQ(op.text(), "ATOMG.E.CAS.STRONG.GPU PT, R5, [R2], R4, R5");
  const std::uint64_t a = op.grid().memory->add("a", {.size = 64, .kind = launch::Fill::kZero});
  for (unsigned i = 0; i < 32; ++i) {
    set_address(op.warp(), 2, i, a);
    op.warp().slots[4][i] = i;  // succeeds in turn: 0 → 1 → 2 …
    op.warp().slots[5][i] = i + 1;
  }
  op.run();
  EXPECT_EQ(value_at(op, a, 4), 32u);
  EXPECT_EQ(op.warp().slots[5][9], 9u);
}

TEST(ExecuteAtomic, SixteenBytesAreComparedAtOnce) {
  OneOp op({0x00000018040473a9, 0x000fe200001ee91c});
  ASSERT_EQ(op.text(), "ATOMG.E.CAS.128.STRONG.GPU PT, R4, [R4], R24, R28");
  const std::uint64_t a = op.grid().memory->add("a", {.size = 64, .kind = launch::Fill::kZero});
  op.grid().memory->write(a + 8, 8, datum(5));
  for (unsigned i = 0; i < 2; ++i) {
    set_address(op.warp(), 4, i, a);
    op.warp().slots[26][i] = 5 - i;  // lane 1 compares with what is not there
    for (std::uint16_t k = 0; k < 4; ++k) op.warp().slots[28 + k][i] = 10 * i + k;
  }
  op.run(0x3);
  EXPECT_EQ(op.warp().slots[6][0], 5u);
  EXPECT_EQ(op.warp().slots[6][1], 2u);
  EXPECT_EQ(value_at(op, a + 8, 8), 0x300000002u);
}

TEST(ExecuteAtomic, FloatsAreAddedInGlobalMemoryOnlyAndThePredicateSaysSo) {
  OneOp op({0x0000000314ff79a2, 0x000fe2000810f3c6});
  ASSERT_EQ(op.text(), "ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU P0, RZ, desc[UR6][R20.64], R3");
  const std::uint64_t a = op.grid().memory->add("a", {.size = 64, .kind = launch::Fill::kZero});
  op.block().shared.reset(2048, 1024);
  op.block().shared.write(1024, 4, datum(0));
  for (unsigned i = 0; i < 32; ++i) {
    set_address(op.warp(), 20, i, i % 2 == 0 ? a : kSharedWindow + 1024);
    op.warp().slots[3][i] = 0x3f800000;
  }
  op.run();
  EXPECT_EQ(value_at(op, a, 4), 0x41800000u);
  EXPECT_EQ(shared_at(op, 1024, 4), 0u);
  EXPECT_EQ(op.warp().predicates[0], 0x55555555u);
}

TEST(ExecuteAtomic, IntegersAreAddedInSharedMemoryThroughGenericAddresses) {
  OneOp op({0x000004000202798a, 0x000fe200081ee1e8});
  ASSERT_EQ(op.text(), "ATOM.E.ADD.STRONG.GPU PT, R2, desc[UR40][R2.64+0x4], R0");
  op.block().shared.reset(2048, 1024);
  op.block().shared.write(1028, 4, datum(100));
  for (unsigned i = 0; i < 32; ++i) {
    set_address(op.warp(), 2, i, kSharedWindow + 1024);
    op.warp().slots[0][i] = 1;
  }
  op.run();
  EXPECT_EQ(shared_at(op, 1028, 4), 132u);
  EXPECT_EQ(op.warp().slots[2][31], 131u);
}

TEST(ExecuteAtomic, CastSaysWhetherItStored) {
  OneOp op({0x000000040f06738d, 0x000fe20001800406});
  ASSERT_EQ(op.text(), "ATOMS.CAST.SPIN.64 R6, [R15], R4, R6");
  op.block().shared.reset(2048, 1024);
  op.block().shared.write(1024, 8, datum(0x100000007));
  for (unsigned i = 0; i < 32; ++i) {
    op.warp().slots[15][i] = 1024;
    op.warp().slots[4][i] = 7;
    op.warp().slots[5][i] = 1;
    op.warp().slots[6][i] = 8;
    op.warp().slots[7][i] = 2;
  }
  op.run();
  EXPECT_EQ(shared_at(op, 1024, 8), 0x200000008u);
  EXPECT_EQ(op.warp().slots[6][0], 1u);
  EXPECT_EQ(op.warp().slots[7][0], 0u);
  EXPECT_EQ(op.warp().slots[6][1], 0u) << "lane 0 was first";
}

TEST(ExecuteAtomic, PopcIncCountsTheLanesOfEachAddress) {
  OneOp op({0x0000000020ff7f8c, 0x000fe2000d80003f});
  ASSERT_EQ(op.text(), "ATOMS.POPC.INC.32 RZ, [R32+URZ]");
  op.block().shared.reset(2048, 1024);
  op.block().shared.write(1024, 8, datum(0));
  for (unsigned i = 0; i < 32; ++i) op.warp().slots[32][i] = 1024 + 4 * (i < 10);
  ASSERT_TRUE(op.run());
  EXPECT_EQ(shared_at(op, 1024, 8), 10ull << 32 | 22);
}

TEST(ExecuteAtomic, VectorsOfHalvesGoWordByWord) {
  OneOp op({0xffff800a020079a6, 0x000fe2000c10e384});
  ASSERT_EQ(op.text(), "REDG.E.ADD.F16x4.RN.STRONG.GPU desc[UR4][R2.64+-0x80], R10");
  const std::uint64_t a = op.grid().memory->add("a", {.size = 64, .kind = launch::Fill::kZero});
  for (unsigned i = 0; i < 32; ++i) {
    set_address(op.warp(), 2, i, a + 128);
    op.warp().slots[10][i] = 0x3c003800;
    op.warp().slots[11][i] = 0xbc000000;
  }
  op.run();
  EXPECT_EQ(value_at(op, a, 8), 0xd000000050004c00u);
}

TEST(ExecuteAtomic, AsynchronousStoresTellTheirMbarrier) {
  for (const bool store : {true, false}) {
    OneOp op(store ? OneOp::Word{0x0000001208007dbd, 0x000fe2000c00083f}
                   : OneOp::Word{0x0000001208007dbe, 0x000fe2000800013f});
    ASSERT_EQ(op.text(), store ? "STAS [R8.64], R18" : "REDAS.ADD [R8.64], R18");
    op.block().shared.reset(4096, 1024);
    op.block().shared.write(1032, 4, datum(40));
    op.block().shared.write(2048, 8, datum(pack({.pending = 1, .expected = 1, .bytes = 8})));
    for (unsigned i = 0; i < 2; ++i) {
      op.warp().slots[8][i] = 1032;
      op.warp().slots[9][i] = 2048;
      op.warp().slots[18][i] = 5;
    }
    ASSERT_TRUE(op.run(0x3));
    EXPECT_EQ(shared_at(op, 1032, 4), store ? 5u : 50u);
    const Mbarrier barrier = unpack(shared_at(op, 2048, 8));
    EXPECT_EQ(barrier.bytes, 0);
    EXPECT_EQ(barrier.pending, 1u) << "its bytes are there, but an arrival is missing";
  }
}

TEST(ExecuteAtomic, TheUnknownStaysInside) {
  OneOp op({0x00000007080779a8, 0x000fe200081ee1fa});
  const std::uint64_t a = op.grid().memory->add("a", {.size = 64, .kind = launch::Fill::kZero});
  for (unsigned i = 0; i < 32; ++i) set_address(op.warp(), 8, i, a + 4 * (i % 4));
  op.warp().unknown[7] = 1u << 4;        // operand
  op.warp().unknown[8] = 1u << 1;        // address
  set_address(op.warp(), 8, 2, a + 64);  // outside
  set_address(op.warp(), 8, 3, a + 13);  // misaligned
  op.run(0x1f);
  EXPECT_EQ(op.warp().unknown[7], 0xeu) << "lane 4 knows what was there";
  Datum d;
  op.grid().memory->read(a, 16, d);
  EXPECT_EQ(d.unknown, 0x000f);
  EXPECT_EQ(op.grid().faults.take().size(), 2u);
}

}  // namespace
}  // namespace burin::emulate
