// The remains of the video instructions: absolute differences of words and of bytes.
#include "emulate/state/lower.h"
#include "emulate/state/map.h"

namespace burin::emulate {
namespace {

BURIN_INLINE inline std::uint32_t difference(bool is_signed, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t flip = is_signed ? 0x80000000 : 0;
  return (a ^ flip) < (b ^ flip) ? b - a : a - b;
}

BURIN_LANES void execute_difference(Warp& warp, const Op& op) {
  const bool is_signed = op.mode[0] != 0;
  map3(warp, op, [=](std::uint32_t a, std::uint32_t b, std::uint32_t c) BURIN_INLINE {
    return difference(is_signed, a, b) + c;
  });
}

// The difference of byte k of both, which lies at the top of a word meanwhile.
BURIN_INLINE inline std::uint32_t byte_difference(bool is_signed, std::uint32_t a, std::uint32_t b,
                                                  unsigned k) {
  const unsigned up = 24 - 8 * k;
  return difference(is_signed, (a << up) & 0xff000000, (b << up) & 0xff000000) >> 24;
}

// Without .ACC, c is not looked at.
BURIN_LANES void execute_byte_differences(Warp& warp, const Op& op) {
  const bool is_signed = op.mode[0] != 0;
  map2(warp, op, [=](std::uint32_t a, std::uint32_t b) BURIN_INLINE {
    std::uint32_t out = 0;
    for (unsigned k = 0; k < 4; ++k) out |= byte_difference(is_signed, a, b, k) << (8 * k);
    return out;
  });
}

BURIN_LANES void execute_sum_of_byte_differences(Warp& warp, const Op& op) {
  const bool is_signed = op.mode[0] != 0;
  map3(warp, op, [=](std::uint32_t a, std::uint32_t b, std::uint32_t c) BURIN_INLINE {
    for (unsigned k = 0; k < 4; ++k) c += byte_difference(is_signed, a, b, k);
    return c;
  });
}

bool lower_sources(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  op.destination[0] = l.destination(operands[0]);
  for (unsigned k = 0; k < 3; ++k) op.source[k] = l.source(operands[1 + k]);
  op.mode[0] = i.modifier("type").empty();
  return true;
}

bool lower_vabsdiff(Lowering& l, const read::Instruction& i, Op& op) {
  op.execute = execute_difference;
  return lower_sources(l, i, op);
}

bool lower_vabsdiff4(Lowering& l, const read::Instruction& i, Op& op) {
  lower_sources(l, i, op);
  const bool sums = i.modifier("acc") == "ACC";
  op.execute = sums ? execute_sum_of_byte_differences : execute_byte_differences;
  return true;
}

}  // namespace

std::span<const LowerRow> video_rows() {
  static constexpr LowerRow kRows[] = {{"VABSDIFF", lower_vabsdiff},
                                       {"VABSDIFF4", lower_vabsdiff4}};
  return kRows;
}

}  // namespace burin::emulate
