// MUFU: the functions themselves are in mufu.h.
#include "emulate/numbers/mufu.h"

#include "emulate/numbers/half.h"
#include "emulate/state/lower.h"
#include "emulate/state/map.h"

namespace burin::emulate {
namespace {

void execute_mufu(Warp& warp, const Op& op) {
  const auto function = static_cast<MufuFunction>(op.mode[kFunction]);
  map1(warp, op, [=](std::uint32_t a) { return mufu(function, a); });
}

// One half in, one half out in the low bits.
void execute_mufu_half(Warp& warp, const Op& op) {
  const auto function = static_cast<MufuFunction>(op.mode[kFunction]);
  const bool bfloat = op.mode[kBfloat] != 0;
  Lanes halves;
  read_halves(warp, op.source[0], op.mode[kSources], halves);
  Lanes out;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t half = halves.lane[i] & 0xffff;
    out.lane[i] = bfloat ? mufu_bfloat(function, half) : mufu_half(function, half);
  }
  warp.set(op.destination[0], out, warp.unknown_of(op.source[0]));
}

}  // namespace

bool lower_mufu(Lowering& l, const read::Instruction& i, Op& op) {
  const auto function = mufu_named(i.modifier("function"));
  const auto operands = i.operands();
  if (!function || !sources_are_plain(i)) return false;
  op.destination[0] = l.destination(operands[0]);
  op.mode[kFunction] = static_cast<std::uint8_t>(*function);
  const std::string_view format = i.modifier("format");
  if (format.empty()) {
    op.source[0] = l.float_source(operands[1]);
    // A double's immediate is its high word, in the upper half of the value.
    if (operands[1].kind == read::Operand::Kind::kFloat &&
        operands[1].format == read::Operand::Format::kF64) {
      const auto high =
          static_cast<std::uint32_t>(static_cast<std::uint64_t>(operands[1].value) >> 32);
      op.source[0] = l.pooled({&high, 1});
    }
    op.execute = execute_mufu;
    return true;
  }
  if (format != "F16" && format != "BF16") return false;
  op.source[0] = l.float_source(operands[1]);
  op.mode[kBfloat] = format == "BF16";
  op.mode[kSources] = static_cast<std::uint8_t>((operands[1].suffix == "H1" ? kHighTwice : 0) |
                                                (operands[1].negated ? kHalvesNegated : 0) |
                                                (operands[1].absolute ? kHalvesAbsolute : 0));
  op.execute = execute_mufu_half;
  return true;
}

}  // namespace burin::emulate
