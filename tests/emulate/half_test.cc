#include "emulate/numbers/half.h"

#include <gtest/gtest.h>

#include "float_values.h"
#include "one_op.h"

namespace burin::emulate {
namespace {

TEST(Half, EveryHalfWidensExactly) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const Exact half = unpack(bits, kFormatF16);
    const std::uint32_t wide = half_to_float(bits);
    if (half.is_nan()) {
      ASSERT_NE(is_nan(wide), 0u);
      continue;
    }
    ASSERT_EQ(wide, pack(half, kFormatF32, Rounding::kNearest));
    ASSERT_EQ(float_to_half(wide), bits);
  }
}

TEST(Half, FloatsAreRoundedToNearest) {
  // Every exponent and sign with significands around the ties of both formats.
  for (std::uint32_t top = 0; top < 0x200; ++top) {
    for (std::uint32_t k = 0; k < 4096; ++k) {
      const std::uint32_t bits = top << 23 | (k >> 3) * 0x4000 | ((k & 7) * 0x1000 - 3 + k % 7);
      const Exact exact = unpack(bits, kFormatF32);
      ASSERT_EQ(float_to_half(bits), pack(exact, kFormatF16, Rounding::kNearest)) << bits;
      ASSERT_EQ(float_to_bfloat(bits), pack(exact, kFormatBf16, Rounding::kNearest)) << bits;
    }
  }
}

struct Fma {
  const char* name;
  OneOp::Word word;
  FloatFormat format;
};
class HalfFma : public testing::TestWithParam<Fma> {};

TEST_P(HalfFma, IsRoundedOnce) {
  const FloatFormat& format = GetParam().format;
  OneOp op(GetParam().word);
  FloatValues values(11);
  Warp& w = op.warp();
  for (int k = 0; k < 3000; ++k) {
    for (unsigned i = 0; i < kWarpLanes; ++i)
      for (const unsigned r : {8u, 16u, 24u})
        w.slots[r][i] = static_cast<std::uint32_t>(values.next(format) | values.next(format) << 16);
    ASSERT_TRUE(op.run());
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      for (const unsigned shift : {0u, 16u}) {
        const auto half = [&](unsigned r) { return w.slots[r][i] >> shift & 0xffff; };
        const Exact exact = add(multiply(unpack(half(8), format), unpack(half(16), format)),
                                unpack(half(24), format), Rounding::kNearest);
        ASSERT_EQ(half(64), pack(exact, format, Rounding::kNearest))
            << std::hex << half(8) << ' ' << half(16) << ' ' << half(24);
      }
    }
  }
}
// HFMA2[.BF16_V2] R64, R8, R16, R24
INSTANTIATE_TEST_SUITE_P(
    Formats, HalfFma,
    testing::Values(Fma{"f16", {0x0000001008407231, 0x000fe20000000018}, kFormatF16},
                    Fma{"bf16", {0x0000001008407231, 0x000fe20000200018}, kFormatBf16}),
    [](const auto& test) { return test.param.name; });

TEST(Half, OutOfBoundsProductsAreZero) {
  OneOp op({0x0000001008407231, 0x000fe20000011018});  // HFMA2.OOB R64, R8, R16, R24
  Warp& w = op.warp();
  w.slots[8][0] = 0x3c00fff7;
  w.slots[16][0] = 0x40003c00;
  w.slots[24][0] = 0x3c003c00;
  ASSERT_TRUE(op.run());
  EXPECT_EQ(w.slots[64][0], 0x42000000u);
}

}  // namespace
}  // namespace burin::emulate
