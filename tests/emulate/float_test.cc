// FP32 against exact arithmetic. What an H200 gives for thousands of words is in semantics_test.cc.
#include <gtest/gtest.h>

#include <bit>

#include "emulate/numbers/float_format.h"
#include "float_values.h"
#include "one_op.h"

namespace burin::emulate {
namespace {

// R64 = R8 * R16 + R24 in each rounding.
constexpr OneOp::Word kFfma{0x0000001008407223, 0x000fe20000000018};
constexpr OneOp::Word rounded(OneOp::Word word, Rounding rounding) {
  return {word.low, word.high | static_cast<std::uint64_t>(rounding) << (78 - 64)};
}
constexpr OneOp::Word with_bit(OneOp::Word word, unsigned bit) {
  return {word.low, word.high | std::uint64_t{1} << (bit - 64)};
}

class Ffma : public testing::TestWithParam<Rounding> {};

TEST_P(Ffma, IsRoundedOnce) {
  OneOp op(rounded(kFfma, GetParam()));
  FloatValues values(42);
  Warp& w = op.warp();
  for (int k = 0; k < 3000; ++k) {
    for (unsigned i = 0; i < kWarpLanes; ++i)
      for (const unsigned r : {8u, 16u, 24u})
        w.slots[r][i] = static_cast<std::uint32_t>(values.next(kFormatF32));
    ASSERT_TRUE(op.run());
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      const Exact exact =
          add(multiply(unpack(w.slots[8][i], kFormatF32), unpack(w.slots[16][i], kFormatF32)),
              unpack(w.slots[24][i], kFormatF32), GetParam());
      ASSERT_EQ(w.slots[64][i], pack(exact, kFormatF32, GetParam()))
          << op.text() << std::hex << ' ' << w.slots[8][i] << ' ' << w.slots[16][i] << ' '
          << w.slots[24][i];
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Roundings, Ffma,
                         testing::Values(Rounding::kNearest, Rounding::kDown, Rounding::kUp,
                                         Rounding::kZero));

std::uint32_t ffma(OneOp::Word word, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  OneOp op(word);
  op.warp().slots[8][0] = a;
  op.warp().slots[16][0] = b;
  op.warp().slots[24][0] = c;
  EXPECT_TRUE(op.run());
  return op.warp().slots[64][0];
}

TEST(Float, FlushesAndClamps) {
  const OneOp::Word ftz = with_bit(kFfma, 80);
  const OneOp::Word sat = with_bit(kFfma, 77);
  constexpr std::uint32_t kOne = 0x3f800000;
  EXPECT_EQ(ffma(kFfma, 0x80000001, kOne, 0x80000000), 0x80000001);
  EXPECT_EQ(ffma(ftz, 0x80000001, kOne, 0x80000000), 0x80000000);
  EXPECT_EQ(ffma(ftz, 0x00800000, 0x3f000000, 0), 0u);  // 2^-127 on the way out
  EXPECT_EQ(ffma(sat, 0x40000000, kOne, 0), kOne);
  EXPECT_EQ(ffma(sat, 0xbf800000, kOne, 0), 0u);
  EXPECT_EQ(ffma(sat, 0x7fc00000, kOne, 0), 0u);
  EXPECT_EQ(ffma(kFfma, 0xffc00001, kOne, 0), 0x7fffffffu);  // one NaN for all
  EXPECT_EQ(ffma(kFfma, 0x7f800000, 0, 0), 0x7fffffffu);
}

TEST(Float, AnUnknownSourceMakesTheResultUnknown) {
  OneOp op(kFfma);
  op.warp().unknown[16] = 0x10;
  op.warp().unknown[24] = 0x1;
  ASSERT_TRUE(op.run(0xff));
  EXPECT_EQ(op.warp().unknown[64], 0x11u);
}

TEST(Float, MinimumOrdersZerosAndPrefersNumbers) {
  OneOp minimum({0x0000001008407209, 0x000fe20003800000});  // FMNMX R64, R8, R16, PT
  Warp& w = minimum.warp();
  const std::uint32_t a[] = {0, 0x80000000, 0x7fc00000, 0x3f800000, 0xff800001};
  const std::uint32_t b[] = {0x80000000, 0, 0x3f800000, 0x7f800001, 0x7fc00000};
  const std::uint32_t least[] = {0x80000000, 0x80000000, 0x3f800000, 0x3f800000, 0x7fffffff};
  for (unsigned i = 0; i < 5; ++i) {
    w.slots[8][i] = a[i];
    w.slots[16][i] = b[i];
  }
  ASSERT_TRUE(minimum.run());
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(w.slots[64][i], least[i]) << i;
}

TEST(Float, ComparisonsKnowWhatAnUnknownCannotChange) {
  OneOp op({0x000000100800720b, 0x000fe20000f21400});  // FSETP.LT.OR P1, PT, R8, R16, P1
  Warp& w = op.warp();
  w.slots[8][1] = 0xbf800000;  // -1 < 0
  w.unknown[8] = 0b1100;
  w.predicates[1] = 0b0100;
  ASSERT_TRUE(op.run(0b1111));
  EXPECT_EQ(w.predicates[1] & 0b0111, 0b0110u);
  EXPECT_EQ(w.predicate_unknown[1], 0b1000u);  // true or Unknown is true
}

TEST(Float, ASelectionOfAKnownValueIsKnown) {
  OneOp op({0x0000001008407208, 0x000fe20004000000});  // FSEL R64, R8, R16, !P0
  Warp& w = op.warp();
  w.predicates[0] = 0b01;
  w.unknown[8] = 0b11;
  w.slots[16][0] = 5;
  ASSERT_TRUE(op.run(0b11));
  EXPECT_EQ(w.slots[64][0], 5u);
  EXPECT_EQ(w.unknown[64], 0b10u);
}

}  // namespace
}  // namespace burin::emulate
