#include "emulate/access/bulk_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/format.h"
#include "emulate/access/access.h"
#include "emulate/state/grid.h"

namespace burin::emulate {

namespace {

constexpr unsigned kPiece = 16;  // what one Datum holds

unsigned issuing_lane(const Warp& warp) {
  return static_cast<unsigned>(std::countr_zero(warp.exec));
}

// Calls visit(offset, size) for pieces of at most 16 bytes that do not cross a multiple of 16.
template <typename Visit>
void for_each_piece(std::uint64_t address, unsigned size, Visit visit) {
  for (unsigned offset = 0; offset < size;) {
    const auto room = kPiece - static_cast<unsigned>((address + offset) % kPiece);
    const unsigned piece = std::min(room, size - offset);
    visit(offset, piece);
    offset += piece;
  }
}

void put(const Datum& d, unsigned size, ByteRun& run, unsigned at) {
  std::memcpy(&run.bytes[at], d.bytes.data(), size);
  for (unsigned k = 0; k < size; ++k) run.unknown[at + k] = d.unknown >> k & 1;
}

Datum take(const Warp& warp, const ByteRun& run, unsigned at, unsigned size) {
  Datum d;
  std::memcpy(d.bytes.data(), &run.bytes[at], size);
  // If it is Unknown whether the bytes are written, their contents become Unknown.
  const bool doubt = (warp.doubtful | warp.forked) != 0;
  for (unsigned k = 0; k < size; ++k) {
    if (doubt || run.unknown[at + k] != 0)
      d.unknown = static_cast<std::uint16_t>(d.unknown | 1 << k);
  }
  return d;
}

void outside(Warp& warp, std::uint64_t address, unsigned size, std::string detail) {
  warp.fault(Fault::Kind::kOutOfBounds, issuing_lane(warp), address,
             static_cast<std::uint8_t>(size), std::move(detail));
}

void undefined(Warp& warp, std::uint64_t address, unsigned size) {
  warp.fault(Fault::Kind::kUninitialised, issuing_lane(warp), address,
             static_cast<std::uint8_t>(size), "the bulk copy reads uninitialised bytes");
}

std::string outside_shared(const SharedPlace& place) {
  if (place.block == nullptr) return "the cluster has no such block";
  return fmt::format("the block has {} bytes of shared memory", place.block->shared.usable());
}

// Clocks are a block's own, so uses of another block's memory are not watched.
void watch(Warp& warp, const SharedPlace& place, unsigned size, SharedUse use) {
  if (place.block != warp.block || !warp.block->grid->options->check_shared) return;
  const auto race = place.block->shared.note(place.address, size, use, warp.pc, warp.index,
                                             issuing_lane(warp), warp.clock);
  if (!race.found) return;
  warp.fault(Fault::Kind::kRace, issuing_lane(warp), place.address, static_cast<std::uint8_t>(size),
             describe(warp, race));
}

void tell_row(Warp& warp, std::uint64_t address, unsigned size, bool store) {
  if (warp.block->grid->heard) warp.copied.push_back({address, size, store});
}

// The contents of the bytes are not needed (Op::idle).
bool is_idle(const Warp& warp) {
  return warp.program->ops[warp.pc].idle;
}

std::uint64_t number(const Datum& d, unsigned size) {
  std::uint64_t value = 0;
  std::memcpy(&value, d.bytes.data(), size);
  return value;
}

Datum reduced(const Reduction& reduction, const Datum& memory, const Datum& value, unsigned size) {
  Datum out;
  const std::uint64_t result = reduction.combine(number(memory, size), number(value, size));
  std::memcpy(out.bytes.data(), &result, size);
  const auto all = static_cast<std::uint16_t>((1u << size) - 1);
  if (((memory.unknown | value.unknown) & all) != 0) out.unknown = all;
  return out;
}

}  // namespace

void read_global(Warp& warp, std::uint64_t address, unsigned size, ByteRun& run, unsigned at) {
  tell_row(warp, address, size, false);
  if (is_idle(warp)) return;
  const GlobalMemory& memory = *warp.block->grid->memory;
  for_each_piece(address, size, [&](unsigned offset, unsigned piece) {
    Datum d;
    if (memory.read(address + offset, piece, d) != MemoryStatus::kDone) {
      outside(warp, address + offset, piece, memory.describe(address + offset));
      d.unknown = 0xffff;
    } else if (d.undefined != 0) {
      undefined(warp, address + offset, piece);
    }
    put(d, piece, run, at + offset);
  });
}

void read_shared(Warp& warp, const SharedPlace& place, unsigned size, ByteRun& run, unsigned at) {
  if (is_idle(warp)) return;
  for_each_piece(place.address, size, [&](unsigned offset, unsigned piece) {
    const SharedPlace here{place.block, place.address + offset};
    Datum d;
    if (here.block == nullptr || !here.block->shared.read(here.address, piece, d)) {
      outside(warp, here.address, piece, outside_shared(here));
      d.unknown = 0xffff;
    } else {
      watch(warp, here, piece, SharedUse::kRead);
      if (d.undefined != 0) undefined(warp, here.address, piece);
    }
    put(d, piece, run, at + offset);
  });
}

void write_global(Warp& warp, std::uint64_t address, unsigned size, const ByteRun& run,
                  unsigned at) {
  tell_row(warp, address, size, true);
  if (is_idle(warp)) return;
  GlobalMemory& memory = *warp.block->grid->memory;
  for_each_piece(address, size, [&](unsigned offset, unsigned piece) {
    if (memory.write(address + offset, piece, take(warp, run, at + offset, piece)) !=
        MemoryStatus::kDone) {
      outside(warp, address + offset, piece, memory.describe(address + offset));
    }
  });
}

void write_shared(Warp& warp, const SharedPlace& place, unsigned size, const ByteRun& run,
                  unsigned at) {
  if (is_idle(warp)) return;
  for_each_piece(place.address, size, [&](unsigned offset, unsigned piece) {
    const SharedPlace here{place.block, place.address + offset};
    if (here.block == nullptr ||
        !here.block->shared.write(here.address, piece, take(warp, run, at + offset, piece))) {
      outside(warp, here.address, piece, outside_shared(here));
    } else {
      watch(warp, here, piece, SharedUse::kWrite);
    }
  });
}

void reduce_global(Warp& warp, const Reduction& reduction, std::uint64_t address, unsigned size,
                   const ByteRun& run, unsigned at) {
  tell_row(warp, address, size, true);
  GlobalMemory& memory = *warp.block->grid->memory;
  const unsigned bytes = launch::element_bytes(reduction.type);
  warp.reduced += size / bytes;
  for (unsigned offset = 0; offset < size; offset += bytes) {
    const Datum value = take(warp, run, at + offset, bytes);
    Datum before;
    const auto update = [&](const Datum& old) { return reduced(reduction, old, value, bytes); };
    if (memory.update(address + offset, bytes, before, update) != MemoryStatus::kDone) {
      outside(warp, address + offset, bytes, memory.describe(address + offset));
    } else if (before.undefined != 0) {
      undefined(warp, address + offset, bytes);
    }
  }
}

void reduce_shared(Warp& warp, const Reduction& reduction, const SharedPlace& place, unsigned size,
                   const ByteRun& run, unsigned at) {
  const unsigned bytes = launch::element_bytes(reduction.type);
  warp.reduced += size / bytes;
  for (unsigned offset = 0; offset < size; offset += bytes) {
    const SharedPlace here{place.block, place.address + offset};
    const Datum value = take(warp, run, at + offset, bytes);
    Datum before;
    if (here.block == nullptr || !here.block->shared.read(here.address, bytes, before)) {
      outside(warp, here.address, bytes, outside_shared(here));
      continue;
    }
    if (before.undefined != 0) undefined(warp, here.address, bytes);
    here.block->shared.write(here.address, bytes, reduced(reduction, before, value, bytes));
    watch(warp, here, bytes, SharedUse::kAtomic);
  }
}

void tell_bulk(Warp& warp, read::Space written) {
  Access& access = warp.accesses[warp.access_count++];
  access.space = written;
  access.load = false;
  access.store = true;
  access.atomic = false;
  access.bytes = 0;
  access.lanes = 0;
  access.unknown = 0;
}

}  // namespace burin::emulate
