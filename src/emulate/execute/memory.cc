// Loads and stores of all spaces but constants, copies from global to shared memory, and the
// instructions that only order memory.
#include <algorithm>
#include <atomic>
#include <span>

#include "emulate/access/access.h"
#include "emulate/access/async_store.h"
#include "emulate/access/load_constant.h"
#include "emulate/state/block.h"
#include "emulate/state/lower.h"
#include "read/isa/traits.h"

namespace burin::emulate {

namespace {

constexpr std::size_t kUnwatchedMode = 5;  // a read that belongs to an atomic
constexpr std::size_t kFillMode = 6;       // LDGSTS: .ZFILL

BURIN_LANES void extend_sign(Lanes& value, unsigned bits) {
  const unsigned shift = 32 - bits;
  for (std::uint32_t& v : value.lane) {
    v = static_cast<std::uint32_t>(static_cast<std::int32_t>(v << shift) >> shift);
  }
}

void clear(Lanes* words, unsigned count) {
  for (unsigned k = 0; k < count; ++k) words[k] = {};
}

// Unknown words get a small number that goes with their place. Nothing is decided by it, but the
// addresses that follow from it lie to each other as they might: lanes that load one word go to one
// place, others to several.
void make_up(const Access& access, Loaded& out, unsigned count) {
  for (unsigned k = 0; k < count; ++k) {
    for_each_lane(out.unknown[k] & access.lanes, [&](unsigned i) {
      std::uint64_t mixed = (access.address[i] + 4 * k) * 0x9e3779b97f4a7c15u;
      mixed ^= mixed >> 29;
      out.words[k].lane[i] = static_cast<std::uint32_t>(mixed * 0xbf58476d1ce4e5b9u >> 56);
    });
  }
}

void execute_load(Warp& warp, const Op& op) {
  const auto space = static_cast<read::Space>(op.mode[kSpaceMode]);
  Access& access = begin_access(warp, op, {.space = space, .load = true});
  Lanes words[4];
  Loaded out{.words = words};
  const unsigned count = words_of(access.bytes);
  const Mask wanted = warp.get(op.predicate_in[0]) | warp.unknown_of(op.predicate_in[0]);
  access.lanes &= wanted;
  access.unknown &= wanted;
  const Mask lanes = check_alignment(warp, access);
  if (lanes != kAllLanes) clear(words, count);
  if (space == read::Space::kGeneric) {
    Parts parts;
    resolve(warp, access, parts);
    if (op.idle) return;
    for (unsigned p = 0; p < parts.count; ++p) {
      read_lanes(warp, *parts.part[p], lanes & parts.part[p]->lanes, out);
    }
  } else {
    if (op.idle) return;
    read_lanes(warp, access, lanes, out, op.mode[kUnwatchedMode] == 0);
  }
  if (op.mode[kSignedMode] != 0) extend_sign(words[0], 8u * access.bytes);
  if (space != read::Space::kShared && space != read::Space::kLocal) make_up(access, out, count);
  const Mask maybe = warp.unknown_of(op.predicate_in[0]);
  for (unsigned k = 0; k < count; ++k) {
    warp.set(slot_after(op.destination[0], k), words[k], out.unknown[k] | maybe);
  }
}

void execute_store(Warp& warp, const Op& op) {
  const auto space = static_cast<read::Space>(op.mode[kSpaceMode]);
  Access& access = begin_access(warp, op, {.space = space, .store = true});
  const Mask lanes = check_alignment(warp, access);
  if (op.idle && space != read::Space::kGeneric) return;
  std::array<const Lanes*, 4> words{};
  std::array<Mask, 4> unknown{};
  for (unsigned k = 0; k < words_of(access.bytes); ++k) {
    words[k] = &warp.plain(op.source[2], k);
    unknown[k] = warp.unknown_of(op.source[2], k);
  }
  if (space != read::Space::kGeneric) return write_lanes(warp, access, lanes, words, unknown);
  Parts parts;
  resolve(warp, access, parts);
  if (op.idle) return;
  for (unsigned p = 0; p < parts.count; ++p) {
    write_lanes(warp, *parts.part[p], lanes & parts.part[p]->lanes, words, unknown);
  }
}

// The copy happens at once, which is a legal order, since its duration is unspecified. Until its
// thread has waited for it, the watch over shared memory reports any use of the bytes. source[2]
// and `immediate`: the destination. The lanes whose predicate is false copy nothing and write
// zeros. With .ZFILL the address's low bits say how many of the bytes, from the end, are zeros
// instead.
void begin_copies(Warp& warp, const Access& to, Mask lanes) {
  SharedMemory& own = warp.block->shared;
  if (!warp.block->grid->options->check_shared) return;
  for_each_lane(lanes, [&](unsigned i) {
    const std::uint64_t at = to.address[i] & kWindowMask;
    if (shared_at(warp, to.address[i]) != &own || at + to.bytes > own.size()) return;
    own.copies().begin({.thread = kWarpLanes * warp.index + i,
                        .instruction = warp.pc,
                        .word = static_cast<std::uint32_t>(at / 4),
                        .words = words_of(to.bytes)});
  });
}

void execute_ldgsts(Warp& warp, const Op& op) {
  Access& from = begin_access(warp, op, {.space = read::Space::kGlobal, .load = true});
  Op target = op;
  target.source[0] = op.source[2];
  target.source[1] = op.source[3];
  target.offset = static_cast<std::int32_t>(op.immediate);
  target.mode[kAddressMode] = static_cast<std::uint8_t>(AddressForm::kNarrow);
  Access& to = begin_access(warp, target, {.space = read::Space::kShared, .store = true});
  const Mask maybe = warp.unknown_of(op.predicate_in[0]);
  from.lanes &= warp.get(op.predicate_in[0]) | maybe;
  from.unknown &= from.lanes;
  const unsigned count = words_of(from.bytes);
  const unsigned low = from.bytes - 1u;
  std::array<std::uint8_t, kWarpLanes> fill{};
  if (op.mode[kFillMode] != 0) {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      fill[i] = static_cast<std::uint8_t>(from.address[i] & low);
      from.address[i] &= ~std::uint64_t{low};
    }
  }
  if (op.idle) return;
  Lanes words[4];
  Loaded out{.words = words};
  const Mask lanes = check_alignment(warp, from);
  if (lanes != kAllLanes) clear(words, count);
  read_lanes(warp, from, lanes, out);
  std::array<const Lanes*, 4> sources{};
  for (unsigned k = 0; k < count; ++k) {
    sources[k] = &words[k];
    out.unknown[k] |= maybe;
    for (unsigned i = 0; i < kWarpLanes && op.mode[kFillMode] != 0; ++i) {
      const int left = static_cast<int>(from.bytes) - fill[i] - static_cast<int>(4 * k);
      if (left >= 4) continue;
      words[k].lane[i] &= left <= 0 ? 0 : (1u << 8 * left) - 1;
      if (left <= 0) out.unknown[k] &= ~(Mask{1} << i);
    }
  }
  const Mask written = check_alignment(warp, to);
  write_lanes(warp, to, written, sources, out.unknown);
  begin_copies(warp, to, written & ~in_doubt(warp));
}

// LDGDEPBAR closes a group of the lanes' copies, DEPBAR waits for all but the last few groups.
void execute_commit_copies(Warp& warp, const Op&) {
  warp.block->shared.copies().commit(warp.index, warp.exec);
}
void execute_wait_copies(Warp& warp, const Op& op) {
  warp.block->shared.copies().wait(warp.index, warp.exec, static_cast<std::uint32_t>(op.immediate));
}

void execute_fence(Warp&, const Op&) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

enum class Query : std::uint8_t { kGlobal, kLocal, kShared, kDistributed };

void execute_qspc(Warp& warp, const Op& op) {
  const Access& access = begin_access(warp, op, {.space = read::Space::kGeneric});
  warp.access_count = 0;  // nothing is read
  Mask in = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint64_t address = access.address[i];
    Query where = Query::kGlobal;
    if (address >> 32 == kLocalWindow >> 32) where = Query::kLocal;
    if (address >> 32 == kSharedWindow >> 32) {
      const std::uint64_t rank = (address & (kWindowBytes - 1)) >> kClusterShift;
      where = rank == warp.block->rank ? Query::kShared : Query::kDistributed;
    }
    in |= Mask{where == static_cast<Query>(op.mode[4])} << i;
  }
  warp.set_predicate(op.predicate_out[0], in, access.unknown);
}

bool is_memory(const read::Operand& o) {
  return o.kind == read::Operand::Kind::kMemory;
}

const read::Operand* memory_operand(const read::Instruction& i) {
  const auto found = std::ranges::find_if(i.operands(), is_memory);
  return found == i.operands().end() ? nullptr : &*found;
}

// Whether the value that the compare-and-swap expects is that of the register. Its address may be
// in a copy of the register that the load has it in.
bool compares_with(const read::Instruction& swap, std::uint16_t reg) {
  for (const read::Operand& o : swap.operands()) {
    if (o.written || is_memory(o)) continue;
    return o.is_register(read::RegisterFile::kGeneral) && o.index == reg;
  }
  return false;
}

// Atomics that the hardware lacks are a loop of a plain load, the operation and a compare-and-swap;
// the load is part of the atomic, and no race with another one.
bool belongs_to_atomic(const Lowering& l, const read::Instruction& load) {
  constexpr std::size_t kMaxApart = 24;
  const read::Operand* address = memory_operand(load);
  const auto loaded = std::ranges::find_if(load.operands(), [](const read::Operand& o) {
    return o.written && o.is_register(read::RegisterFile::kGeneral);
  });
  if (address == nullptr || loaded == load.operands().end()) return false;
  const std::vector<read::Instruction>& all = l.program().kernel->instructions;
  const std::size_t at = load.offset / 16;
  for (std::size_t k = at + 1; k < std::min(all.size(), at + kMaxApart); ++k) {
    const read::Instruction& i = all[k];
    const bool in_shared = read::is_returning_atomic(i) && i.opcode->space == read::Space::kShared;
    if (!in_shared || !i.modifier("operation").starts_with("CAS")) continue;
    if (compares_with(i, loaded->index)) return true;
    const read::Operand* other = memory_operand(i);
    if (other != nullptr && other->base == address->base && other->uniform == address->uniform &&
        other->value == address->value && other->scale == address->scale) {
      return true;
    }
  }
  return false;
}

// [>P,] >R, [address] [, P]
bool lower_load(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_width(i.modifier("width"), op)) return false;
  op.mode[kSpaceMode] = static_cast<std::uint8_t>(i.opcode->space);
  bool addressed = false;
  for (const read::Operand& o : i.operands()) {
    if (is_memory(o)) {
      addressed = lower_address(o, op);
    } else if (o.is_register(read::RegisterFile::kPredicate)) {
      if (o.written) {
        if (o.index != read::kZeroRegister) return false;
      } else {
        op.predicate_in[0] = l.predicate(o);
      }
    } else if (o.written) {
      op.destination[0] = l.destination(o);
    }
  }
  if (i.opcode->space == read::Space::kShared) op.mode[kUnwatchedMode] = belongs_to_atomic(l, i);
  op.execute = execute_load;
  return addressed;
}

// [address], R
bool lower_store(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_width(i.modifier("width"), op) || !lower_address(i.operands()[0], op)) return false;
  op.mode[kSpaceMode] = static_cast<std::uint8_t>(i.opcode->space);
  op.source[2] = l.source(i.operands()[1]);
  op.execute = execute_store;
  return true;
}

// [shared], [global], P
bool lower_ldgsts(Lowering& l, const read::Instruction& i, Op& op) {
  const auto operands = i.operands();
  if (!lower_width(i.modifier("width"), op) || op.mode[kBytesMode] < 4 ||
      !lower_address(operands[1], op) || !is_memory(operands[0])) {
    return false;
  }
  op.source[2] = register_source(operands[0].base, read::RegisterFile::kGeneral);
  op.source[3] = register_source(operands[0].uniform, read::RegisterFile::kUniform);
  op.immediate = static_cast<std::uint32_t>(operands[0].value);
  if (operands.size() > 2) op.predicate_in[0] = l.predicate(operands[2]);
  op.mode[kFillMode] = i.modifier("zfill") == "ZFILL";
  op.execute = execute_ldgsts;
  return true;
}

// SB, I[, scoreboards]. Only the form with .LE counts groups.
bool lower_depbar(Lowering&, const read::Instruction& i, Op& op) {
  op.execute = execute_nothing;
  if (i.modifier("le").empty()) return true;
  op.immediate = static_cast<std::uint32_t>(i.operands()[1].value);
  op.execute = execute_wait_copies;
  return true;
}

// >P, >R, [address]
bool lower_qspc(Lowering& l, const read::Instruction& i, Op& op) {
  static constexpr std::string_view kSpaces[] = {"G", "L", "S", "D"};
  const auto space = std::ranges::find(kSpaces, i.modifier("space"));
  const auto operands = i.operands();
  if (space == std::end(kSpaces) || operands[1].index != read::kZeroRegister) return false;
  op.mode[4] = static_cast<std::uint8_t>(space - std::begin(kSpaces));
  op.predicate_out[0] = l.predicate_destination(operands[0]);
  op.execute = execute_qspc;
  return lower_address(operands[2], op);
}

}  // namespace

std::span<const LowerRow> memory_rows() {
  static constexpr LowerRow kRows[] = {
      {"LD", lower_load},
      {"LDG", lower_load},
      {"LDS", lower_load},
      {"LDL", lower_load},
      {"ST", lower_store},
      {"STG", lower_store},
      {"STS", lower_store},
      {"STL", lower_store},
      {"STAS", lower_stas},
      {"LDC", lower_ldc},
      {"ULDC", lower_ldc},
      {"LDGSTS", lower_ldgsts},
      {"QSPC", lower_qspc},
      {"LDGDEPBAR", lower_plain<execute_commit_copies>},
      {"DEPBAR", lower_depbar},
      {"CCTL", lower_plain<execute_fence>},
      {"CCTLL", lower_plain<execute_nothing>},
      {"MEMBAR", lower_plain<execute_fence>},
      {"ERRBAR", lower_plain<execute_nothing>},
      {"CGAERRBAR", lower_plain<execute_nothing>},
      {"FENCE", lower_plain<execute_fence>},
  };
  return kRows;
}

}  // namespace burin::emulate
