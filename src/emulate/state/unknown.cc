#include "emulate/state/unknown.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "emulate/state/block.h"
#include "emulate/state/grid.h"
#include "emulate/state/split.h"
#include "emulate/values/run_counts.h"

namespace burin::emulate {

// The registers of a warp at a branch, for the side that runs second.
// Of the registers that the kernel has.
struct Snapshot {
  std::size_t general = 0;   // R0 up to this one
  std::vector<Lanes> slots;  // those, then the uniform ones
  std::array<Mask, kSlots> unknown;
  std::array<Mask, kPredicateSlots> predicates;
  std::array<Mask, kPredicateSlots> predicate_unknown;
};

namespace {

// Beyond this many open forks only the side that falls through is run: each doubles the work.
constexpr std::size_t kDeepestFork = 6;

struct LoopBranch {
  const read::Loop* loop = nullptr;
  bool stays_taken = false;  // taking the branch stays in the loop
  bool at_bottom = false;    // the condition is tested after the iteration, not before
};

bool holds(const read::Loop& loop, std::uint32_t block) {
  return std::ranges::binary_search(loop.blocks, block);
}

// The innermost loop that one way of the branch leaves, or goes around.
std::optional<LoopBranch> loop_branch(const read::Kernel& kernel, std::uint32_t pc,
                                      std::uint32_t target) {
  const std::uint32_t taken = kernel.block_of[target];
  const std::uint32_t next =
      pc + 1 < kernel.block_of.size() ? kernel.block_of[pc + 1] : read::kNoIndex;
  for (std::uint32_t l = kernel.blocks[kernel.block_of[pc]].loop; l != read::kNoIndex;
       l = kernel.loops[l].parent) {
    const read::Loop& loop = kernel.loops[l];
    const bool taken_in = holds(loop, taken);
    const bool next_in = next != read::kNoIndex && holds(loop, next);
    if (taken_in == next_in) continue;
    const bool at_bottom = (taken_in ? taken : next) == loop.header;
    return LoopBranch{&loop, taken_in, at_bottom};
  }
  return std::nullopt;
}

bool at_line(const read::Kernel& kernel, std::uint32_t instruction, const launch::TripCount& trip) {
  std::int32_t l = kernel.location_at(16 * instruction);
  while (l >= 0) {
    const read::Location& location = kernel.image->locations[static_cast<std::size_t>(l)];
    if (location.line == trip.line && kernel.image->files[location.file].ends_with(trip.file)) {
      return true;
    }
    l = location.inlined_from;
  }
  return false;
}

std::uint64_t passes_of(const Warp& warp, const read::Loop& loop) {
  const read::Kernel& kernel = *warp.program->kernel;
  Grid& grid = *warp.block->grid;
  for (std::size_t k = 0; k < grid.options->trips.size(); ++k) {
    const launch::TripCount& trip = grid.options->trips[k];
    if (at_line(kernel, warp.pc, trip) || at_line(kernel, kernel.blocks[loop.header].first, trip)) {
      grid.trips_met[k].store(true, std::memory_order_relaxed);
      return trip.count;
    }
  }
  return 1;
}

void forget(Warp& warp, const Fork& fork, Mask lanes) {
  for (std::size_t s = 0; s < kSlots; ++s)
    if (fork.slots.test(s) && s != kSinkSlot) warp.unknown[s] |= lanes;
  for (std::size_t p = 0; p < kPredicateSlots; ++p)
    if (fork.predicates.test(p) && p != kPredicateSinkSlot) warp.predicate_unknown[p] |= lanes;
  for (Fork& outer : warp.splits[warp.current].forks) {
    outer.slots |= fork.slots;
    outer.predicates |= fork.predicates;
  }
}

// What a loop writes depends on how often it ran.
void forget_loop(Warp& warp, const read::Loop& loop, Mask lanes) {
  const read::Kernel& kernel = *warp.program->kernel;
  Fork written;
  for (const std::uint32_t b : loop.blocks) {
    for (std::uint32_t i = kernel.blocks[b].first; i <= kernel.blocks[b].last; ++i) {
      read::for_each_write(
          kernel.instructions[i], [&](read::RegisterFile file, unsigned first, unsigned n) {
            for (unsigned k = first; k < first + n; ++k) {
              if (file == read::RegisterFile::kGeneral && k < kZeroSlot) written.slots.set(k);
              if (file == read::RegisterFile::kUniform && kUniformSlot + k < kSlots) {
                written.slots.set(kUniformSlot + k);
              }
              if (file == read::RegisterFile::kPredicate && k < kTrueSlot)
                written.predicates.set(k);
              if (file == read::RegisterFile::kUniformPredicate && k < kTrueSlot) {
                written.predicates.set(kUniformPredicateSlot + k);
              }
            }
          });
    }
  }
  forget(warp, written, lanes);
}

// True where the lanes go around once more.
bool goes_around(Warp& warp, const LoopBranch& branch, Mask lanes) {
  auto& trips = warp.splits[warp.current].trips;
  auto found = std::ranges::find(trips, warp.pc, &std::pair<std::uint32_t, std::uint64_t>::first);
  if (found == trips.end()) {
    trips.emplace_back(warp.pc, branch.at_bottom ? 1 : 0);
    found = std::prev(trips.end());
  }
  if (found->second < passes_of(warp, *branch.loop)) {
    ++found->second;
    return true;
  }
  trips.erase(found);
  forget_loop(warp, *branch.loop, lanes);
  return false;
}

std::shared_ptr<const Snapshot> take_snapshot(const Warp& warp) {
  const std::size_t registers = warp.program->kernel->function->registers;
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->general = registers == 0 ? kZeroSlot : std::min<std::size_t>(registers, kZeroSlot);
  const auto first = warp.slots.begin();
  snapshot->slots.reserve(snapshot->general + kSlots - kUniformSlot);
  snapshot->slots.assign(first, first + static_cast<std::ptrdiff_t>(snapshot->general));
  snapshot->slots.insert(snapshot->slots.end(), first + kUniformSlot, warp.slots.end());
  snapshot->unknown = warp.unknown;
  snapshot->predicates = warp.predicates;
  snapshot->predicate_unknown = warp.predicate_unknown;
  return snapshot;
}

void restore(Warp& warp, const Snapshot& before, Mask lanes) {
  const auto restore_slot = [&](std::size_t s, const Lanes& from, Mask of) {
    blend(warp.slots[s], from, of);
    warp.unknown[s] = (warp.unknown[s] & ~lanes) | (before.unknown[s] & lanes);
  };
  for (std::size_t s = 0; s < before.general; ++s) restore_slot(s, before.slots[s], lanes);
  for (std::size_t s = kUniformSlot; s < kSlots; ++s) {
    restore_slot(s, before.slots[before.general + s - kUniformSlot], kAllLanes);
  }
  for (std::size_t p = 0; p < kPredicateSlots; ++p) {
    const Mask of = p < kUniformPredicateSlot ? lanes : kAllLanes;
    warp.predicates[p] = (warp.predicates[p] & ~of) | (before.predicates[p] & of);
    warp.predicate_unknown[p] =
        (warp.predicate_unknown[p] & ~of) | (before.predicate_unknown[p] & of);
  }
}

// Where both ways of the branch meet again, as an instruction.
std::uint32_t meeting_point(const read::Kernel& kernel, std::uint32_t pc) {
  const std::uint32_t block = kernel.blocks[kernel.block_of[pc]].immediate_post_dominator;
  return block == read::kNoIndex ? read::kNoIndex : kernel.blocks[block].first;
}

void open_fork(Warp& warp, std::uint32_t target) {
  Split& here = warp.splits[warp.current];
  if (here.forks.size() >= kDeepestFork) return;
  Fork fork;
  fork.other = target;
  fork.join = meeting_point(*warp.program->kernel, warp.pc);
  fork.before = take_snapshot(warp);
  here.forks.push_back(std::move(fork));
}

void start_second(Warp& warp, Split& split) {
  Fork& fork = split.forks.back();
  fork.second = true;
  split.pc = fork.other;
  restore(warp, *fork.before, split.lanes);
}

// Whether the branch is taken, if only one of its ways is likely.
std::optional<bool> likely_way(const Warp& warp, std::uint32_t target) {
  const Program& program = *warp.program;
  const std::vector<std::uint32_t>& block_of = program.kernel->block_of;
  if (warp.pc + 1 >= block_of.size()) return std::nullopt;
  const bool is_next_likely = !program.unlikely[block_of[warp.pc + 1]];
  if (program.unlikely[block_of[target]] != is_next_likely) return std::nullopt;
  return !is_next_likely;
}

void go(Warp& warp, Mask taken, std::uint32_t target) {
  warp.taken = taken;
  if (taken == warp.active) {
    warp.next_pc = target;
  } else if (taken != 0) {
    part(warp, taken, target);
  }
}

}  // namespace

void branch_on_unknown(Warp& warp, Mask taken, Mask unknown, std::uint32_t target) {
  ++warp.unknown_count->branches;
  if (const auto takes = likely_way(warp, target)) {
    if (*takes) taken |= unknown;
    return go(warp, taken, target);
  }
  if (const auto branch = loop_branch(*warp.program->kernel, warp.pc, target)) {
    if (goes_around(warp, *branch, unknown) == branch->stays_taken) taken |= unknown;
    return go(warp, taken, target);
  }
  // The unknown lanes become the current split and run both sides; the others go their ways.
  if (taken != 0) part(warp, taken, target);
  const Mask straight = warp.active & ~taken & ~unknown;
  if (straight != 0) part(warp, straight, warp.pc + 1);
  warp.taken = taken | unknown;
  open_fork(warp, target);
}

void join_side(Warp& warp) {
  Split& here = warp.splits[warp.current];
  Fork& fork = here.forks.back();
  if (!fork.second) {
    fork.first_joined = true;
    start_second(warp, here);
    return;
  }
  const Fork done = std::move(fork);
  here.forks.pop_back();
  forget(warp, done, here.lanes);
}

void forget_left_loops(Warp& warp, Mask lanes, std::uint32_t to) {
  const read::Kernel& kernel = *warp.program->kernel;
  std::uint32_t l = kernel.blocks[kernel.block_of[warp.pc]].loop;
  for (; l != read::kNoIndex && !holds(kernel.loops[l], kernel.block_of[to]);
       l = kernel.loops[l].parent) {
    forget_loop(warp, kernel.loops[l], lanes);
  }
}

void end_side(Warp& warp, Mask lanes) {
  if (lanes != warp.active) part(warp, warp.active & ~lanes, warp.pc + 1);
  warp.moved = true;
  Split& here = warp.splits[warp.current];
  while (!here.forks.empty()) {
    Fork& fork = here.forks.back();
    if (!fork.second) {
      start_second(warp, here);
      return;
    }
    const Fork done = std::move(fork);
    here.forks.pop_back();
    forget(warp, done, here.lanes);
    if (done.first_joined) {
      here.pc = done.join;
      return;
    }
  }
  end_lanes(warp, lanes);
}

}  // namespace burin::emulate
