#include "advise/patterns/mapping/row_walk.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <ranges>
#include <set>
#include <unordered_map>

#include "advise/case/origin.h"
#include "advise/patterns/code/access_run.h"
#include "advise/patterns/code/lanes.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/slack.h"
#include "advise/patterns/mapping/strided_loops.h"
#include "advise/patterns/reductions/carried.h"
#include "emulate/values/sector.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMaxSpoiled = 0.5;   // other loads that become scattered, of those that walk
constexpr double kMinRowBytes = 64;   // shorter rows are structures
constexpr double kMinUnequal = 4;     // elements of a row, on average
constexpr double kMaxRegisters = 32;  // elements of a row that a lane can keep
constexpr double kMaxOverlap = 1.5;  // bytes of a row over the distance of rows; rows are unaligned
constexpr double kMinRowReuse = 2;   // times that a thread loads an element that it could keep
constexpr double kWarpsToFill = 16;  // warps per SM that hide DRAM latency

using Array =
    std::pair<std::set<std::uint32_t>, bool>;  // parameters of the address; whether it is stored to

struct Steps {
  double all = 0;
  double near = 0;
  double far = 0;
};

// For each array, how many accesses are near the previous access by the same warp.
std::map<Array, Steps> steps_of(const timing::BlockTrace& trace,
                                const std::vector<const Array*>& array_of) {
  std::map<Array, Steps> steps;
  for (const auto& warp : trace.warps) {
    std::map<const Array*, std::uint64_t> last;
    for (const timing::TraceStep& step : warp) {
      const Array* array = array_of[step.instruction];
      if (step.request == timing::kNoRequest || array == nullptr) continue;
      const std::uint64_t address = trace.requests[step.request].first_address;
      const auto [before, first] = last.try_emplace(array, address);
      if (first) continue;
      const std::uint64_t apart =
          std::max(address, before->second) - std::min(address, before->second);
      before->second = address;
      Steps& of = steps[*array];
      ++of.all;
      of.near += apart > 0 && apart <= kMaxStepBytes ? 1 : 0;
      of.far += apart > kMaxStepBytes ? 1 : 0;
    }
  }
  return steps;
}

unsigned power_of_two_below(double value) {
  unsigned power = 1;
  while (2.0 * power <= value) power *= 2;
  return power;
}

// A result that the iterations of a loop accumulate, and whether each of them stores it.
void find_carried(const Case& c, RowWalk& walk) {
  const Slack slack(c);
  read::InstructionSet carried(c.size());
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const std::uint32_t loop = c.places.loop_of(i);
    if (loop == read::kNoIndex || !c.executed(i)) continue;
    const read::Arithmetic kind = read::arithmetic_of(c.at(i));
    if (kind == read::Arithmetic::kNone || !slack.recurrent(i, loop)) continue;
    const bool of_floats = read::float_operations(c.at(i)) > 0;
    const auto loaded = [&](const read::Dependence& d) {
      return d.kind == read::Dependence::Kind::kRegister && walk.accesses[d.producer] != 0;
    };
    const bool of_row = std::ranges::any_of(c.kernel.dependences_of(i), loaded);
    carried[i] = of_floats || of_row ? 1 : 0;
    walk.reduces |= carried[i] != 0;
  }
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.at(i).known() || !c.at(i).opcode->stores || !c.executed(i)) continue;
    walk.stores |= c.places.loop_of(i) != read::kNoIndex;
    if (!touches_global(c.at(i)) || walk.accesses[i] == 0) continue;
    for (const read::Dependence& d : c.kernel.dependences_of(i)) {
      walk.scans |= d.kind == read::Dependence::Kind::kRegister && carried[d.producer] != 0 &&
                    c.places.loop_of(i) == c.places.loop_of(d.producer);
    }
  }
}

// For each instruction, the load of the row that its value is computed from; kNoIndex: none.
constexpr std::uint32_t kSeveral = read::kNoIndex - 1;
std::vector<std::uint32_t> loads_behind(const Case& c, const read::InstructionSet& row) {
  std::vector<std::uint32_t> from(c.size(), read::kNoIndex);
  const auto join = [](std::uint32_t a, std::uint32_t b) {
    if (a == read::kNoIndex || a == b) return b;
    return b == read::kNoIndex ? a : kSeveral;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool loads = row[i] != 0;
      std::uint32_t all = loads ? i : from[i];
      for (const read::Dependence& d : c.kernel.dependences_of(i)) {
        const bool value = d.kind == read::Dependence::Kind::kRegister && !loads &&
                           !read::feeds_address(c.at(i), d);
        if (value) all = join(all, from[d.producer]);
      }
      changed |= all != from[i];
      from[i] = all;
    }
  }
  return from;
}

// Whether a stored value is computed from several loads of the row. The lanes of a row could then
// not compute it from their own elements.
bool needs_several(const Case& c, const std::vector<std::uint32_t>& from) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (touches_global(c.at(i)) && c.at(i).opcode->stores && from[i] == kSeveral) return true;
  }
  return false;
}

// Whether a loop that is unrolled completely stores a value for each of several elements.
bool stores_each(const Case& c, const std::vector<std::uint32_t>& from) {
  std::set<std::uint32_t> stored;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool one = from[i] != read::kNoIndex && from[i] != kSeveral;
    if (!one || !c.at(i).known() || !c.at(i).opcode->stores || !c.executed(i)) continue;
    if (c.places.loop_of(from[i]) == read::kNoIndex) stored.insert(from[i]);
  }
  return stored.size() > 1;
}

}  // namespace

bool is_gathered(const Case& c, std::uint32_t access) {
  const std::uint32_t loop = c.places.loop_of(access);
  if (loop == read::kNoIndex) return false;
  read::InstructionSet seen(c.size());
  std::vector<std::uint32_t> open;
  const auto visit = [&](std::uint32_t producer) {
    if (seen[producer] != 0 || !c.places.in_loop(producer, loop)) return;
    seen[producer] = 1;
    open.push_back(producer);
  };
  for (const read::Dependence& d : c.kernel.dependences_of(access)) {
    if (read::feeds_address(c.at(access), d)) visit(d.producer);
  }
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (touches_global(c.at(at)) && c.at(at).opcode->loads) return true;
    for (const read::Dependence& d : c.kernel.dependences_of(at)) {
      if (d.kind == read::Dependence::Kind::kRegister) visit(d.producer);
    }
  }
  return false;
}

namespace {

// Whether a loop around the access carries a dependence from each iteration to the next, so that
// the lanes of a row would wait for each other.
bool goes_in_order(const Case& c, std::uint32_t access) {
  for (std::uint32_t l = c.places.loop_of(access); l != read::kNoIndex;
       l = c.kernel.loops[l].parent) {
    if (CarriedValues(c, l).in_order()) return true;
  }
  return false;
}

// Bytes that a block loads, with repetitions.
double loaded_bytes(const Case& c, const Requests& requests, const read::InstructionSet& loads) {
  double bytes = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (loads[i] == 0) continue;
    bytes += requests.of(i).requests * requests.of(i).lanes * read::access_bytes(c.at(i));
  }
  return bytes;
}

// Consecutive loops that each load most of the row.
void find_passes(const Case& c, const Requests& requests, const read::InstructionSet& loads,
                 RowWalk& walk) {
  // Sectors at the ends of short rows contain elements of others.
  const auto needed = [&](const read::InstructionSet& set) {
    return std::min(requests.bytes(set), loaded_bytes(c, requests, set));
  };
  const double whole = needed(loads);
  std::map<std::uint32_t, read::InstructionSet> of_loop;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const std::uint32_t loop = c.places.loop_of(i);
    if (loads[i] == 0 || loop == read::kNoIndex) continue;
    read::InstructionSet& set = of_loop[loop];
    set.resize(c.size());
    set[i] = 1;
  }
  // The remainder of an unrolled loop is not a pass of its own: it loads little.
  // Neither is an outer loop: it has only loads that the compiler hoisted out of the inner loop.
  const auto around = [&](std::uint32_t loop) {
    return std::ranges::any_of(of_loop, [&](const auto& other) {
      return other.first != loop &&
             c.kernel.loops[other.first].depth > c.kernel.loops[loop].depth &&
             c.places.in_loop(c.kernel.blocks[c.kernel.loops[other.first].header].first, loop);
    });
  };
  for (const auto& [loop, set] : of_loop) {
    if (needed(set) >= 0.5 * whole && !around(loop)) walk.passes.push_back(loop);
  }
}

// Whether an iteration of the loop, not of its inner loops, needs a value other than a counter from
// the previous iteration.
bool carries(const Case& c, const Origins& origins, std::uint32_t loop) {
  return std::ranges::any_of(c.kernel.dependences, [&](const read::Dependence& d) {
    if (d.kind != read::Dependence::Kind::kRegister || d.producer < d.consumer) return false;
    if (!c.places.in_loop(d.producer, loop) || !c.places.in_loop(d.consumer, loop)) return false;
    std::uint32_t common = c.places.loop_of(d.consumer);
    while (!c.places.in_loop(d.producer, common)) common = c.kernel.loops[common].parent;
    const bool counter = read::float_operations(c.at(d.producer)) == 0 &&
                         (origins.of(d.producer) & Origins::kLoaded) == 0;
    return common == loop && !counter;
  });
}

// The accesses that advance by one element per iteration of the loop, in the first warp of the
// traced block.
read::InstructionSet steps_by_element(const Case& c, std::uint32_t loop) {
  const timing::BlockTrace& trace = c.study->traced().reference;
  const std::uint32_t head = c.kernel.blocks[c.kernel.loops[loop].header].first;
  struct Seen {
    std::uint64_t address = 0;
    std::uint64_t iteration = 0;
    double pairs = 0;
    double adjacent = 0;
  };
  std::map<std::uint32_t, Seen> seen;
  std::uint64_t iteration = 0;
  for (const timing::TraceStep& step : trace.warps.front()) {
    if (step.instruction == head) ++iteration;
    if (step.request == timing::kNoRequest || !touches_global(c.at(step.instruction)) ||
        !c.places.in_loop(step.instruction, loop))
      continue;
    Seen& of = seen[step.instruction];
    if (of.iteration == iteration) continue;
    const std::uint64_t address = trace.requests[step.request].first_address;
    if (of.iteration != 0) {
      ++of.pairs;
      of.adjacent += address - of.address == read::access_bytes(c.at(step.instruction)) ? 1 : 0;
    }
    of.iteration = iteration;
    of.address = address;
  }
  read::InstructionSet set(c.size());
  for (const auto& [i, of] : seen) set[i] = of.adjacent > kMinNearShare * of.pairs ? 1 : 0;
  return set;
}

// A loop around the walk that computes a separate result in each iteration.
void find_results(const Case& c, const Origins& origins, RowWalk& walk) {
  const std::uint32_t own = c.places.loop_of(walk.example);
  if (own == read::kNoIndex) return;
  for (std::uint32_t loop = own; loop != read::kNoIndex; loop = c.kernel.loops[loop].parent) {
    if (rounds_of(c, c.kernel.loops[loop]) < 2 || carries(c, origins, loop)) continue;
    read::InstructionSet set = steps_by_element(c, loop);
    double excess = 0;
    double mended = 0;
    bool stores = false;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!touches_global(c.at(i)) || !c.accesses[i].scattered()) continue;
      const double of = c.accesses[i].sectors - c.accesses[i].ideal_sectors;
      excess += of;
      mended += set[i] != 0 ? of : 0;
      stores |= set[i] != 0 && c.at(i).opcode->stores;
    }
    if (!stores || mended < kMinNearShare * excess) continue;
    walk.results_loop = loop;
    walk.by_result = std::move(set);
    return;
  }
}

// Whether the lanes of a row would scatter other loads of the walk: those that are adjacent or the
// same in all lanes now, and far apart from iteration to iteration.
bool scatters_others(const Case& c, const std::map<Array, Steps>& steps,
                     const std::vector<const Array*>& array_of, const RowWalk& walk) {
  double walking = 0;
  double spoiled = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (array_of[i] == nullptr || c.places.loop_of(i) == read::kNoIndex) continue;
    if (walk.accesses[i] != 0) {
      walking += c.accesses[i].executed;
      continue;
    }
    const auto of = steps.find(*array_of[i]);
    const bool far = of != steps.end() && of->second.far > kMinNearShare * of->second.all;
    if (far && !c.accesses[i].scattered()) spoiled += c.accesses[i].executed;
  }
  return spoiled > kMaxSpoiled * walking;
}

void choose_lanes(const Case& c, RowWalk& walk) {
  const double vector = static_cast<double>(kWidestAccess) / walk.element_bytes;
  const bool aligned = walk.stride && *walk.stride % kWidestAccess == 0;
  const auto rows = static_cast<double>(c.grid.total() * c.block.total());
  if (aligned) walk.wide = static_cast<unsigned>(std::max(1.0, vector));
  if (walk.in_registers) {
    walk.lanes = 1;
    return;
  }
  if (!walk.stride) {
    const double shortest = walk.unequal ? walk.elements / 2 : walk.elements;
    walk.lanes = std::clamp(power_of_two_below(shortest), 2u, kRowWarp);
    return;
  }
  walk.lanes = std::clamp(power_of_two_below(walk.elements / walk.wide), 2u, kRowWarp);
  const double warps = rows * walk.lanes / kRowWarp / c.machine.sm.count;
  const bool too_long = walk.passes.size() > 1 && walk.elements / kRowWarp > kMaxRegisters;
  const bool for_block = walk.elements >= 4.0 * kRowBlock && walk.rows_loop == read::kNoIndex;
  if (walk.lanes == kRowWarp && for_block && (warps < kWarpsToFill || too_long))
    walk.lanes = kRowBlock;
}

}  // namespace

std::optional<RowWalk> row_walk(const Case& c) {
  if (c.study == nullptr || c.accesses.empty()) return std::nullopt;
  const timing::BlockTrace& trace = c.study->traced().reference;
  const Origins origins(c.kernel);
  std::map<Array, read::InstructionSet> arrays;
  std::vector<const Array*> array_of(c.size());
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool access = touches_global(c.at(i)) && !read::is_atomic(c.at(i)) && c.executed(i);
    if (!access || is_gathered(c, i)) continue;
    const auto at = arrays.try_emplace({origins.address_parameters(i), c.at(i).opcode->stores});
    at.first->second.resize(c.size());
    at.first->second[i] = 1;
    array_of[i] = &at.first->first;
  }
  const Requests requests(*c.study);
  const auto threads = static_cast<double>(c.block.total());
  RowWalk walk{.accesses = read::InstructionSet(c.size())};
  double most = 0;
  double most_excess = 0;
  read::InstructionSet longest;
  for (const auto& [array, steps] : steps_of(trace, array_of)) {
    if (steps.near < kMinNearShare * steps.all) continue;
    const read::InstructionSet& set = arrays[array];
    if (requests.bytes(set) < kMinRowBytes * threads / 4) continue;
    std::uint32_t worst = read::kNoIndex;
    double all_excess = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (set[i] == 0 || !c.accesses[i].scattered()) continue;
      walk.accesses[i] = 1;
      const double excess = c.accesses[i].sectors - c.accesses[i].ideal_sectors;
      all_excess += excess;
      if (worst == read::kNoIndex ||
          excess > c.accesses[worst].sectors - c.accesses[worst].ideal_sectors) {
        worst = i;
      }
    }
    // Among arrays with rows of equal length, the most often requested one.
    const double bytes = requests.bytes(set);
    const bool longer = bytes > most || (bytes == most && all_excess > most_excess);
    if (worst == read::kNoIndex || !longer || array.second) continue;
    most = bytes;
    most_excess = all_excess;
    walk.example = worst;
    longest = set;
  }
  if (walk.example == read::kNoIndex) return std::nullopt;
  const double loaded = loaded_bytes(c, requests, longest);
  most = std::min(most, loaded);  // sectors at the ends of a row contain elements of others
  walk.element_bytes = read::access_bytes(c.at(walk.example));
  walk.elements = most / threads / walk.element_bytes;
  walk.rows_loop = block_stride_loop_around(c, walk.example);
  if (walk.rows_loop != read::kNoIndex) {
    if (walk.rows_loop == c.places.loop_of(walk.example)) return std::nullopt;
    walk.elements /= std::max(1.0, rounds_of(c, c.kernel.loops[walk.rows_loop]));
  }
  if (goes_in_order(c, walk.example)) return std::nullopt;
  walk.stride = requests.of(walk.example).stride;
  const std::vector<LaneMean> lanes = lanes_of(*c.study);
  walk.full_lanes = lanes[walk.example].active / kRowWarp;
  walk.unequal = walk.full_lanes < kUnequal;
  if (walk.unequal) walk.stride.reset();
  // Rows that overlap belong to no thread: its elements lie apart, as in a loop over the grid.
  const double row_bytes = walk.elements * walk.element_bytes;
  if (walk.stride && row_bytes > kMaxOverlap * static_cast<double>(*walk.stride))
    return std::nullopt;
  const bool is_short = walk.stride ? row_bytes < kMinRowBytes : walk.elements < kMinUnequal;
  if (is_short) return std::nullopt;
  find_carried(c, walk);
  find_passes(c, requests, longest, walk);
  const std::vector<std::uint32_t> from = loads_behind(c, longest);
  walk.stores |= stores_each(c, from);
  const double passes = std::max<double>(1, static_cast<double>(walk.passes.size()));
  walk.reuse = loaded / most / passes;
  const bool stores_row = std::ranges::any_of(arrays, [&](const auto& array) {
    const bool walks = std::ranges::any_of(
        std::views::iota(0u, static_cast<unsigned>(c.size())),
        [&](unsigned i) { return array.second[i] != 0 && walk.accesses[i] != 0; });
    return array.first.second && walks;
  });
  walk.in_registers =
      walk.stride && walk.elements <= kMaxRegisters && walk.reuse >= kMinRowReuse && !stores_row;
  // Without a loop that accumulates them, each lane of a row would need the other lanes' elements.
  if (!walk.reduces && !walk.in_registers && needs_several(c, from)) return std::nullopt;
  choose_lanes(c, walk);
  if (walk.reuse >= kMinRowReuse && !walk.in_registers && walk.rows_loop == read::kNoIndex)
    find_results(c, origins, walk);
  if (walk.results_loop == read::kNoIndex && !walk.in_registers &&
      scatters_others(c, steps_of(trace, array_of), array_of, walk)) {
    return std::nullopt;
  }
  if (walk.results_loop != read::kNoIndex) {
    const double results = rounds_of(c, c.kernel.loops[walk.results_loop]);
    walk.lanes = std::clamp(power_of_two_below(results), 2u, kRowWarp);
  }
  return walk;
}

}  // namespace burin::advise
