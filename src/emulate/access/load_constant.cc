#include "emulate/access/load_constant.h"

#include <bit>

#include "base/format.h"
#include "emulate/access/access.h"
#include "emulate/state/warp.h"

namespace burin::emulate {

namespace {

constexpr std::size_t kBankMode = 4;
constexpr std::uint8_t kVariableBank = 3;  // where the compiler puts __constant__ variables

// c[bank][offset]: the words are known when lowered.
void execute_pooled(Warp& warp, const Op& op) {
  for (unsigned k = 0; k < op.mode[kBytesMode] / 4u; ++k) {
    warp.set(slot_after(op.destination[0], k), warp.plain(op.source[0], k),
             warp.unknown_of(op.source[0], k));
  }
}

// Up to 4 bytes; those beyond the bank's end are zero.
ConstantMemory::Word read(const ConstantMemory::Bank& bank, std::uint32_t offset, unsigned size) {
  ConstantMemory::Word word;
  for (unsigned k = 0; k < size && std::uint64_t{offset} + k < bank.bytes.size(); ++k) {
    word.value |= std::uint32_t{bank.bytes[offset + k]} << 8 * k;
    if (!bank.unknown.empty() && bank.unknown[offset + k]) word.unknown = true;
  }
  return word;
}

// Reads past the last of the module's __constant__ variables. A GPU's bank continues there, with
// undefined contents.
void check_end(Warp& warp, const Access& access, const ConstantMemory::Bank& bank) {
  Mask outside = 0;
  for_each_lane(access.lanes & ~access.unknown, [&](unsigned i) {
    const std::uint64_t at = static_cast<std::uint32_t>(access.address[i]);
    outside |= Mask{at + access.bytes > bank.bytes.size()} << i;
  });
  if (outside == 0) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(outside));
  warp.fault(Fault::Kind::kOutOfBounds, lane, static_cast<std::uint32_t>(access.address[lane]),
             access.bytes,
             fmt::format("past the end of the module's __constant__ variables ({} bytes)",
                         bank.bytes.size()),
             static_cast<std::uint64_t>(std::popcount(outside)));
}

// c[bank][register + offset].
void execute_indexed(Warp& warp, const Op& op) {
  Access& access = begin_access(warp, op, {.space = read::Space::kConstant, .load = true});
  if (op.uniform) access.lanes = warp.exec & (0 - warp.exec);  // one access for all lanes
  const auto& banks = warp.program->constants.banks;
  const auto found = banks.find(op.mode[kBankMode]);
  static const ConstantMemory::Bank kEmpty;
  const ConstantMemory::Bank& bank = found == banks.end() ? kEmpty : found->second;
  const unsigned size = access.bytes < 4 ? access.bytes : 4;
  Lanes words[4];
  Mask unknown[4] = {};
  for (unsigned k = 0; k < words_of(access.bytes); ++k) {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      const ConstantMemory::Word w =
          read(bank, static_cast<std::uint32_t>(access.address[i]) + 4 * k, size);
      words[k].lane[i] = w.value;
      unknown[k] |= Mask{w.unknown} << i;
    }
  }
  if (op.mode[kSignedMode] != 0) {
    const unsigned shift = 32 - 8 * size;
    for (std::uint32_t& v : words[0].lane) {
      v = static_cast<std::uint32_t>(static_cast<std::int32_t>(v << shift) >> shift);
    }
  }
  const Mask where = warp.unknown_of(op.source[0]);
  if (op.mode[kBankMode] == kVariableBank) check_end(warp, access, bank);
  for (unsigned k = 0; k < words_of(access.bytes); ++k) {
    warp.set(slot_after(op.destination[0], k), words[k], unknown[k] | where);
  }
}

}  // namespace

// >R, c[bank][register + offset]
bool lower_ldc(Lowering& l, const read::Instruction& i, Op& op) {
  const read::Operand& constant = i.operands()[1];
  // A bank named by a register, and modes of indexing that no compiler of ours has shown.
  if (constant.kind != read::Operand::Kind::kConstant ||
      constant.descriptor != read::Operand::kNoRegister || !i.modifier("mode").empty() ||
      !lower_width(i.modifier("width"), op)) {
    return false;
  }
  op.destination[0] = l.destination(i.operands()[0]);
  const bool uniform = constant.uniform != read::Operand::kNoRegister;
  const std::uint16_t index = uniform ? constant.uniform : constant.base;
  const bool indexed = index != read::Operand::kNoRegister && index != read::kZeroRegister;
  const std::uint8_t bytes = op.mode[kBytesMode];
  if (!indexed && (bytes == 4 || bytes == 8)) {
    op.source[0] = bytes == 4 ? l.source(constant) : l.wide_source(constant);
    op.execute = execute_pooled;
    return true;
  }
  op.source[0] =
      register_source(index, uniform ? read::RegisterFile::kUniform : read::RegisterFile::kGeneral);
  op.offset = constant.value;
  op.mode[kBankMode] = constant.bank;
  op.execute = execute_indexed;
  return true;
}

}  // namespace burin::emulate
