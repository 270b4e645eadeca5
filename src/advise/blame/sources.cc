#include "advise/blame/sources.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "advise/blame/awaited.h"
#include "advise/blame/dependency.h"
#include "read/isa/traits.h"

namespace burin::advise {
namespace {

// The search for a barrier ends after this many basic blocks.
constexpr std::size_t kMaxBlocks = 256;

// Keeps the sources for which `keep` is true, or all if it is true for none.
template <typename Keep>
void prune(std::vector<BlameSource>& sources, Keep keep) {
  const auto likes = [&](const BlameSource& source) { return keep(source); };
  if (std::ranges::none_of(sources, likes)) return;
  std::erase_if(sources, [&](const BlameSource& source) { return !keep(source); });
}

// Whether threads of a warp, a block or a cluster synchronise.
bool synchronises_threads(const read::Instruction& i) {
  return read::is_barrier(i) || read::sync_of(i) == read::Sync::kWarp;
}

bool is_depbar(const read::Instruction& i) {
  return read::sync_of(i) == read::Sync::kScoreboard;
}

// The unit whose results arrive in instruction order.
machine::Resource unit_of(const read::Instruction& i) {
  return is_long(i) ? machine::Resource::kL1 : machine::resource_of(machine::timing_class(i));
}

// Stores and atomics that a warp must have sent before it ends.
bool leaves_sm(const read::Instruction& i) {
  return i.known() && i.opcode->stores && is_long(i);
}

bool reads_constant(const read::Instruction& i) {
  return std::ranges::any_of(i.operands(), [](const read::Operand& o) {
    return o.kind == read::Operand::Kind::kConstant;
  });
}

// Per block: the instructions that may issue directly before it, including through calls and
// returns.
std::vector<std::vector<std::uint32_t>> issued_before_blocks(const read::Kernel& kernel) {
  const std::size_t count = kernel.blocks.size();
  // The blocks of a local function that return.
  std::vector<std::vector<std::uint32_t>> returns(count);
  std::vector<std::uint32_t> seen(count, read::kNoIndex);
  for (const std::uint32_t entry : kernel.entries) {
    std::vector<std::uint32_t> open{entry};
    while (!open.empty()) {
      const std::uint32_t b = open.back();
      open.pop_back();
      if (seen[b] == entry) continue;
      seen[b] = entry;
      if (kernel.blocks[b].returns) returns[entry].push_back(kernel.blocks[b].last);
      for (const read::Edge& edge : kernel.blocks[b].successors) open.push_back(edge.block);
    }
  }
  std::vector<std::vector<std::uint32_t>> before(count);
  for (std::uint32_t b = 0; b < count; ++b) {
    for (const read::Edge& edge : kernel.blocks[b].predecessors) {
      const read::BasicBlock& from = kernel.blocks[edge.block];
      if (edge.kind == read::Edge::Kind::kReturn && from.callee != read::kNoIndex) {
        before[b].insert(before[b].end(), returns[from.callee].begin(), returns[from.callee].end());
      } else {
        before[b].push_back(from.last);
      }
    }
    if (kernel.blocks[b].callee != read::kNoIndex) {
      before[kernel.blocks[b].callee].push_back(kernel.blocks[b].last);
    }
  }
  for (auto& list : before) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return before;
}

}  // namespace

double latency_bound(const read::Instruction& instruction, const machine::Machine& machine) {
  const machine::TimingClass timing = machine::timing_class(instruction);
  const double warps = machine.limit.warps / machine.sm.schedulers;
  const double base = machine.of(timing).latency + warps * machine.of(timing).gap;
  // Loaded memory: several times the additional latency at half of its bandwidth.
  const double memory = machine.dram.latency + machine.l2.far_latency + 4 * machine.dram.loaded;
  if (is_long(instruction)) return base + memory + machine.bulk.tma_latency;
  if (timing == machine::TimingClass::kMemory || timing == machine::TimingClass::kMatrixLoad) {
    // Every entry of the SM's queues takes 32 passes over the banks.
    return machine.shared.latency + 32 * machine.lsu.queue * machine.sm.schedulers;
  }
  if (timing == machine::TimingClass::kConstantLoad) return base + machine.constant.cold_latency;
  return base;
}

BlameSources::BlameSources(const read::Kernel& kernel, const machine::Machine& machine,
                           bool by_order)
    : kernel_(kernel),
      machine_(machine),
      by_order_(by_order),
      paths_(kernel),
      seen_(kernel.blocks.size(), 0),
      before_block_(issued_before_blocks(kernel)) {
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    if (synchronises_threads(kernel.instructions[i])) barriers_.push_back(i);
    if (read::is_fence(kernel.instructions[i])) fences_.push_back(i);
    if (is_product(kernel.instructions[i])) products_.push_back(i);
    if (leaves_sm(kernel.instructions[i])) stores_.push_back(i);
  }
}

std::vector<BlameSource> BlameSources::issued_before(std::uint32_t waits) const {
  const std::uint32_t block = kernel_.block_of[waits];
  if (waits != kernel_.blocks[block].first) return {{.cause = waits - 1}};
  std::vector<BlameSource> sources;
  for (const std::uint32_t cause : before_block_[block]) sources.push_back({.cause = cause});
  return sources;
}

std::uint32_t BlameSources::waiting(std::uint32_t sampled, launch::Stall stall) const {
  if (search_of(stall) != BlameSearch::kScoreboard ||
      kernel_.instructions[sampled].control.wait_mask != 0 ||
      is_depbar(kernel_.instructions[sampled])) {
    return sampled;
  }
  for (const BlameSource& before : issued_before(sampled)) {
    if (is_depbar(kernel_.instructions[before.cause])) return before.cause;
  }
  return sampled;
}

// The instructions that `waits` depends on by scoreboard, or also by register.
std::vector<BlameSource> BlameSources::producers(std::uint32_t waits, bool with_registers) const {
  std::vector<BlameSource> sources;
  for (const read::Dependence& d : kernel_.dependences_of(waits)) {
    if (d.kind == read::Dependence::Kind::kRegister && !with_registers) continue;
    const bool read = d.kind == read::Dependence::Kind::kScoreboardRead;
    const auto known = std::ranges::find(sources, d.producer, &BlameSource::cause);
    if (known == sources.end()) {
      sources.push_back({.cause = d.producer, .after_read = read});
    } else {
      known->after_read &= read;
    }
  }
  return sources;
}

// The last wanted instruction on each path to `waits`.
std::vector<BlameSource> BlameSources::nearest_before(std::uint32_t waits,
                                                      const std::vector<std::uint32_t>& wanted) {
  std::vector<BlameSource> sources;
  if (wanted.empty()) return sources;
  ++seen_now_;
  std::size_t blocks = 0;
  std::vector<std::uint32_t>
      open;  // instructions to examine, each with those before it in its block
  const auto look_before = [&](std::uint32_t instruction) {
    for (const BlameSource& before : issued_before(instruction)) open.push_back(before.cause);
  };
  look_before(waits);
  while (!open.empty() && blocks < kMaxBlocks) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const std::uint32_t block = kernel_.block_of[at];
    const std::uint32_t first = kernel_.blocks[block].first;
    if (at == kernel_.blocks[block].last) {
      if (std::exchange(seen_[block], seen_now_) == seen_now_) continue;
      ++blocks;
    }
    const auto behind = std::ranges::upper_bound(wanted, at);
    if (behind == wanted.begin() || *std::prev(behind) < first) {
      look_before(first);
    } else if (const std::uint32_t found = *std::prev(behind);
               std::ranges::find(sources, found, &BlameSource::cause) == sources.end()) {
      sources.push_back({.cause = found});
    }
  }
  return sources;
}

void BlameSources::prune_by_latency(std::vector<BlameSource>& sources) const {
  prune(sources, [&](const BlameSource& source) {
    return !source.path.known ||
           source.path.least_cycles <= latency_bound(kernel_.instructions[source.cause], machine_);
  });
}

// Whether every path from `earlier` to `waits` passes `later`, and both execute or neither.
bool BlameSources::always_after(std::uint32_t earlier, std::uint32_t later,
                                std::uint32_t waits) const {
  const read::Guard& guard = kernel_.instructions[later].guard;
  const read::Guard& other = kernel_.instructions[earlier].guard;
  const bool same = guard.index == other.index && guard.negated == other.negated &&
                    guard.uniform == other.uniform;
  if (!guard.always() && !same) return false;
  const std::uint32_t from = kernel_.block_of[earlier];
  const std::uint32_t by = kernel_.block_of[later];
  const std::uint32_t to = kernel_.block_of[waits];
  if (from == by) {
    // Both on a straight path, or both around a loop.
    return earlier < later && (to != from || later < waits || waits <= earlier);
  }
  if (by == to) return later < waits && kernel_.dominates(from, by);
  return kernel_.dominates(from, by) && kernel_.dominates(by, to);
}

void BlameSources::prune_by_order(std::vector<BlameSource>& sources, std::uint32_t waits) const {
  const std::vector<BlameSource> all = sources;
  std::erase_if(sources, [&](const BlameSource& source) {
    return std::ranges::any_of(all, [&](const BlameSource& other) {
      return other.cause != source.cause && (source.after_read || !other.after_read) &&
             unit_of(kernel_.instructions[source.cause]) ==
                 unit_of(kernel_.instructions[other.cause]) &&
             always_after(source.cause, other.cause, waits);
    });
  });
}

std::vector<BlameSource> BlameSources::of(std::uint32_t waits, launch::Stall stall) {
  const auto instruction = [&](const BlameSource& source) -> const read::Instruction& {
    return kernel_.instructions[source.cause];
  };
  std::vector<BlameSource> sources;
  switch (search_of(stall)) {
    case BlameSearch::kOwn:
      return {};
    case BlameSearch::kScoreboard:
      sources = producers(waits, false);
      prune(sources, [&](const BlameSource& source) {
        return is_long(instruction(source)) == (stall == launch::Stall::kLongScoreboard);
      });
      break;
    case BlameSearch::kBefore:
      sources = issued_before(waits);
      if (stall == launch::Stall::kWait) {
        for (BlameSource& source : sources) {
          source.weight = std::max(0, int{instruction(source).control.stall} - 1);
        }
        prune(sources, [](const BlameSource& source) { return source.weight > 0; });
      } else {
        prune(sources, [&](const BlameSource& source) {
          return instruction(source).known() &&
                 instruction(source).opcode->flow != read::Opcode::kNext;
        });
      }
      break;
    case BlameSearch::kSynchronization:
      sources = nearest_before(waits, stall == launch::Stall::kMembar ? fences_ : barriers_);
      break;
    case BlameSearch::kProducts:
      sources = nearest_before(waits, products_);
      break;
    case BlameSearch::kStores:
      sources = nearest_before(waits, stores_);
      break;
    case BlameSearch::kConstant:
      if (reads_constant(kernel_.instructions[waits])) return {{.cause = waits}};
      sources = producers(waits, false);
      prune(sources,
            [&](const BlameSource& source) { return reads_constant(instruction(source)); });
      break;
  }
  paths_.towards(waits);
  for (BlameSource& source : sources) {
    if (search_of(stall) != BlameSearch::kBefore) {
      source.path = paths_.from(source.cause);
      continue;
    }
    if (stall == launch::Stall::kWait) source.cause = awaited(kernel_, source.cause, waits);
    const std::uint32_t length = distance_of_awaited(kernel_, source.cause, waits);
    source.path = {.known = true, .longest = length, .average = static_cast<double>(length)};
  }
  if (search_of(stall) == BlameSearch::kScoreboard) {
    prune_by_latency(sources);
    if (by_order_) prune_by_order(sources, waits);
  }
  return sources;
}

std::size_t BlameSources::unpruned(std::uint32_t waits, launch::Stall stall) const {
  if (search_of(stall) != BlameSearch::kScoreboard && stall != launch::Stall::kWait) return 1;
  return producers(waits, true).size();
}

std::vector<BlameSource> BlameSources::before_pruning(std::uint32_t waits, launch::Stall stall,
                                                      const std::vector<BlameSource>& left) {
  if (search_of(stall) != BlameSearch::kScoreboard && stall != launch::Stall::kWait) return left;
  std::vector<BlameSource> sources = producers(waits, true);
  paths_.towards(waits);
  for (BlameSource& source : sources) source.path = paths_.from(source.cause);
  for (const BlameSource& source : left) {
    if (std::ranges::find(sources, source.cause, &BlameSource::cause) != sources.end()) continue;
    sources.push_back(source);
    sources.back().weight = 1;
  }
  return sources;
}

}  // namespace burin::advise
