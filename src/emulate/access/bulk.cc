#include "emulate/access/bulk.h"

#include "base/format.h"
#include "emulate/state/grid.h"

namespace burin::emulate {

namespace {

Source register_at(std::uint16_t index, std::uint16_t first_slot) {
  if (index == read::Operand::kNoRegister || index == read::kZeroRegister) return {};
  return {.slot = static_cast<std::uint16_t>(first_slot + index)};
}

}  // namespace

std::uint64_t barrier_word(const Datum& d) {
  std::uint64_t word = 0;
  for (unsigned k = 0; k < kBarrierBytes; ++k) word |= std::uint64_t{d.bytes[k]} << (8 * k);
  return word;
}

void write_barrier_word(const SharedPlace& place, std::uint64_t word) {
  Datum d;
  for (unsigned k = 0; k < kBarrierBytes; ++k) {
    d.bytes[k] = static_cast<std::uint8_t>(word >> (8 * k));
  }
  place.block->shared.write(place.address, kBarrierBytes, d);
}

bool read_barrier_bytes(Warp& warp, const SharedPlace& place, Datum& d) {
  if (place.block == nullptr || place.address % kBarrierBytes != 0 ||
      !place.block->shared.read(place.address, kBarrierBytes, d)) {
    warp.refuse(fmt::format("no mbarrier at shared address {:#x}", place.address));
    return false;
  }
  if ((d.unknown & 0xff) != 0) {
    warp.refuse(
        fmt::format("the mbarrier at shared address {:#x} is not initialised", place.address));
    return false;
  }
  return true;
}

SharedPlace place_of(const Warp& warp, std::uint32_t address) {
  const std::uint32_t rank = address >> kClusterShift;
  const std::uint32_t byte = address & ((1u << kClusterShift) - 1);
  if (rank == warp.block->rank) return {warp.block, byte};
  const Cluster& cluster = *warp.block->cluster;
  return {rank < cluster.blocks.size() ? cluster.blocks[rank].get() : nullptr, byte};
}

bool read_barrier(Warp& warp, const SharedPlace& place, Mbarrier& barrier) {
  Datum d;
  if (!read_barrier_bytes(warp, place, d)) return false;
  barrier = unpack(barrier_word(d));
  return true;
}

bool change_barrier(Warp& warp, const SharedPlace& place, const BarrierChange& how) {
  Mbarrier barrier;
  if (!read_barrier(warp, place, barrier)) return false;
  const bool phase = barrier.phase;
  const std::uint32_t pending = barrier.pending;
  if (!change(barrier, how)) {
    warp.refuse(
        fmt::format("{} arrivals and {} bytes exceed what the mbarrier at shared address {:#x} "
                    "expects: {} arrivals and {} bytes",
                    how.arrivals, how.bytes, place.address, pending, barrier.bytes));
    return false;
  }
  write_barrier_word(place, pack(barrier));
  if (warp.block->grid->heard) {
    warp.changed.push_back({place.block->rank, place.address, barrier.phase != phase});
  }
  // Clocks are a block's own: what comes from another block carries none.
  if (place.block == warp.block) {
    MbarrierClock& clock = warp.block->mbarrier_clocks[place.address];
    join(clock.arriving, warp.clock);
    ++warp.clock[warp.index % warp.clock.size()];
  }
  if (barrier.phase != phase) {
    const auto clock = place.block->mbarrier_clocks.find(place.address);
    if (clock != place.block->mbarrier_clocks.end()) clock->second.passed = clock->second.arriving;
  }
  return true;
}

void lower_shared_address(const read::Operand& operand, Op& op) {
  op.source[0] = register_at(operand.base, 0);
  op.source[1] = register_at(operand.uniform, kUniformSlot);
  op.offset = operand.value;
}

}  // namespace burin::emulate
