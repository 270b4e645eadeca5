#include "advise/patterns/mapping/row_work.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/mapping/strided_loops.h"
#include "emulate/values/sector.h"

namespace burin::advise {

namespace {

// Each byte of the walked rows comes from L2 once. Computed over all instructions, since in an
// unrolled loop one of the loads takes the L1 misses for all of them.
void fetch_rows_once(const Case& c, const RowWalk& walk, double reuse, Work& work) {
  for (const bool stores : {false, true}) {
    const auto walks = [&](std::uint32_t i) {
      return walk.accesses[i] != 0 && c.at(i).opcode->stores == stores;
    };
    double moved = 0;
    double needed = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!walks(i)) continue;
      moved += work.l2_bytes[i];
      needed += c.accesses[i].ideal_sectors * emulate::kSectorBytes / (stores ? 1 : reuse);
    }
    if (moved <= needed) continue;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (walks(i)) work.l2_bytes[i] *= needed / moved;
    }
  }
}

// A row in registers is indexed by constants: its loops are unrolled completely, have no counters,
// tests and branches, and use immediate offsets as addresses.
void unroll_rows(const Case& c, const RowWalk& walk, Work& work) {
  std::set<std::uint32_t> loops;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (walk.accesses[i] != 0) loops.insert(c.places.loop_of(i));
  }
  loops.erase(read::kNoIndex);
  for (const std::uint32_t loop : loops) {
    const LoopValues values(c, loop);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (c.places.loop_of(i) != loop || !c.at(i).known()) continue;
      const bool branches = c.at(i).opcode->flow == read::Opcode::kBranch;
      if (branches || (is_integer(c.at(i)) && values.known_on_entry(i))) work.issued[i] = 0;
    }
  }
}

// Lines evicted from the caches were loaded from DRAM several times; now they are loaded once.
void load_once(const Case& c, Work& work) {
  double loaded = 0;
  double stored = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    (c.at(i).known() && c.at(i).opcode->stores ? stored : loaded) += work.l2_bytes[i];
  }
  work.dram_read_bytes = std::min(work.dram_read_bytes, loaded);
  work.dram_write_bytes = std::min(work.dram_write_bytes, stored);
}

// Each lane of a row has its own result: all lanes walk along the row together, with one sector per
// step, and the elements of their results are adjacent.
Work shared_results(const Case& c, const RowWalk& walk) {
  Work work = work_of(c);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.places.in_loop(i, walk.results_loop)) continue;
    work.issued[i] *= std::min(1.0, walk.full_lanes);
    if (!touches_global(c.at(i)) || !c.accesses[i].scattered()) continue;
    const bool side_by_side = walk.by_result[i] != 0;
    const double sectors = side_by_side ? c.accesses[i].ideal_sectors : work.issued[i];
    work.l2_requests[i] = side_by_side ? kAdjacentSectors : 1;
    work.passes[i] = std::max(work.issued[i], sectors / 4);
    work.l2_bytes[i] = std::min(work.l2_bytes[i],
                                sectors * emulate::kSectorBytes / (side_by_side ? 1 : walk.reuse));
  }
  load_once(c, work);
  return work;
}

// Whether an exit of the loop tests a value that the loop loads.
bool ends_by_data(const Case& c, std::uint32_t loop) {
  const LoopValues values(c, loop);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.places.in_loop(i, loop) || !c.at(i).known()) continue;
    if (c.at(i).opcode->flow != read::Opcode::kBranch) continue;
    const std::vector<read::Edge>& ways = c.kernel.blocks[c.kernel.block_of[i]].successors;
    const bool leaves = std::ranges::any_of(ways, [&](const read::Edge& way) {
      return !c.places.in_loop(c.kernel.blocks[way.block].first, loop);
    });
    const bool unknown =
        std::ranges::any_of(c.kernel.dependences_of(i), [&](const read::Dependence& d) {
          return d.kind == read::Dependence::Kind::kRegister && !values.known_on_entry(d.producer);
        });
    if (leaves && unknown) return true;
  }
  return false;
}

}  // namespace

Work shared_rows(const Case& c, const RowWalk& walk) {
  if (walk.results_loop != read::kNoIndex) return shared_results(c, walk);
  Work work = work_of(c);
  const double fuller = walk.stride ? 1 : std::min(1.0, walk.full_lanes / kUnequal);
  const double passes = std::max<double>(1, static_cast<double>(walk.passes.size()));
  if (walk.in_registers) unroll_rows(c, walk, work);
  const double fewer = walk.reuse * walk.wide;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (c.places.loop_of(i) != read::kNoIndex) work.issued[i] *= fuller;
    if (walk.accesses[i] == 0) continue;
    if (walk.in_registers) {
      work.issued[i] /= fewer;
      work.passes[i] /= fewer;
      continue;
    }
    const bool kept = !c.at(i).opcode->stores && passes > 1;  // loaded by the first pass
    const double left = (kept ? 1 / passes : 1.0);
    work.l2_requests[i] = kAdjacentSectors;
    // Loaded once from global memory, in wide accesses; then from shared memory or by shuffles.
    work.issued[i] *= left / walk.wide;
    work.passes[i] = c.accesses[i].ideal_sectors / 4 * left;
  }
  fetch_rows_once(c, walk, std::max(1.0, walk.reuse) * (walk.in_registers ? 1 : passes), work);
  load_once(c, work);
  // Each row's lanes combine their results.
  const double rounds =
      walk.rows_loop == read::kNoIndex ? 1 : rounds_of(c, c.kernel.loops[walk.rows_loop]);
  const auto rows = static_cast<double>(c.grid.total() * c.block.total()) * rounds;
  if (walk.reduces && !walk.in_registers)
    work.more_issued = 2 * std::log2(walk.lanes) * rows * walk.lanes / kRowWarp;
  return work;
}

double time_with_shared_rows(const Case& c, const RowWalk& walk) {
  Work work = shared_rows(c, walk);
  work.atomic_cycles = 0;
  double spent = 0;
  double loads = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.places.in_loop(i, walk.rows_loop)) {
      work.issued[i] = work.passes[i] = work.l2_bytes[i] = 0;
      continue;
    }
    spent += c.blamed.total_of(i);
    const bool stores = c.at(i).known() && c.at(i).opcode->stores;
    if (walk.accesses[i] != 0 && !stores) loads += work.issued[i];
  }
  load_once(c, work);
  const double before = c.study->base().time_us;
  const double part = c.blamed.total > 0 ? spent / c.blamed.total : 0;
  const double warps = static_cast<double>(c.grid.total()) *
                       std::ceil(static_cast<double>(c.block.total()) / kRowWarp);
  const double resident =
      static_cast<double>(c.occupancy.warps) * static_cast<double>(c.machine.sm.count);
  const double waves = std::max(1.0, warps / std::max(1.0, resident));
  const double latency_us =
      c.machine.seconds(latency_of(*c.study, walk.example) * loads / warps * waves) * 1e6;
  return before * (1 - part) + std::max(rework(c, work).time_us, latency_us);
}

double serial_time_of_rows(const Case& c, const RowWalk& walk) {
  const std::uint32_t loop = c.places.loop_of(walk.example);
  if (loop == read::kNoIndex || walk.lanes == 0 || !ends_by_data(c, loop)) return 0;
  const Origins origins(c.kernel);
  const std::set<std::uint32_t> array = origins.address_parameters(walk.example);
  double longest = 0;  // elements of a row, in the traced block
  for (const auto& warp : c.study->traced().reference.warps) {
    longest = std::max(longest, static_cast<double>(
                                    std::ranges::count_if(warp, [&](const timing::TraceStep& step) {
                                      return walk.accesses[step.instruction] != 0 &&
                                             origins.address_parameters(step.instruction) == array;
                                    })));
  }
  const timing::InstructionCost& cost = c.study->base().costs[walk.example];
  const double missed = cost.sectors - cost.l1_hits;
  const double in_l2 = missed > 0 ? cost.l2_hits / missed : 0;
  const double latency = in_l2 * c.machine.l2.latency + (1 - in_l2) * c.machine.dram.latency;
  const double warps =
      static_cast<double>(c.grid.total() * c.block.total()) * walk.lanes / kRowWarp;
  const double resident =
      static_cast<double>(c.machine.limit.warps) * static_cast<double>(c.machine.sm.count);
  const double cycles = std::ceil(longest / walk.lanes) * latency * std::max(1.0, warps / resident);
  return c.machine.seconds(cycles + c.machine.dispatch.launch) * 1e6;
}

}  // namespace burin::advise
