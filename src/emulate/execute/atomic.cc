// Atomics and reductions in global, shared and generic memory, one lane after the other.
#include "emulate/numbers/atomic.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "emulate/access/access.h"
#include "emulate/access/async_store.h"
#include "emulate/access/bulk.h"
#include "emulate/state/block.h"
#include "emulate/state/lower.h"
#include "emulate/values/run_counts.h"

namespace burin::emulate {

namespace {

constexpr std::size_t kSwapMode = 5;   // a Swap
constexpr std::size_t kLocksMode = 6;  // programs build locks from it

enum class Swap : std::uint8_t {
  kNone,
  kCompare,  // CAS: source[2] is the compared value, source[3] the stored value
  kStore,    // CAST: the same, but the result says whether it did
};
// Op::immediate is the rule's number.

// An atomic on its way through the lanes. Arrays are per 32-bit word of a lane's value.
struct Atomic {
  const AtomicRule* rule;
  Swap swap;
  Warp* warp;
  const Op* op;
  std::array<const Lanes*, 4> operand{};
  std::array<const Lanes*, 4> compare{};
  std::array<Mask, 4> operand_unknown{};  // of the whole unit, at its first word
  std::array<Lanes, 4> before{};
  std::array<Mask, 4> unknown{};
  Mask outside = 0;
  Mask undefined = 0;
};

Atomic begin(Warp& warp, const Op& op) {
  Atomic a{.rule = &atomic_rule(op.immediate),
           .swap = static_cast<Swap>(op.mode[kSwapMode]),
           .warp = &warp,
           .op = &op};
  const Source& operand = op.source[a.swap == Swap::kNone ? 2 : 3];
  const unsigned words = a.rule->unit / 4u;
  for (unsigned k = 0; k < a.rule->bytes / 4u; ++k) {
    a.operand[k] = &warp.plain(operand, k);
    a.compare[k] = &warp.plain(op.source[2], k);
    Mask& unknown = a.operand_unknown[k / words * words];
    unknown |= in_doubt(warp) | warp.unknown_of(operand, k);
    if (a.swap != Swap::kNone) unknown |= warp.unknown_of(op.source[2], k);
  }
  return a;
}

std::uint64_t value_of(const std::array<const Lanes*, 4>& from, unsigned word, unsigned words,
                       unsigned lane) {
  std::uint64_t v = from[word]->lane[lane];
  if (words == 2) v |= std::uint64_t{from[word + 1]->lane[lane]} << 32;
  return v;
}

// The lane's bytes in units of 4 or 8; update(byte, unit, Update, Before) is the memory's.
template <typename Memory>
void update_units(Atomic& a, unsigned lane, Memory update) {
  const Mask bit = Mask{1} << lane;
  const unsigned words = a.rule->unit / 4u;
  for (unsigned k = 0; k < a.rule->bytes / 4u; k += words) {
    const Update u{.combine = a.rule->combine,
                   .operand = value_of(a.operand, k, words, lane),
                   .compare = a.swap == Swap::kNone ? 0 : value_of(a.compare, k, words, lane),
                   .replaces = a.rule->replaces,
                   .unknown = (a.operand_unknown[k] & bit) != 0};
    Before before;
    if (!update(4 * k, a.rule->unit, u, before)) {
      a.outside |= bit;
      return;
    }
    if (before.undefined) a.undefined |= bit;
    if (!before.same) a.warp->changed_by_atomic = true;
    if (a.swap == Swap::kStore) {
      // A loop around it repeats until it succeeds. If the outcome is Unknown, it succeeds.
      before.value = before.unknown || u.unknown || before.value == u.compare;
      before.unknown = false;
    }
    for (unsigned n = k; n < k + words; ++n) {
      a.before[n].lane[lane] = static_cast<std::uint32_t>(before.value >> 32 * (n - k));
      if (before.unknown) a.unknown[n] |= bit;
    }
  }
}

Datum datum_of(const Warp& warp, const Source& s, unsigned lane) {
  Datum d;
  for (unsigned k = 0; k < 4; ++k) {
    std::memcpy(d.bytes.data() + 4 * k, &warp.plain(s, k).lane[lane], 4);
    if (warp.unknown_of(s, k) >> lane & 1) {
      d.unknown = static_cast<std::uint16_t>(d.unknown | 0xf << 4 * k);
    }
  }
  return d;
}

// 16 bytes at once; update(Datum& before, function) is the memory's.
template <typename Memory>
void update_whole(Atomic& a, unsigned lane, Memory update) {
  const Warp& warp = *a.warp;
  const bool swap = a.swap != Swap::kNone;
  const Datum compare = datum_of(warp, a.op->source[2], lane);
  Datum operand = swap ? datum_of(warp, a.op->source[3], lane) : compare;
  if ((in_doubt(warp) >> lane & 1) != 0) operand.unknown = 0xffff;
  Datum before;
  const bool inside = update(before, [&](const Datum& old) {
    if (!swap) return operand;
    Datum next = old.bytes == compare.bytes ? operand : old;
    if (((old.unknown | compare.unknown) != 0) || operand.unknown == 0xffff) next.unknown = 0xffff;
    return next;
  });
  if (!inside) {
    a.outside |= Mask{1} << lane;
    return;
  }
  a.warp->changed_by_atomic = true;
  if (before.undefined != 0) a.undefined |= Mask{1} << lane;
  for (unsigned k = 0; k < 4; ++k) {
    std::memcpy(&a.before[k].lane[lane], before.bytes.data() + 4 * k, 4);
    if ((before.unknown >> 4 * k & 0xf) != 0) a.unknown[k] |= Mask{1} << lane;
  }
}

// A counter with unknown contents starts at zero, as programs usually leave it: queues of tiles,
// tickets of the last block. The access counts as dependent on Unknown values.
void start_at_zero(Warp& warp, std::uint64_t address, unsigned size, const Update& u,
                   Before& before) {
  Datum first;
  std::memcpy(first.bytes.data(), &u.operand, size);
  warp.block->grid->memory->write(address, size, first);
  before.value = 0;
  before.unknown = false;
  before.undefined = false;
  ++warp.unknown_count->accesses;
}

void update_global(Atomic& a, const Access& access, Mask lanes) {
  Grid& grid = *a.warp->block->grid;
  GlobalMemory& memory = *grid.memory;
  const bool watched = grid.counters != nullptr && a.op->destination[0] != kSinkSlot;
  const bool increments = watched && a.rule->operation == "INC";
  const bool counted = increments || (watched && a.rule->operation == "ADD" && !a.rule->is_float);
  memory.expect(access.address.data(), lanes);
  for_each_lane(lanes, [&](unsigned i) {
    const std::uint64_t address = access.address[i];
    if (a.rule->combine == nullptr) {
      return update_whole(a, i, [&](Datum& before, const auto& next) {
        return memory.update(address, 16, before, next) == MemoryStatus::kDone;
      });
    }
    update_units(a, i, [&](unsigned byte, unsigned size, Update u, Before& before) {
      if (!counted) return memory.update(address + byte, size, u, before) == MemoryStatus::kDone;
      if (increments && grid.add_copies > 1) {
        u.combine = find_atomic("ADD", "")->combine;  // as if the limit were far
        u.operand = 1;
      }
      if (!increments || grid.add_copies > 1) u.operand *= grid.next_copies();
      if (memory.update(address + byte, size, u, before) != MemoryStatus::kDone) return false;
      if (before.unknown && !u.unknown) start_at_zero(*a.warp, address + byte, size, u, before);
      grid.counters->try_emplace(address + byte, CounterWord{before.value, size});
      return true;
    });
  });
}

void update_shared(Atomic& a, const Access& access, Mask lanes) {
  Warp& warp = *a.warp;
  Mask own = 0;
  std::array<std::uint64_t, kWarpLanes> within;
  for_each_lane(lanes, [&](unsigned i) {
    SharedMemory* memory = shared_at(warp, access.address[i]);
    within[i] = access.address[i] & kWindowMask;
    if (memory == nullptr) {
      a.outside |= Mask{1} << i;
      return;
    }
    own |= Mask{memory == &warp.block->shared} << i;
    if (a.rule->combine == nullptr) {
      return update_whole(a, i, [&](Datum& before, const auto& next) {
        return memory->read(within[i], 16, before) && memory->write(within[i], 16, next(before));
      });
    }
    update_units(a, i, [&](unsigned byte, unsigned size, const Update& u, Before& before) {
      return memory->update(within[i] + byte, size, u, before);
    });
  });
  own &= ~a.outside;
  watch_shared(warp, access, within.data(), own, SharedUse::kAtomic);
  if (a.op->mode[kLocksMode] == 0 || !warp.block->grid->options->check_shared) return;
  std::uint64_t last = ~std::uint64_t{0};
  for_each_lane(own, [&](unsigned i) {
    if (within[i] == last) return;
    last = within[i];
    warp.block->shared.watch().synchronise(static_cast<std::uint32_t>(last / 4), warp.index,
                                           warp.clock);
  });
}

void update_part(Atomic& a, const Access& access, Mask lanes) {
  a.outside = a.undefined = 0;
  if (access.space == read::Space::kShared) {
    update_shared(a, access, lanes);
  } else {
    update_global(a, access, lanes);
  }
  if (a.outside != 0) report_outside(*a.warp, access, a.outside);
  if (!a.warp->block->grid->options->check_shared && access.space == read::Space::kShared) return;
  if (a.undefined != 0) report_undefined(*a.warp, access, a.undefined);
}

void execute_atomic(Warp& warp, const Op& op) {
  const auto space = static_cast<read::Space>(op.mode[kSpaceMode]);
  Access& access =
      begin_access(warp, op, {.space = space, .load = true, .store = true, .atomic = true});
  const Mask lanes = check_alignment(warp, access);
  Atomic a = begin(warp, op);
  Mask done = lanes;
  Mask nothing = access.lanes & ~lanes;  // lanes whose old value is Unknown
  if (space != read::Space::kGeneric) {
    update_part(a, access, lanes);
    nothing |= a.outside;
  } else {
    Parts parts;
    resolve(warp, access, parts);
    for (unsigned p = 0; p < parts.count; ++p) {
      const Access& part = *parts.part[p];
      const Mask here = lanes & part.lanes;
      // Only global memory has units that add floats. The following code tests the predicate and
      // adds in another way.
      if (part.space == read::Space::kLocal ||
          (part.space == read::Space::kShared && a.rule->is_float)) {
        done &= ~here;
        if (!a.rule->is_float) report_outside(warp, part, here);
        continue;
      }
      update_part(a, part, here);
      nothing |= a.outside;
    }
  }
  warp.set_predicate(op.predicate_out[0], done, access.unknown);
  for (unsigned k = 0; k < a.rule->bytes / 4u; ++k) {
    warp.set(slot_after(op.destination[0], k), a.before[k], a.unknown[k] | nothing);
  }
}

void execute_redas(Warp& warp, const Op& op) {
  const Access& access =
      begin_async_access(warp, op, {.load = true, .store = true, .atomic = true});
  const Mask lanes = check_alignment(warp, access);
  Atomic a = begin(warp, op);
  update_part(a, access, lanes);
  complete_bytes(warp, op, access, lanes);
}

Swap swap_of(std::string_view operation) {
  if (operation == "CAS") return Swap::kCompare;
  return operation.starts_with("CAST") ? Swap::kStore : Swap::kNone;
}

// [>P,] [>R,] [address] [, R [, R]]
bool lower_atomic(Lowering& l, const read::Instruction& i, Op& op) {
  const std::string_view operation = i.modifier("operation");
  if (operation == "ARRIVE")
    return i.opcode->space == read::Space::kShared && lower_atoms_arrive(l, i, op);
  const bool counts = operation == "POPC.INC";  // adds the number of lanes at each address
  const AtomicRule* rule = find_atomic(counts ? "ADD" : operation, i.modifier("type"));
  if (rule == nullptr) return false;
  const Swap swap = swap_of(operation);
  op.immediate = atomic_number(*rule);
  op.mode[kBytesMode] = rule->bytes;
  op.mode[kSpaceMode] = static_cast<std::uint8_t>(i.opcode->space);
  op.mode[kSwapMode] = static_cast<std::uint8_t>(swap);
  op.mode[kLocksMode] = swap == Swap::kCompare || operation == "EXCH";
  std::size_t next = 2;
  bool addressed = false;
  for (const read::Operand& o : i.operands()) {
    if (o.kind == read::Operand::Kind::kMemory) {
      addressed = lower_address(o, op);
    } else if (o.is_register(read::RegisterFile::kPredicate)) {
      op.predicate_out[0] = l.predicate_destination(o);
    } else if (o.written) {
      op.destination[0] = l.destination(o);
    } else {
      if (next == op.source.size()) return false;
      op.source[next++] = l.source(o);
    }
  }
  if (counts) {
    // What a lane would get back of a count that lanes share is not known to us.
    if (op.destination[0] != kSinkSlot) return false;
    const std::uint32_t one = 1;
    op.source[next++] = l.pooled({&one, 1});
  }
  op.execute = execute_atomic;
  return addressed && next == (swap == Swap::kNone ? 3u : 4u);
}

// [address and mbarrier], R
bool lower_redas(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_atomic(l, i, op) || !lower_async_address(i.operands()[0], op)) return false;
  op.execute = execute_redas;
  return true;
}

}  // namespace

std::span<const LowerRow> atomic_rows() {
  static constexpr LowerRow kRows[] = {
      {"ATOM", lower_atomic}, {"ATOMG", lower_atomic}, {"ATOMS", lower_atomic},
      {"RED", lower_atomic},  {"REDG", lower_atomic},  {"REDAS", lower_redas},
  };
  return kRows;
}

}  // namespace burin::emulate
