// PRMT: four bytes picked from the eight of c:a.
#include "emulate/state/lower.h"
#include "emulate/state/map.h"

namespace burin::emulate {
namespace {

// Each digit of a selector names a byte, 0 to 3 of a, 4 to 7 of c; with bit 3 the byte's sign fills
// the place instead.
BURIN_INLINE inline std::uint32_t permute(std::uint32_t a, std::uint32_t c,
                                          std::uint32_t selector) {
  const std::uint64_t bytes = std::uint64_t{c} << 32 | a;
  std::uint32_t out = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint32_t digit = selector >> (4 * k) & 15;
    const auto byte = static_cast<std::uint32_t>(bytes >> (8 * (digit & 7)) & 0xff);
    const std::uint32_t sign = (0u - (byte >> 7)) & 0xff;
    out |= (digit >= 8 ? sign : byte) << (8 * k);
  }
  return out;
}

// The other modes choose one of four selectors by the two lowest bits of b.
struct PermuteMode {
  std::string_view name;
  std::array<std::uint32_t, 4> selectors;
};
constexpr PermuteMode kPermuteModes[] = {
    {"F4E", {0x3210, 0x4321, 0x5432, 0x6543}},   // four bytes forward from there
    {"B4E", {0x5670, 0x6701, 0x7012, 0x0123}},   // backward
    {"RC8", {0x0000, 0x1111, 0x2222, 0x3333}},   // the byte, in all places
    {"ECL", {0x3210, 0x3211, 0x3222, 0x3333}},   // clamped to the left of it
    {"ECR", {0x0000, 0x1110, 0x2210, 0x3210}},   // … to the right
    {"RC16", {0x1010, 0x3232, 0x1010, 0x3232}},  // the half, twice
};

BURIN_LANES void execute_permute(Warp& warp, const Op& op) {
  map3(warp, op, [](std::uint32_t a, std::uint32_t b, std::uint32_t c) BURIN_INLINE {
    return permute(a, c, b);
  });
}

void execute_permute_mode(Warp& warp, const Op& op) {
  const PermuteMode& mode = kPermuteModes[op.mode[0]];
  map3(warp, op, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return permute(a, c, mode.selectors[b & 3]);
  });
}

// A selector that is the same for the whole launch: Op::mode has the digits, and an operand that
// no digit names does not matter.
BURIN_LANES void execute_permute_fixed(Warp& warp, const Op& op) {
  const Lanes& a = warp.plain(op.source[0]);
  const Lanes& c = warp.plain(op.source[2]);
  Lanes out{};
  Mask unknown = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint32_t digit = op.mode[k];
    const bool from_c = (digit & 4) != 0;
    const Lanes& from = from_c ? c : a;
    const unsigned down = 8 * (digit & 3);
    const unsigned up = 8 * k;
    unknown |= warp.unknown_of(op.source[from_c ? 2 : 0]);
    if (digit >= 8) {
      for (unsigned i = 0; i < kWarpLanes; ++i) {
        out.lane[i] |= ((0u - (from.lane[i] >> (down + 7) & 1)) & 0xff) << up;
      }
    } else {
      for (unsigned i = 0; i < kWarpLanes; ++i) out.lane[i] |= (from.lane[i] >> down & 0xff) << up;
    }
  }
  warp.set(op.destination[0], out, unknown);
}

bool lower_prmt(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  for (unsigned k = 0; k < 3; ++k) op.source[k] = l.source(operands[1 + k]);
  const std::string_view name = i.modifier("mode");
  if (!name.empty()) {
    for (std::size_t k = 0; k < std::size(kPermuteModes); ++k) {
      if (kPermuteModes[k].name != name) continue;
      op.mode[0] = static_cast<std::uint8_t>(k);
      op.execute = execute_permute_mode;
      return true;
    }
    return false;
  }
  const Source& b = op.source[1];
  const bool zero = !b.pooled && b.slot == kZeroSlot;
  if (zero || (b.pooled && l.program().pool_unknown[b.slot] == 0)) {
    const std::uint32_t selector = zero ? 0 : l.program().pool[b.slot].lane[0];
    for (unsigned k = 0; k < 4; ++k) op.mode[k] = selector >> (4 * k) & 15;
    op.execute = execute_permute_fixed;
  } else {
    op.execute = execute_permute;
  }
  return true;
}

}  // namespace

std::span<const LowerRow> permute_rows() {
  static constexpr LowerRow kRows[] = {{"PRMT", lower_prmt}, {"UPRMT", lower_prmt}};
  return kRows;
}

}  // namespace burin::emulate
