// DMMA: a warp's product of double matrices, for each element a chain of fused multiply-adds along
// K, each rounded as the instruction says.
#include <bit>
#include <cfenv>
#include <cmath>

#include "emulate/execute/tensor.h"
#include "emulate/numbers/float_format.h"
#include "emulate/numbers/fragment.h"

namespace burin::emulate {

namespace {

// In the order of Rounding.
constexpr int kDirections[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

constexpr unsigned kMaxDoubles = 16;  // along K

struct DoubleTiles {
  double a[kTileRows][kMaxDoubles];
  double b[kMaxDoubles][kTileColumns];
  double c[kTileRows][kTileColumns];
};

double joined(const Lanes& low, const Lanes& high, unsigned lane) {
  return std::bit_cast<double>(low[lane] | std::uint64_t{high[lane]} << 32);
}

double fused(double a, double b, double c) {
  const double result = std::fma(a, b, c);
  if (!std::isnan(result)) return result;
  return std::bit_cast<double>(double_nan(std::bit_cast<std::uint64_t>(a),
                                          std::bit_cast<std::uint64_t>(b),
                                          std::bit_cast<std::uint64_t>(c)));
}

// A separate function that is never inlined, so its arithmetic stays between the two rounding
// changes.
[[gnu::noinline]] void chain(DoubleTiles& t, unsigned rows, unsigned depth) {
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < kTileColumns; ++j)
      for (unsigned k = 0; k < depth; ++k) t.c[i][j] = fused(t.a[i][k], t.b[k][j], t.c[i][j]);
}

void execute_double_product(Warp& warp, const Op& op) {
  const bool tall = op.mode[kTall] != 0;
  const unsigned rows = tall ? 16 : 8;
  const unsigned doubles_a = op.mode[kRegistersA] / 2;
  const unsigned doubles_b = op.mode[kRegistersB] / 2;
  DoubleTiles t;
  Mask unknown = 0;  // of any source: these products are too rare to follow line by line
  for (unsigned r = 0; r < doubles_a; ++r) {
    unknown |= warp.unknown_of(op.source[0], 2 * r) | warp.unknown_of(op.source[0], 2 * r + 1);
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      t.a[row_of(lane, r, tall)][column_of(lane, r, tall, 1)] =
          joined(warp.plain(op.source[0], 2 * r), warp.plain(op.source[0], 2 * r + 1), lane);
  }
  for (unsigned r = 0; r < doubles_b; ++r) {
    unknown |= warp.unknown_of(op.source[1], 2 * r) | warp.unknown_of(op.source[1], 2 * r + 1);
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      t.b[column_of(lane, r, false, 1)][lane / 4] =
          joined(warp.plain(op.source[1], 2 * r), warp.plain(op.source[1], 2 * r + 1), lane);
  }
  for (unsigned r = 0; r < rows / 4; ++r) {
    unknown |= warp.unknown_of(op.source[2], 2 * r) | warp.unknown_of(op.source[2], 2 * r + 1);
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      t.c[8 * (r / 2) + lane / 4][2 * (lane % 4) + r % 2] =
          joined(warp.plain(op.source[2], 2 * r), warp.plain(op.source[2], 2 * r + 1), lane);
  }
  const int before = std::fegetround();
  std::fesetround(kDirections[op.mode[kDirection]]);
  chain(t, rows, doubles_b * 4);
  std::fesetround(before);
  for (unsigned r = 0; r < rows / 4; ++r) {
    Lanes low;
    Lanes high;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      const auto bits =
          std::bit_cast<std::uint64_t>(t.c[8 * (r / 2) + lane / 4][2 * (lane % 4) + r % 2]);
      low[lane] = static_cast<std::uint32_t>(bits);
      high[lane] = static_cast<std::uint32_t>(bits >> 32);
    }
    warp.set(slot_after(op.destination[0], 2 * r), low, unknown != 0 ? kAllLanes : 0);
    warp.set(slot_after(op.destination[0], 2 * r + 1), high, unknown != 0 ? kAllLanes : 0);
  }
}

}  // namespace

bool lower_dmma(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_product(l, i, op)) return false;
  op.mode[kDirection] = static_cast<std::uint8_t>(rounding_named(i.modifier("round")));
  op.execute = execute_double_product;
  return true;
}

}  // namespace burin::emulate
