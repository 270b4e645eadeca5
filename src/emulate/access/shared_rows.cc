#include "emulate/access/shared_rows.h"

#include <string>
#include <utility>

#include "emulate/access/access.h"
#include "emulate/state/block.h"
#include "emulate/state/grid.h"

namespace burin::emulate {

namespace {

constexpr unsigned kRowBytes = 16;

void report(Warp& warp, Fault::Kind kind, std::uint64_t address, unsigned lane,
            std::string detail) {
  const launch::Dims& shape = warp.block->grid->launch->block;
  const std::uint32_t thread = kWarpLanes * warp.index + lane;
  warp.block->grid->faults.add(
      {.kind = kind,
       .instruction = warp.pc,
       .block = warp.block->index,
       .thread = {thread % shape.x, thread / shape.x % shape.y, thread / shape.x / shape.y},
       .address = address,
       .bytes = kRowBytes,
       .detail = std::move(detail)});
}

bool usable(Warp& warp, std::uint64_t address, unsigned lane) {
  if (address % kRowBytes != 0) {
    report(warp, Fault::Kind::kMisaligned, address, lane,
           "a matrix row must start at a multiple of 16");
    return false;
  }
  const SharedMemory& shared = warp.block->shared;
  if (address < shared.start() || address + kRowBytes > shared.size()) {
    report(warp, Fault::Kind::kOutOfBounds, address, lane, "a matrix row is outside shared memory");
    return false;
  }
  return true;
}

void watch(Warp& warp, std::uint64_t address, unsigned lane, SharedUse use) {
  if (!warp.block->grid->options->check_shared) return;
  const auto race =
      warp.block->shared.note(address, kRowBytes, use, warp.pc, warp.index, lane, warp.clock);
  if (race.found) {
    report(warp, Fault::Kind::kRace, address, lane, describe(warp, race));
  }
}

}  // namespace

bool read_row(Warp& warp, std::uint64_t address, unsigned lane, Datum& out) {
  if (!usable(warp, address, lane) || !warp.block->shared.read(address, kRowBytes, out)) {
    out = {};
    out.unknown = 0xffff;
    return false;
  }
  watch(warp, address, lane, SharedUse::kRead);
  if (out.undefined != 0) {
    report(warp, Fault::Kind::kUninitialised, address, lane,
           "a matrix row is read before it is written");
  }
  return true;
}

bool write_row(Warp& warp, std::uint64_t address, unsigned lane, const Datum& in) {
  if (!usable(warp, address, lane) || !warp.block->shared.write(address, kRowBytes, in)) {
    return false;
  }
  watch(warp, address, lane, SharedUse::kWrite);
  return true;
}

}  // namespace burin::emulate
