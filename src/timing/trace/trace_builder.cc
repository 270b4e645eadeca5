#include "timing/trace/trace_builder.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/format.h"
#include "base/hash.h"
#include "emulate/state/block.h"
#include "emulate/state/clock_wait.h"
#include "emulate/state/grid.h"
#include "emulate/state/warp.h"
#include "emulate/values/sector.h"
#include "read/isa/traits.h"
#include "timing/trace/access_passes.h"

namespace burin::timing {

namespace {

constexpr std::uint64_t kClusterBarrier = ~std::uint64_t{0};  // UCGABAR's key

std::uint64_t key_of(std::uint32_t rank, std::uint32_t address) {
  return std::uint64_t{rank} << 32 | address;
}

unsigned sector_bit(std::uint64_t address) {
  return 1u << (address / emulate::kSectorBytes % (kLineBytes / emulate::kSectorBytes));
}

// All lanes is the common case; not every supported host has a popcount instruction.
unsigned count_of(emulate::Mask lanes) {
  return lanes == emulate::kAllLanes ? emulate::kWarpLanes
                                     : static_cast<unsigned>(std::popcount(lanes));
}

Request::Kind kind_of(read::Space space) {
  switch (space) {
    case read::Space::kShared:
      return Request::Kind::kShared;
    case read::Space::kLocal:
      return Request::Kind::kLocal;
    case read::Space::kConstant:
      return Request::Kind::kConstant;
    default:
      return Request::Kind::kGlobal;
  }
}

// Sectors in the shared memory of other blocks of the cluster.
std::uint8_t remote_sectors(const emulate::Access& access, std::uint32_t own_rank) {
  std::array<std::uint64_t, emulate::kWarpLanes> sectors;
  std::size_t count = 0;
  for (emulate::Mask rest = access.lanes & ~access.unknown; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.address[static_cast<unsigned>(std::countr_zero(rest))];
    if (address >> emulate::kClusterShift == own_rank) continue;
    const std::uint64_t sector = address / emulate::kSectorBytes;
    if (std::find(sectors.begin(), sectors.begin() + count, sector) == sectors.begin() + count) {
      sectors[count++] = sector;
    }
  }
  return static_cast<std::uint8_t>(count);
}

AtomicPasses::Operation operation_of(const read::Instruction& instruction) {
  if (instruction.modifier("operation").starts_with("CAS")) return AtomicPasses::Operation::kSwap;
  const std::string_view type = instruction.modifier("type");
  if (type.starts_with("F64")) return AtomicPasses::Operation::kF64;
  return type.starts_with("F") || type.starts_with("BF") ? AtomicPasses::Operation::kF32
                                                         : AtomicPasses::Operation::kInteger;
}

}  // namespace

TraceBuilder::TraceBuilder(const read::Kernel& kernel, launch::UnknownAccess unknown,
                           std::uint64_t most_bytes,
                           std::vector<emulate::GlobalMemory::Extent> allocations)
    : kernel_(kernel),
      unknown_(unknown),
      allocations_(std::move(allocations)),
      most_bytes_(most_bytes) {
  for (const read::Instruction& i : kernel.instructions) traits_.push_back(traits_of(i));
}

TraceBuilder::Traits TraceBuilder::traits_of(const read::Instruction& instruction) {
  const read::Sync sync = read::sync_of(instruction);
  return {.cluster_arrival = sync == read::Sync::kClusterArrive,
          .cluster_wait = sync == read::Sync::kClusterWait,
          .mbarrier = sync == read::Sync::kMbarrier,
          .barrier = read::is_barrier(instruction) || sync == read::Sync::kMbarrier,
          .returns = read::is_returning_atomic(instruction),
          .counts = instruction.modifier("operation") == "POPC.INC",
          .match = read::has(instruction, read::Trait::kValueTimed),
          .fence = sync == read::Sync::kFence || read::has(instruction, read::Trait::kCacheControl),
          .cycles = emulate::reads_cycles(instruction),
          .strong = instruction.modifier("order").starts_with("STRONG.GPU") ||
                    instruction.modifier("order").starts_with("STRONG.SYS"),
          .operation = operation_of(instruction)};
}

void TraceBuilder::block_started(const emulate::Block& block) {
  auto building = std::make_unique<Building>();
  building->rank = block.rank;
  building->trace.index = block.index;
  building->trace.linear = block.linear;
  building->trace.warps.resize(block.warps.size());
  building->trace.lanes.resize(kernel_.instructions.size());
  building_[block.linear] = std::move(building);
  recent_block_ = ~std::uint64_t{0};
}

void TraceBuilder::block_ended(const emulate::Block& block) {
  const auto at = building_.find(block.linear);
  if (at == building_.end()) return;
  if (block.rank == 0) {
    BlockTrace& trace = at->second->trace;
    for (const auto& warp : trace.warps) {
      trace.steps += warp.size();
      trace.path = hash_combine(trace.path, warp.size());
      for (const TraceStep& step : warp) trace.path = hash_combine(trace.path, step.instruction);
    }
    done_.push_back(std::move(trace));
  }
  building_.erase(at);
  recent_block_ = ~std::uint64_t{0};
}

TraceBuilder::Phase& TraceBuilder::phase(Building& to, std::uint64_t key) {
  const auto [at, added] = to.barriers.try_emplace(key);
  if (added) {
    at->second.number = static_cast<std::uint32_t>(to.trace.arrivals.size());
    to.trace.arrivals.emplace_back();
  }
  return at->second;
}

void TraceBuilder::arrive(Building& to, Phase& phase, bool waits, std::uint32_t warp) {
  std::vector<std::uint32_t>& counts = to.trace.arrivals[phase.number];
  if (counts.size() <= phase.current) counts.resize(phase.current + 1);
  ++counts[phase.current];
  ++phase.arrived;
  to.trace.phases.push_back({phase.number, phase.current, true, waits, false});
  if (!waits) return;
  // A divergent warp waits when its last part arrives.
  if (phase.last_wait.size() <= warp) phase.last_wait.resize(warp + 1);
  if (const std::uint32_t last = phase.last_wait[warp]; last != 0) {
    PhaseUse& before = to.trace.phases[last - 1];
    if (before.phase == phase.current) before.waits = false;
  }
  phase.last_wait[warp] = static_cast<std::uint32_t>(to.trace.phases.size());
}

// The number of completed phases of a block's mbarrier.
std::uint32_t& TraceBuilder::phases_over(const emulate::Warp& warp, std::uint32_t rank,
                                         std::uint32_t address) {
  return phases_over_[{warp.block->cluster->blocks[0]->linear, key_of(rank, address)}];
}

void TraceBuilder::add_phases(Building& to, const emulate::Event& event, Request& request) {
  const emulate::Warp& warp = *event.warp;
  const Traits& traits = traits_[event.instruction];
  request.first_phase = static_cast<std::uint32_t>(to.trace.phases.size());
  for (const emulate::PhaseChange& change : warp.changed) {
    if (change.rank != emulate::PhaseChange::kNumbered) {
      // The phase of another block's barrier corresponds to our phase with the same number.
      std::uint32_t& over = phases_over(warp, change.rank, change.address);
      Phase& p = phase(to, key_of(to.rank, change.address));
      p.current = over;
      if (change.completes) ++over;
      const bool remote = change.rank != to.rank;
      // An arrival that responds to our wait represents no earlier arrival.
      if (remote && p.current < p.waited) continue;
      arrive(to, p, change.waits, warp.index);
      to.trace.phases.back().remote = remote;
      continue;
    }
    Phase& p = phase(to, key_of(change.rank, change.address));
    // Exited threads may have completed the phase without an event.
    if (change.first && p.arrived > 0) {
      ++p.current;
      p.arrived = 0;
    }
    arrive(to, p, change.waits, warp.index);
    if (change.completes) {
      ++p.current;
      p.arrived = 0;
    }
  }
  if (traits.cluster_arrival) {
    Phase& p = phase(to, kClusterBarrier);
    p.current = static_cast<std::uint32_t>(warp.cluster_arrivals) - 1;
    arrive(to, p, false, warp.index);
  } else if (traits.cluster_wait && warp.cluster_arrivals > 0) {
    to.trace.phases.push_back({phase(to, kClusterBarrier).number,
                               static_cast<std::uint32_t>(warp.cluster_arrivals) - 1, false, true,
                               false});
  } else if (traits.mbarrier && warp.changed.empty() && event.access_count > 0 &&
             !event.accesses[0].store) {
    const auto lane = static_cast<unsigned>(std::countr_zero(event.exec));
    const std::uint64_t address = event.accesses[0].address[lane];
    const auto rank = static_cast<std::uint32_t>(address >> 24);
    const auto place = static_cast<std::uint32_t>(address & 0xffffff);
    const std::uint32_t over = phases_over(warp, rank, place);
    if (over > 0) {
      Phase& p = phase(to, key_of(rank, place));
      p.waited = std::max(p.waited, over);
      to.trace.phases.push_back({p.number, over - 1, false, true, false});
    }
  }
  request.phases = static_cast<std::uint32_t>(to.trace.phases.size()) - request.first_phase;
}

void TraceBuilder::add_lines(Building& to, const emulate::Access& access, Request& request,
                             bool& unknown) {
  const std::size_t first = to.trace.lines.size();
  const auto touch = [&](std::uint64_t address) {
    const std::uint64_t line = address / kLineBytes;
    const unsigned bit = sector_bit(address);
    for (std::size_t k = to.trace.lines.size(); k-- > first;) {
      if (to.trace.lines[k].line() != line) continue;
      to.trace.lines[k].packed |= bit;
      return;
    }
    to.trace.lines.emplace_back(address, bit);
  };
  emulate::Mask known = access.lanes & ~access.unknown;
  if (access.space == read::Space::kLocal) {
    // The lanes' words of one local address are adjacent: 128 bytes per 4 bytes of a thread.
    for (; known != 0; known &= known - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(known));
      for (std::uint64_t b = 0; b < access.bytes; b += 4) {
        touch((access.address[i] + b) / 4 * kLineBytes + 4 * i);
      }
    }
  } else {
    for (; known != 0; known &= known - 1) {
      const std::uint64_t address = access.address[static_cast<unsigned>(std::countr_zero(known))];
      touch(address);
      const std::uint64_t last = address + access.bytes - 1;
      if (last / emulate::kSectorBytes != address / emulate::kSectorBytes) touch(last);
    }
  }
  const emulate::Mask lanes = access.lanes & access.unknown;
  unknown = unknown || lanes != 0;
  if (lanes != 0 && unknown_.policy == launch::UnknownAccess::Policy::kLikely) {
    // As many lines and sectors as the likely addresses touch, at addresses that nothing else uses.
    const std::size_t known_lines = to.trace.lines.size();
    for (emulate::Mask rest = lanes; rest != 0; rest &= rest - 1) {
      touch(access.address[static_cast<unsigned>(std::countr_zero(rest))]);
    }
    const std::uint64_t base = std::uint64_t{1} << 52 | known_lines << 12;
    for (std::size_t k = known_lines; k < to.trace.lines.size(); ++k) {
      to.trace.lines[k] =
          LineUse(base + (k - known_lines) * kLineBytes * 33, to.trace.lines[k].sectors());
    }
  } else if (lanes != 0) {
    const std::uint32_t count = unknown_.transactions(
        static_cast<std::uint32_t>(std::popcount(lanes)), access.bytes, emulate::kSectorBytes);
    // Separate lines at addresses that nothing else uses.
    const std::uint64_t base = std::uint64_t{1} << 52 | to.trace.lines.size() << 12;
    for (std::uint32_t k = 0; k < count; ++k) {
      to.trace.lines.emplace_back(base + std::uint64_t{k} * kLineBytes * 33, 1u);
    }
  }
  request.first_line = static_cast<std::uint32_t>(first);
  request.lines = static_cast<std::uint32_t>(to.trace.lines.size() - first);
}

// Atomics of lanes at different, Unknown addresses in a large allocation. Each request gets its own
// addresses, since it is unlikely that all requests use the same few. Small allocations may hold a
// few counters.
bool TraceBuilder::are_anywhere(const emulate::Access& access, const Request& request) const {
  constexpr int kMaxTogether = 8;            // maximum lanes at one address
  constexpr std::uint64_t kLarge = 2 << 20;  // PyTorch puts small tensors into allocations of 2 MiB
  if (!access.atomic || access.space == read::Space::kShared || access.unknown != access.lanes ||
      kMaxTogether * request.collisions > std::popcount(access.lanes)) {
    return false;
  }
  const std::uint64_t address =
      access.address[static_cast<unsigned>(std::countr_zero(access.lanes))];
  return std::ranges::any_of(allocations_, [&](const emulate::GlobalMemory::Extent& allocation) {
    return allocation.bytes > kLarge && address - allocation.address < allocation.bytes;
  });
}

// Moves the request's lines to addresses that nothing else uses.
void TraceBuilder::put_elsewhere(Building& to, Request& request) {
  const std::uint64_t base = std::uint64_t{1} << 52 | std::uint64_t{request.first_line} << 12;
  for (std::uint32_t k = 0; k < request.lines; ++k) {
    LineUse& line = to.trace.lines[request.first_line + k];
    line = LineUse(base + std::uint64_t{k} * kLineBytes * 33, line.sectors());
  }
  request.first_address = request.shape = 0;
}

void TraceBuilder::add_access(Building& to, const emulate::Access& access, Request& request,
                              bool& unknown) {
  request.load |= access.load;
  request.store |= access.store;
  request.atomic |= access.atomic;
  request.lanes = static_cast<std::uint8_t>(count_of(access.lanes));
  request.bytes = access.bytes;
  if (access.lanes == 0) return;
  const bool likely = unknown_.policy == launch::UnknownAccess::Policy::kLikely;
  if (likely && access.unknown != 0 &&
      (access.atomic || access.space == read::Space::kShared ||
       access.space == read::Space::kConstant)) {
    unknown = true;
    emulate::Access as_known = access;
    as_known.unknown = 0;
    add_access(to, as_known, request, unknown);
    if (are_anywhere(access, request)) put_elsewhere(to, request);
    return;
  }
  const emulate::Mask known = access.lanes & ~access.unknown;
  emulate::Access counted = access;
  if (likely) counted.unknown = 0;
  const unsigned passes =
      (access.space == read::Space::kConstant ? different_places(access) : bank_passes(counted)) +
      (likely ? 0u : static_cast<unsigned>(std::popcount(access.lanes & access.unknown)));
  request.wavefronts =
      static_cast<std::uint8_t>(std::min(255u, std::max<unsigned>(request.wavefronts, passes)));
  if (access.atomic) {
    const Addresses addresses = addresses_of(access, known);
    request.collisions = static_cast<std::uint8_t>(most_at_one_address(addresses));
    if (access.space != read::Space::kShared) request.passes = passes_of(addresses, access.bytes);
  }
  if (access.space == read::Space::kShared) {
    request.remote = remote_sectors(access, to.rank);
    request.padded_wavefronts = request.wavefronts;
    const bool conflicts = request.wavefronts * kLineBytes > request.lanes * request.bytes;
    if (conflicts && request.wavefronts > 1) {
      request.padded_wavefronts = static_cast<std::uint8_t>(padded_bank_passes(counted));
    }
  }
  if (access.space == read::Space::kConstant && known != 0) {
    request.first_address =
        static_cast<std::uint32_t>(access.address[static_cast<unsigned>(std::countr_zero(known))]);
  }
  if (access.space == read::Space::kShared || access.space == read::Space::kConstant) return;
  add_lines(to, access, request, unknown);
  unsigned sectors = 0;
  for (const LineUse& line : to.trace.lines_of(request)) {
    sectors += static_cast<unsigned>(std::popcount(line.sectors()));
  }
  request.partial =
      access.store && static_cast<unsigned>(std::popcount(access.lanes)) * unsigned{access.bytes} <
                          sectors * emulate::kSectorBytes;
  if (known == 0) return;
  request.first_address = access.address[static_cast<unsigned>(std::countr_zero(known))];
  for (emulate::Mask rest = known; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(rest));
    request.shape =
        hash_combine(request.shape, (access.address[i] - request.first_address) << 5 | i);
  }
}

// A bulk copy may access the whole window.
void TraceBuilder::note_use(Building& to, const emulate::Event& event) {
  LaneUse& use = to.trace.lanes[event.instruction];
  ++use.executions;
  use.active += count_of(event.active);
  use.guarded += count_of(event.exec);
  std::uint64_t& touched = to.trace.shared_bytes;
  if (!event.warp->copied.empty()) touched = launch::kMaxSharedBytes;
  for (unsigned k = 0; k < event.access_count; ++k) {
    const emulate::Access& access = event.accesses[k];
    if (access.space != read::Space::kShared) continue;
    for (emulate::Mask rest = access.lanes & ~access.unknown; rest != 0; rest &= rest - 1) {
      const std::uint64_t at = access.address[static_cast<unsigned>(std::countr_zero(rest))];
      touched = std::max(touched, at % (1u << emulate::kClusterShift) + access.bytes);
    }
  }
}

void TraceBuilder::note_bytes(const BlockTrace& to, const emulate::Event& event,
                              const Request* request) {
  bytes_ += sizeof(TraceStep);
  if (request != nullptr) {
    bytes_ +=
        sizeof(Request) + request->lines * sizeof(LineUse) + request->phases * sizeof(PhaseUse);
  }
  emulate::Grid& grid = *event.warp->block->grid;
  if (most_bytes_ == 0 || bytes_ <= most_bytes_ || grid.stopped) return;
  grid.stop(
      {fmt::format("the trace of block {} does not fit in {} MiB; it is at {}; use a smaller "
                   "launch, or lift the limit with --max-instructions 1000000000",
                   launch::to_string(to.index), most_bytes_ >> 20,
                   emulate::named_place(kernel_, event.instruction))});
}

void TraceBuilder::set_sleep(Request& request, const Traits& traits, std::uint64_t cycles) {
  request.kind = Request::Kind::kSleep;
  if (traits.cycles) {
    request.sleep_cycles = static_cast<float>(cycles);
  } else {
    request.sleep_ns = static_cast<float>(cycles / emulate::kCyclesPerNanosecond);
  }
}

void TraceBuilder::executed(const emulate::Event& event) {
  const emulate::Block& block = *event.warp->block;
  if (block.linear != recent_block_) {
    recent_ = building_.at(block.linear).get();
    recent_block_ = block.linear;
  }
  Building& to = *recent_;
  note_use(to, event);
  TraceStep step{.instruction = event.instruction & 0x7fffffff,
                 .unknown = (event.warp->doubtful | event.warp->forked) != 0 ? 1u : 0u,
                 .request = kNoRequest};
  const emulate::Warp& warp = *event.warp;
  const Traits& traits = traits_[event.instruction];
  if (event.access_count > 0 || !warp.copied.empty() || !warp.changed.empty() ||
      traits.cluster_arrival || traits.cluster_wait || traits.match ||
      (traits.fence && event.exec != 0) || warp.slept != 0) {
    Request request;
    bool unknown = false;
    request.kind = Request::Kind::kBarrier;
    for (unsigned k = 0; k < event.access_count; ++k) {
      const emulate::Access& access = event.accesses[k];
      if (event.access_count == 2 && k == 1) {
        request.kind = Request::Kind::kCopy;
        request.wavefronts =
            static_cast<std::uint8_t>(std::max<unsigned>(request.wavefronts, bank_passes(access)));
        request.store = true;
        continue;
      }
      request.kind = kind_of(access.space);
      add_access(to, access, request, unknown);
    }
    if (!warp.copied.empty()) {
      request.kind = Request::Kind::kBulk;
      request.first_line = static_cast<std::uint32_t>(to.trace.lines.size());
      request.first_address = warp.copied[0].address;
      for (const emulate::CopiedRow& row : warp.copied) {
        request.load |= !row.store;
        request.store |= row.store;
        for (std::uint64_t at = row.address / emulate::kSectorBytes * emulate::kSectorBytes;
             at < row.address + row.bytes; at += emulate::kSectorBytes) {
          if (to.trace.lines.size() > request.first_line &&
              to.trace.lines.back().line() == at / kLineBytes) {
            to.trace.lines.back().packed |= sector_bit(at);
          } else {
            to.trace.lines.emplace_back(at, sector_bit(at));
          }
        }
        request.shape = hash_combine(request.shape, row.address - request.first_address);
      }
      request.lines = static_cast<std::uint32_t>(to.trace.lines.size()) - request.first_line;
      request.store = request.store && !request.load;
    }
    if (traits.barrier) request.kind = Request::Kind::kBarrier;
    if (traits.fence) request.kind = Request::Kind::kFence;
    if (warp.slept != 0) set_sleep(request, traits, warp.slept);
    if (traits.match) {
      request.kind = Request::Kind::kMatch;
      request.wavefronts = warp.matched;
    }
    add_phases(to, event, request);
    request.returns = request.atomic && traits.returns;
    request.strong = request.load && !request.atomic && traits.strong;
    // Increments of several lanes at one address are one operation.
    if (request.atomic && traits.counts) request.collisions = 1;
    request.passes.operation = traits.operation;
    if (unknown) step.unknown = 1;
    step.request = static_cast<std::uint32_t>(to.trace.requests.size());
    to.trace.requests.push_back(request);
  }
  note_bytes(to.trace, event, step.request == kNoRequest ? nullptr : &to.trace.requests.back());
  to.trace.warps[warp.index].push_back(step);
}

}  // namespace burin::timing
