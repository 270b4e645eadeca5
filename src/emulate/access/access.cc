#include "emulate/access/access.h"

#include <bit>
#include <utility>

#include "emulate/access/local.h"
#include "emulate/state/block.h"
#include "emulate/state/grid.h"

namespace burin::emulate {

namespace {

BURIN_LANES void wide_addresses(const Lanes& low, const Lanes& high, std::uint64_t add,
                                std::uint64_t* out) {
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out[i] = (low.lane[i] | std::uint64_t{high.lane[i]} << 32) + add;
  }
}

BURIN_LANES void narrow_addresses(const Lanes& base, unsigned shift, std::uint32_t add,
                                  std::uint64_t* out) {
  for (unsigned i = 0; i < kWarpLanes; ++i) out[i] = (base.lane[i] << shift) + add;
}

BURIN_LANES void extended_addresses(const Lanes& base, std::uint64_t add, std::uint64_t* out) {
  for (unsigned i = 0; i < kWarpLanes; ++i) out[i] = base.lane[i] + add;
}

// A plain shared address means the block's own memory; compilers put the block's rank in the upper
// bits or leave them 0.
void own_window(const Warp& warp, Access& a) {
  const Block& block = *warp.block;
  if (block.cluster == nullptr || block.cluster->blocks.size() <= 1) return;
  const std::uint64_t rank = block.rank;
  for (std::uint64_t& address : a.address) {
    if (address >> kClusterShift == 0) address |= rank << kClusterShift;
  }
}

// Calls visit(shared memory or null, lanes, addresses in its window) for every block that the lanes
// address.
template <typename Visit>
void for_each_block(Warp& warp, const Access& access, Mask lanes, Visit visit) {
  const Block& block = *warp.block;
  if (block.cluster == nullptr || block.cluster->blocks.size() <= 1) {
    return visit(&warp.block->shared, lanes, access.address.data());
  }
  std::array<std::uint64_t, kWarpLanes> within;
  for (unsigned i = 0; i < kWarpLanes; ++i) within[i] = access.address[i] & kWindowMask;
  while (lanes != 0) {
    const std::uint64_t rank = access.address[std::countr_zero(lanes)] >> kClusterShift;
    Mask same = 0;
    for_each_lane(
        lanes, [&](unsigned i) { same |= Mask{access.address[i] >> kClusterShift == rank} << i; });
    visit(shared_at(warp, access.address[std::countr_zero(lanes)]), same, within.data());
    lanes &= ~same;
  }
}

}  // namespace

Source register_source(std::uint16_t index, read::RegisterFile file) {
  if (index == read::kZeroRegister || index == read::Operand::kNoRegister) return {};
  const unsigned slot = file == read::RegisterFile::kUniform ? kUniformSlot + index : index;
  return {.slot = static_cast<std::uint16_t>(slot)};
}

bool lower_address(const read::Operand& o, Op& op) {
  if (o.kind != read::Operand::Kind::kMemory) return false;
  op.source[0] = register_source(o.base, read::RegisterFile::kGeneral);
  op.source[1] = register_source(o.uniform, read::RegisterFile::kUniform);
  op.offset = o.value;
  AddressForm form = o.base_count == 2 ? AddressForm::kWide : AddressForm::kNarrow;
  if (o.scale == "U32") form = AddressForm::kExtended;
  if (o.scale == "X4") op.mode[kScaleMode] = 2;
  if (o.scale == "X8") op.mode[kScaleMode] = 3;
  if (o.scale == "X16") op.mode[kScaleMode] = 4;
  op.mode[kAddressMode] = static_cast<std::uint8_t>(form);
  return true;
}

bool lower_width(std::string_view width, Op& op) {
  struct Row {
    std::string_view width;
    std::uint8_t bytes;
    bool is_signed;
  };
  static constexpr Row kRows[] = {{"", 4, false},    {"U8", 1, false},  {"S8", 1, true},
                                  {"U16", 2, false}, {"S16", 2, true},  {"32", 4, false},
                                  {"64", 8, false},  {"128", 16, false}};
  for (const Row& row : kRows) {
    if (row.width != width) continue;
    op.mode[kBytesMode] = row.bytes;
    op.mode[kSignedMode] = row.is_signed;
    return true;
  }
  return false;
}

Access& begin_access(Warp& warp, const Op& op, AccessKind kind) {
  Access& a = warp.accesses[warp.access_count++];
  a.space = kind.space;
  a.load = kind.load;
  a.store = kind.store;
  a.atomic = kind.atomic;
  a.bytes = op.mode[kBytesMode];
  a.lanes = warp.exec;
  const Source& base = op.source[0];
  const Source& uniform = op.source[1];
  std::uint64_t add = static_cast<std::uint64_t>(op.offset);
  Mask unknown = warp.unknown_of(base);
  if (uniform.slot != kZeroSlot) {
    add += warp.plain(uniform)[0];
    unknown |= warp.unknown_of(uniform);
  }
  const auto form = static_cast<AddressForm>(op.mode[kAddressMode]);
  if (form != AddressForm::kNarrow && uniform.slot != kZeroSlot) {
    add += std::uint64_t{warp.plain(uniform, 1)[0]} << 32;
    unknown |= warp.unknown_of(uniform, 1);
  }
  switch (form) {
    case AddressForm::kNarrow:
      narrow_addresses(warp.plain(base), op.mode[kScaleMode], static_cast<std::uint32_t>(add),
                       a.address.data());
      break;
    case AddressForm::kWide:
      unknown |= warp.unknown_of(base, 1);
      wide_addresses(warp.plain(base), warp.plain(base, 1), add, a.address.data());
      break;
    case AddressForm::kExtended:
      extended_addresses(warp.plain(base), add, a.address.data());
      break;
  }
  a.unknown = unknown & a.lanes;
  if (kind.space == read::Space::kShared) own_window(warp, a);
  return a;
}

void resolve(Warp& warp, Access& access, Parts& parts) {
  constexpr std::uint64_t kShared = kSharedWindow >> 32;
  constexpr std::uint64_t kLocal = kLocalWindow >> 32;
  static_assert(kWindowBytes == std::uint64_t{1} << 32);
  Mask shared = 0;
  Mask local = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    shared |= Mask{access.address[i] >> 32 == kShared} << i;
    local |= Mask{access.address[i] >> 32 == kLocal} << i;
  }
  // Who does not know the address says global, where most of them are.
  const Mask known = access.lanes & ~access.unknown;
  const std::array<std::pair<read::Space, Mask>, 3> spaces{{{read::Space::kShared, known & shared},
                                                            {read::Space::kLocal, known & local},
                                                            {read::Space::kGlobal, 0}}};
  Mask left = access.lanes;
  for (auto [space, lanes] : spaces) {
    if (space == read::Space::kGlobal) lanes = left;
    if (lanes == 0) continue;
    Access* part = &access;
    if (lanes != left) {
      part = parts.count == 0 ? &warp.accesses[warp.access_count++] : &parts.spare;
      *part = access;
    }
    part->space = space;
    part->lanes = lanes;
    part->unknown &= lanes;
    if (space != read::Space::kGlobal) {
      for (std::uint64_t& address : part->address) address &= kWindowBytes - 1;
    }
    parts.part[parts.count++] = part;
    left &= ~lanes;
  }
}

SharedMemory* shared_at(Warp& warp, std::uint64_t address) {
  const std::uint64_t rank = address >> kClusterShift;
  Block& block = *warp.block;
  if (block.cluster == nullptr || block.cluster->blocks.size() <= 1) {
    return rank == 0 ? &block.shared : nullptr;
  }
  return rank < block.cluster->blocks.size() ? &block.cluster->blocks[rank]->shared : nullptr;
}

void read_lanes(Warp& warp, const Access& access, Mask lanes, Loaded& out, bool watched) {
  WarpLoad l{.address = access.address.data(),
             .lanes = lanes,
             .bytes = access.bytes,
             .words = out.words,
             .unknown = out.unknown};
  switch (access.space) {
    case read::Space::kGlobal:
      warp.block->grid->memory->load(l);
      break;
    case read::Space::kLocal:
      load_local(warp, l);
      break;
    default:
      for_each_block(warp, access, lanes,
                     [&](SharedMemory* memory, Mask same, const std::uint64_t* address) {
                       if (memory == nullptr) {
                         l.outside |= same;
                         return;
                       }
                       l.lanes = same;
                       l.address = address;
                       memory->load(l);
                       if (memory == &warp.block->shared && watched) {
                         watch_shared(warp, access, address, same & ~l.outside, SharedUse::kRead);
                       }
                     });
      if (!warp.block->grid->options->check_shared) l.undefined = 0;
  }
  if ((l.outside | l.undefined) != 0) [[unlikely]] {
    if (l.outside != 0) report_outside(warp, access, l.outside);
    Mask read = 0;  // lanes with an undefined word that matters
    for (unsigned k = 0; k < words_of(access.bytes); ++k) {
      if ((warp.program->unread[warp.pc] >> k & 1) == 0) read |= l.unknown[k];
    }
    if ((l.undefined & read) != 0) report_undefined(warp, access, l.undefined & read);
  }
  const Mask bad = l.outside | (access.lanes & ~lanes);
  for (unsigned k = 0; k < words_of(access.bytes); ++k) out.unknown[k] = l.unknown[k] | bad;
}

void write_lanes(Warp& warp, const Access& access, Mask lanes,
                 const std::array<const Lanes*, 4>& words, const std::array<Mask, 4>& unknown) {
  WarpStore s{.address = access.address.data(),
              .lanes = lanes,
              .bytes = access.bytes,
              .words = words,
              .unknown = unknown};
  if (const Mask doubt = in_doubt(warp); doubt != 0) [[unlikely]] {
    for (Mask& u : s.unknown) u |= doubt;
  }
  switch (access.space) {
    case read::Space::kGlobal:
      warp.block->grid->memory->store(s);
      break;
    case read::Space::kLocal:
      store_local(warp, s);
      break;
    default:
      for_each_block(warp, access, lanes,
                     [&](SharedMemory* memory, Mask same, const std::uint64_t* address) {
                       if (memory == nullptr) {
                         s.outside |= same;
                         return;
                       }
                       s.lanes = same;
                       s.address = address;
                       memory->store(s);
                       if (memory == &warp.block->shared) {
                         watch_shared(warp, access, address, same & ~s.outside, SharedUse::kWrite);
                       }
                     });
  }
  if (s.outside != 0) [[unlikely]]
    report_outside(warp, access, s.outside);
}

}  // namespace burin::emulate
