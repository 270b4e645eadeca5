#include "emulate/access/async_store.h"

#include "emulate/access/bulk.h"

namespace burin::emulate {

namespace {

void execute_stas(Warp& warp, const Op& op) {
  Access& access = begin_async_access(warp, op, {.store = true});
  const Mask lanes = check_alignment(warp, access);
  std::array<const Lanes*, 4> words{};
  std::array<Mask, 4> unknown{};
  for (unsigned k = 0; k < words_of(access.bytes); ++k) {
    words[k] = &warp.plain(op.source[2], k);
    unknown[k] = warp.unknown_of(op.source[2], k);
  }
  write_lanes(warp, access, lanes, words, unknown);
  complete_bytes(warp, op, access, lanes);
}

}  // namespace

bool lower_async_address(const read::Operand& operand, Op& op) {
  // What a uniform register would be added to, no compiler of ours has shown.
  if (operand.uniform != read::Operand::kNoRegister || !lower_address(operand, op)) return false;
  op.mode[kAddressMode] = static_cast<std::uint8_t>(AddressForm::kNarrow);
  return true;
}

Access& begin_async_access(Warp& warp, const Op& op, AccessKind kind) {
  Access& access = begin_access(warp, op, kind);
  access.space = read::Space::kShared;  // set here: the rank in the address counts, even if it is 0
  return access;
}

void complete_bytes(Warp& warp, const Op& op, const Access& access, Mask lanes) {
  const Lanes& barriers = warp.plain(op.source[0], 1);
  if ((warp.unknown_of(op.source[0], 1) & lanes) != 0) {
    return warp.refuse("the mbarrier that it signals is Unknown");
  }
  bool going = true;
  for_each_lane(lanes, [&](unsigned i) {
    going = going && change_barrier(warp, place_of(warp, barriers[i]),
                                    {.bytes = -static_cast<std::int32_t>(access.bytes)});
  });
}

// [address and mbarrier], R
bool lower_stas(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_width(i.modifier("width"), op) || op.mode[kBytesMode] < 4 ||
      !lower_async_address(i.operands()[0], op)) {
    return false;
  }
  op.source[2] = l.source(i.operands()[1]);
  op.execute = execute_stas;
  return true;
}

}  // namespace burin::emulate
