// The checks of an access, and the messages for those that fail.
#include <bit>

#include "base/format.h"
#include "emulate/access/access.h"
#include "emulate/state/block.h"
#include "emulate/state/grid.h"

namespace burin::emulate {

namespace {

constexpr std::size_t kStackPointer = 1;  // R1

// All bits that are set in some lane's address, be the lane active or not.
BURIN_LANES std::uint64_t any_bits(const std::uint64_t* address) {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) bits |= address[i];
  return bits;
}

void report(Warp& warp, Fault::Kind kind, Mask lanes, const Access& access, std::string detail) {
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  warp.fault(kind, lane, access.address[lane], access.bytes, std::move(detail),
             static_cast<std::uint64_t>(std::popcount(lanes)));
}

bool reported(Warp& warp, Fault::Kind kind, Mask lanes) {
  return warp.fault_again(kind, static_cast<unsigned>(std::countr_zero(lanes)),
                          static_cast<std::uint64_t>(std::popcount(lanes)));
}

std::string_view name_of(SharedUse use) {
  switch (use) {
    case SharedUse::kRead:
      return "read";
    case SharedUse::kWrite:
      return "wrote";
    case SharedUse::kAtomic:
      return "atomically updated";
    case SharedUse::kCopy:
      return "started copying into";
  }
  return "";
}

}  // namespace

Mask check_alignment(Warp& warp, const Access& access) {
  const Mask lanes = access.lanes & ~access.unknown;
  const unsigned low = access.bytes - 1u;
  if ((any_bits(access.address.data()) & low) == 0) return lanes;
  Mask bad = 0;
  for_each_lane(lanes, [&](unsigned i) { bad |= Mask{(access.address[i] & low) != 0} << i; });
  if (bad == 0) return lanes;
  if (reported(warp, Fault::Kind::kMisaligned, bad)) return lanes & ~bad;
  report(warp, Fault::Kind::kMisaligned, bad, access,
         fmt::format("the address is not aligned to the access size of {} bytes", access.bytes));
  return lanes & ~bad;
}

void watch_shared(Warp& warp, const Access& access, const std::uint64_t* address, Mask lanes,
                  SharedUse use) {
  const Block& block = *warp.block;
  if (lanes == 0 || !block.grid->options->check_shared) return;
  const SharedRaces races =
      warp.block->shared.note({.address = address,
                               .lanes = lanes,
                               .bytes = access.bytes,
                               .use = use,
                               .instruction = warp.pc,
                               .warp = warp.index,
                               .warps = static_cast<std::uint32_t>(block.warps.size())},
                              warp.clock);
  if (races.lanes == 0) return;
  report(warp, Fault::Kind::kRace, races.lanes, access, describe(warp, races.first));
}

std::string describe(const Warp& warp, const Race& race) {
  const launch::Dims& shape = warp.block->grid->launch->block;
  const std::uint32_t t = race.thread;
  const launch::Dims other{t % shape.x, t / shape.x % shape.y, t / shape.x / shape.y};
  return fmt::format("thread {} {} it at {}{}", launch::to_string(other), name_of(race.use),
                     named_place(*warp.program->kernel, race.instruction),
                     race.use == SharedUse::kCopy
                         ? " and has not waited for the copy (cp.async.wait)"
                         : " with no barrier between");
}

void report_outside(Warp& warp, const Access& access, Mask lanes) {
  if (reported(warp, Fault::Kind::kOutOfBounds, lanes)) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  std::uint64_t at = access.address[lane];
  std::string detail;
  if (access.space == read::Space::kGlobal) {
    const GlobalMemory& memory = *warp.block->grid->memory;
    Datum first;
    // An access may begin inside.
    if (memory.read(at, 1, first) == MemoryStatus::kDone) at += access.bytes - 1u;
    detail = memory.describe(at);
  } else {
    const bool shared = access.space == read::Space::kShared;
    if (shared) at &= kWindowMask;
    const SharedMemory& memory = warp.block->shared;
    const std::uint64_t start = shared ? memory.start() : 0;
    const std::uint64_t size = shared ? memory.usable() : warp.block->grid->local_bytes;
    const std::string_view of = shared ? "the block's shared memory" : "the thread's local memory";
    if (!shared && static_cast<std::int32_t>(warp.slots[kStackPointer][lane]) < 0) {
      detail = fmt::format("the thread's stack exceeds its {} bytes (cudaLimitStackSize)", size);
      warp.block->grid->stop({fmt::format("stack overflow at {}: {}", warp.place(), detail)});
      return report(warp, Fault::Kind::kStackOverflow, lanes, access, std::move(detail));
    }
    if (!shared && access.atomic) {
      detail = "atomics do not work on local memory";
    } else if (shared && shared_at(warp, access.address[lane]) == nullptr) {
      detail = "the cluster has no such block";
    } else if (at < start) {
      detail = fmt::format("{} bytes before the start of {} ({} bytes)", start - at, of, size);
    } else if (at >= start + size) {
      const std::uint64_t past = at - start - size;
      const std::string how = past == 0 ? "just past" : fmt::format("{} bytes past", past);
      detail = fmt::format("{} the end of {} ({} bytes)", how, of, size);
    } else {
      detail = fmt::format("across the end of {} ({} bytes)", of, size);
    }
  }
  report(warp, Fault::Kind::kOutOfBounds, lanes, access, std::move(detail));
}

void report_undefined(Warp& warp, const Access& access, Mask lanes) {
  if (reported(warp, Fault::Kind::kUninitialised, lanes)) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  std::string of = access.space == read::Space::kGlobal
                       ? warp.block->grid->memory->describe(access.address[lane])
                   : access.space == read::Space::kShared ? "shared memory"
                                                          : "local memory";
  report(warp, Fault::Kind::kUninitialised, lanes, access,
         fmt::format("{} is read before it is written", of));
}

}  // namespace burin::emulate
