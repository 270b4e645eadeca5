// mbarriers (SYNCS), and the arrivals of LDGSTS on them (ARRIVES).
#include <algorithm>
#include <bit>

#include "base/format.h"
#include "emulate/access/bulk.h"
#include "emulate/state/grid.h"

namespace burin::emulate {

namespace {

constexpr std::uint32_t kTokenMask = 0xfffff800;  // phase and arrivals pending, of the upper word

Lanes addresses_of(const Warp& warp, const Op& op) {
  Lanes out;
  const Lanes& base = warp.plain(op.source[0]);
  const Lanes& uniform = warp.plain(op.source[1]);
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    out[i] = base[i] + uniform[i] + static_cast<std::uint32_t>(op.offset);
  }
  return out;
}

bool address_unknown(Warp& warp, const Op& op) {
  if (((warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1])) & warp.exec) == 0) {
    return false;
  }
  warp.refuse("the mbarrier address is Unknown");
  return true;
}

void tell_access(Warp& warp, const Lanes& address, bool store) {
  Access& access = warp.accesses[warp.access_count++];
  access.space = read::Space::kShared;
  access.load = true;
  access.store = store;
  access.atomic = true;
  access.bytes = kBarrierBytes;
  access.lanes = warp.exec;
  access.unknown = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) access.address[i] = address[i];
}

enum Count : std::uint8_t { kNothing, kOne, kRegister, kMinusRegister, kMinusOne };
// mode[0]: arrivals, mode[1]: bytes, both a Count; mode[2]: who arrives drops out; mode[3]: the
// lanes that arrive together are the low word of the result. source[2]: the register.
//
// The lanes that name one barrier arrive together. Their result is the previous upper word; the
// lower word of the result is not written.
void execute_arrive(Warp& warp, const Op& op) {
  if (address_unknown(warp, op)) return;
  if ((op.mode[0] == kRegister || op.mode[1] >= kRegister) &&
      (warp.unknown_of(op.source[2]) & warp.exec) != 0) {
    return warp.refuse("the mbarrier arrival count is Unknown");
  }
  const Lanes address = addresses_of(warp, op);
  const Lanes& value = warp.plain(op.source[2]);
  const auto counted = [&](std::uint8_t how, unsigned lane) -> std::int64_t {
    switch (how) {
      case kOne:
        return 1;
      case kMinusOne:
        return -1;
      case kRegister:
        return value[lane];
      case kMinusRegister:
        return -std::int64_t{value[lane]};
      default:
        return 0;
    }
  };
  Lanes state;
  Lanes together;
  Mask left = warp.exec;
  while (left != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(left));
    Mask group = 0;
    std::int64_t arrivals = 0;
    std::int64_t bytes = 0;
    for_each_lane(left, [&](unsigned lane) {
      if (address[lane] != address[first]) return;
      group |= Mask{1} << lane;
      arrivals += counted(op.mode[0], lane);
      bytes += counted(op.mode[1], lane);
    });
    left &= ~group;
    const SharedPlace place = place_of(warp, address[first]);
    Mbarrier before;
    if (!read_barrier(warp, place, before)) return;
    // What does not fit in 32 bits does not fit the barrier either.
    const BarrierChange change{
        .arrivals = static_cast<std::uint32_t>(std::min<std::int64_t>(arrivals, 0x7fffffff)),
        .bytes = static_cast<std::int32_t>(std::clamp<std::int64_t>(bytes, -0x400000, 0x400000)),
        .drop = op.mode[2] != 0};
    if (!change_barrier(warp, place, change)) return;
    for_each_lane(group, [&](unsigned lane) {
      state[lane] = static_cast<std::uint32_t>(pack(before) >> 32) & kTokenMask;
      together[lane] = group;
    });
  }
  tell_access(warp, address, true);
  if (op.destination[0] == kSinkSlot) return;
  if (op.mode[3] != 0) warp.set(op.destination[0], together, 0);
  warp.set(slot_after(op.destination[0], 1), state, 0);
}

// ATOMS.ARRIVE.64 and ARRIVES before sm_90: each lane adds one to the upper word, whose highest bit
// is the phase; the lower word has its initial count. Lanes get the word before their own arrival.
void execute_arrive_sm80(Warp& warp, const Op& op) {
  if (address_unknown(warp, op)) return;
  const Lanes address = addresses_of(warp, op);
  Lanes low;
  Lanes high;
  bool failed = false;
  for_each_lane(warp.exec, [&](unsigned lane) {
    const SharedPlace place{warp.block, address[lane]};
    Datum d;
    failed = failed || !read_barrier_bytes(warp, place, d);
    if (failed) return;
    const std::uint64_t before = barrier_word(d);
    const std::uint64_t after = arrive_sm80(before);
    write_barrier_word(place, after);
    low[lane] = static_cast<std::uint32_t>(before);
    high[lane] = static_cast<std::uint32_t>(before >> 32);
  });
  if (failed) return;
  tell_access(warp, address, true);
  warp.set(op.destination[0], low, 0);
  warp.set(slot_after(op.destination[0], 1), high, 0);
}

// ARRIVES: the barrier's phase ends when the lanes' copies are there, and who waits for it has
// waited for them.
void execute_arrive_of_copies(Warp& warp, const Op& op) {
  warp.block->shared.copies().finish(warp.index, warp.exec);
  execute_arrive(warp, op);
}
void execute_arrive_of_copies_sm80(Warp& warp, const Op& op) {
  warp.block->shared.copies().finish(warp.index, warp.exec);
  execute_arrive_sm80(warp, op);
}

// True where the barrier's phase is no longer that of the upper word in source[2]: a state that
// arrive gave, or a parity in the highest bit. mode[0]: wait for it (TRYWAIT may give up in
// hardware; here it waits as long as no lane's phase is over).
void execute_phase_check(Warp& warp, const Op& op) {
  if (address_unknown(warp, op)) return;
  if ((warp.unknown_of(op.source[2]) & warp.exec) != 0) {
    return warp.refuse("the mbarrier phase is Unknown");
  }
  const Lanes address = addresses_of(warp, op);
  const Lanes& token = warp.plain(op.source[2]);
  Mask over = 0;
  bool failed = false;
  for_each_lane(warp.exec, [&](unsigned lane) {
    Mbarrier barrier;
    if (failed || !read_barrier(warp, place_of(warp, address[lane]), barrier)) {
      failed = true;
      return;
    }
    if (barrier.phase != (token[lane] >> 31 != 0)) over |= Mask{1} << lane;
  });
  if (failed) return;
  if (over == 0 && op.mode[0] != 0) {
    warp.retry = true;
    return;
  }
  for_each_lane(over, [&](unsigned lane) {
    const SharedPlace place = place_of(warp, address[lane]);
    if (place.block != warp.block) return;
    const auto clock = warp.block->mbarrier_clocks.find(place.address);
    if (clock != warp.block->mbarrier_clocks.end()) join(warp.clock, clock->second.passed);
  });
  tell_access(warp, address, false);
  warp.set_predicate(op.predicate_out[0], over, 0);
}

// source[2]: the 64-bit word that takes the old one's place. mbarrier.init is one of these.
void execute_exchange(Warp& warp, const Op& op) {
  if (address_unknown(warp, op)) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(warp.exec));
  const Lanes address = addresses_of(warp, op);
  const SharedPlace place = place_of(warp, address[lane]);
  Datum before;
  if (place.block == nullptr || !place.block->shared.read(place.address, kBarrierBytes, before)) {
    return warp.refuse(fmt::format("no shared memory at {:#x}", address[lane]));
  }
  if (((warp.unknown_of(op.source[2]) | warp.unknown_of(op.source[2], 1)) & warp.exec) != 0) {
    return warp.refuse("the mbarrier operands are Unknown");
  }
  write_barrier_word(place, warp.plain(op.source[2])[lane] |
                                std::uint64_t{warp.plain(op.source[2], 1)[lane]} << 32);
  place.block->mbarrier_clocks.erase(place.address);
  tell_access(warp, address, true);
  // A uniform register: the value is in all lanes.
  if (op.destination[0] == kSinkSlot) return;
  for (unsigned k = 0; k < 2; ++k) {
    const std::uint16_t slot = slot_after(op.destination[0], k);
    const auto half = static_cast<std::uint32_t>(barrier_word(before) >> (32 * k));
    for (std::uint32_t& value : warp.slots[slot].lane) value = half;
    warp.unknown[slot] = before.unknown != 0 ? kAllLanes : 0;
    if (warp.forked != 0) warp.note_write(slot);
  }
}

// mbarrier.inval: the hardware writes the word back to shared memory, where we always have it.
void execute_invalidate(Warp& warp, const Op& op) {
  if (address_unknown(warp, op)) return;
  tell_access(warp, addresses_of(warp, op), true);
}

struct CountName {
  std::string_view name;
  std::uint8_t arrivals;
  std::uint8_t bytes;
};
constexpr CountName kCountNames[] = {
    {"", kOne, kRegister},
    {"A1T0", kOne, kNothing},
    {"A0T1", kNothing, kOne},
    {"A0TR", kNothing, kRegister},
    {"A0TX", kNothing, kMinusRegister},
    {"ART0", kRegister, kNothing},
};

bool lower_arrive(Lowering& l, const read::Instruction& i, Op& op) {
  const CountName* count = nullptr;
  for (const CountName& c : kCountNames)
    if (c.name == i.modifier("count")) count = &c;
  if (count == nullptr || i.operands().size() < 3) return false;
  op.mode[0] = count->arrivals;
  op.mode[1] = count->bytes;
  op.mode[2] = i.modifier("optout").empty() ? 0 : 1;
  op.mode[3] = i.modifier("mode") == "TMASK" ? 1 : 0;
  op.destination[0] = l.destination(i.operands()[0]);
  lower_shared_address(i.operands()[1], op);
  op.source[2] = l.source(i.operands()[2]);
  op.execute = execute_arrive;
  return true;
}

}  // namespace

bool lower_syncs(Lowering& l, const read::Instruction& i, Op& op) {
  const std::string_view kind = i.modifier("kind");
  if (kind == "ARRIVE") return lower_arrive(l, i, op);
  if (kind == "PHASECHK") {
    op.predicate_out[0] = l.predicate_destination(i.operands()[0]);
    lower_shared_address(i.operands()[1], op);
    op.source[2] = l.source(i.operands()[2]);
    op.mode[0] = i.modifier("wait").empty() ? 0 : 1;
    op.execute = execute_phase_check;
    return true;
  }
  if (kind == "EXCH") {
    op.destination[0] = l.destination(i.operands()[0]);
    lower_shared_address(i.operands()[1], op);
    op.source[2] = l.wide_source(i.operands()[2]);
    op.execute = execute_exchange;
    return true;
  }
  if (kind == "CCTL" && !i.operands().empty()) {
    lower_shared_address(i.operands()[0], op);
    op.execute = execute_invalidate;
    return true;
  }
  return false;
}

// The LDGSTS before it have taken effect, so it arrives at once. On sm_90 one that was announced
// (A0T1) counts as a byte, another (ARVCNT) as an arrival; before, all are arrivals.
bool lower_arrives(Lowering& l, const read::Instruction& i, Op& op) {
  const std::string_view count = i.modifier("count");
  if (i.modifier("width") != "64") return false;
  lower_shared_address(i.operands()[0], op);
  if (l.program().kernel->image->arch.sm < 90) {
    op.execute = execute_arrive_of_copies_sm80;
    return true;
  }
  if (count.empty()) return false;
  op.mode[0] = count == "ARVCNT" ? kOne : kNothing;
  op.mode[1] = count == "TRANSCNT" ? kMinusOne : kNothing;
  op.execute = execute_arrive_of_copies;
  return true;
}

bool lower_atoms_arrive(Lowering& l, const read::Instruction& i, Op& op) {
  if (l.program().kernel->image->arch.sm >= 90 || i.modifier("type") != "64") return false;
  op.destination[0] = l.destination(i.operands()[0]);
  lower_shared_address(i.operands()[1], op);
  op.execute = execute_arrive_sm80;
  return true;
}

}  // namespace burin::emulate
