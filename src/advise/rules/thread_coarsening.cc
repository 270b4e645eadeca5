// Redundant work in neighbouring threads: threads that differ in one coordinate load and compute
// the same values.
//
// A thread that does the work of several such neighbours does their common work once: everything
// that does not depend on that coordinate.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/slack.h"
#include "advise/patterns/mapping/coarse_registers.h"
#include "advise/patterns/mapping/register_tile.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/text.h"
#include "machine/occupancy.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMinCommon = 0.25;          // of the loads in loops
constexpr double kMinLoads = 0.01;           // of the instructions: fewer are not worth sharing
constexpr double kMinWarpsPerScheduler = 2;  // per scheduler, that must remain
constexpr std::uint64_t kMinBlock = 64;      // threads per block, at least
constexpr std::size_t kTileResults = 8;      // results per thread of register-tiled code,
constexpr double kMinWarpsForTile = 4;       // which needs more warps per scheduler,
constexpr std::size_t kMaxResults = 64;      // and registers for all results

constexpr Origins::Mask kThread = Origins::kThreadX | Origins::kThreadY | Origins::kThreadZ;

struct Axis {
  std::string_view name;
  Origins::Mask mask;
  std::uint32_t extent;
  bool of_grid = false;  // fewer blocks with more work per thread
};

class ThreadCoarsening final : public Rule {
  std::string_view id() const override { return "thread-coarsening"; }
  std::string_view summary() const override {
    return "redundant loads and computation in neighbouring threads";
  }
  bool needs_launch_shape() const override { return true; }

  std::vector<Match> match(const Case& c) const override {
    const Origins origins(c.kernel);
    const std::array axes{Axis{"y", Origins::kThreadY, c.block.y},
                          Axis{"z", Origins::kThreadZ, c.block.z},
                          Axis{"x", Origins::kThreadX | Origins::kBlockX, c.grid.x, true},
                          Axis{"y", Origins::kBlockY, c.block.y > 1 ? 1 : c.grid.y, true},
                          Axis{"z", Origins::kBlockZ, c.block.z > 1 ? 1 : c.grid.z, true}};
    const std::uint64_t of_block = (c.block.total() + 31) / 32;
    const double warps = static_cast<double>(c.grid.total()) * static_cast<double>(of_block) /
                         (c.machine.sm.count * c.machine.sm.schedulers);
    const std::size_t results = accumulators(c);
    const double enough = results >= kTileResults ? kMinWarpsForTile : kMinWarpsPerScheduler;
    std::vector<Match> matches;
    // If threads already compute tiles, there are more results than threads.
    if (results < kTileResults) {
      if (std::optional<Match> tile = of_tile(c)) matches.push_back(std::move(*tile));
    }
    for (const Axis& axis : axes) {
      const bool four = axis.extent >= 4 && warps / 4 >= enough && 4 * results <= kMaxResults &&
                        (axis.of_grid || c.block.total() / 4 >= kMinBlock);
      const read::InstructionSet differs = differing(c, origins, axis);
      const bool room = fits(c, coarse_registers(c, differs, 4));
      const unsigned times = four && room ? 4 : 2;
      if (!axis.of_grid && c.block.total() / times < kMinBlock) continue;
      if (axis.extent < 2 || axis.extent % times != 0 || warps / times < enough) continue;
      if (times * results > kMaxResults) continue;
      if (!fits(c, coarse_registers(c, differs, times))) continue;
      const read::InstructionSet common = common_of(c, origins, axis);
      read::InstructionSet same = common;  // without values that each block has for itself
      for (std::uint32_t i = 0; i < c.size(); ++i) {
        if (differs[i] != 0) same[i] = 0;
      }
      const double share = loaded_share(c, same);
      if (share <= kMinCommon || issued_share(c, loads_of(c, same)) < kMinLoads) continue;
      Match match = of(c, origins, axis, common, times);
      if (match.stalls.empty()) continue;
      describe(c, axis, same, share, times, match);
      matches.push_back(std::move(match));
    }
    return matches;
  }

  // Whether threads with so many registers leave as many warps resident, or enough of them.
  static bool fits(const Case& c, unsigned registers) {
    if (registers > kMaxThreadRegisters) return false;
    machine::KernelNeeds needs = c.needs;
    needs.registers = std::max<std::uint64_t>(needs.registers, registers);
    const Result<machine::Occupancy> then = machine::occupancy(c.machine, needs);
    return then &&
           (static_cast<double>(then->warps) >= kMinWarpsForTile * c.machine.sm.schedulers ||
            then->blocks >= c.occupancy.blocks);
  }

  // Accumulators of a loop: one for each result of a thread. Dependent additions of an unrolled
  // loop are one accumulator.
  static std::size_t accumulators(const Case& c) {
    const Slack slack(c);
    std::vector<std::uint32_t> of(c.size(), read::kNoIndex);  // accumulator of each addition
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t loop = c.places.loop_of(i);
      if (loop == read::kNoIndex || !c.executed(i)) continue;
      const read::Arithmetic kind = read::arithmetic_of(c.at(i));
      const bool adds = kind == read::Arithmetic::kMultiplyAdd || kind == read::Arithmetic::kAdd;
      if (adds && read::float_operations(c.at(i)) > 0 && slack.recurrent(i, loop)) of[i] = i;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const read::Dependence& d : c.kernel.dependences) {
        const bool both = of[d.producer] != read::kNoIndex && of[d.consumer] != read::kNoIndex;
        if (!both || c.places.loop_of(d.producer) != c.places.loop_of(d.consumer)) continue;
        const std::uint32_t first = std::min(of[d.producer], of[d.consumer]);
        changed |= of[d.producer] != first || of[d.consumer] != first;
        of[d.producer] = of[d.consumer] = first;
      }
    }
    std::map<std::uint32_t, std::set<std::uint32_t>> of_loop;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (of[i] != read::kNoIndex) of_loop[c.places.loop_of(i)].insert(of[i]);
    }
    std::size_t most = 1;
    for (const auto& [loop, sums] : of_loop) most = std::max(most, sums.size());
    return most;
  }

  // Register tiling: each thread computes results of several rows and columns, with the rows and
  // columns of the block in shared memory.
  static std::optional<Match> of_tile(const Case& c) {
    const std::optional<RegisterTile> tile = register_tile(c);
    if (!tile) return std::nullopt;
    Match match;
    match.stalls = stalls_where(
        c, [&](const BlamedStall& s) { return c.places.in_loop(s.waits, tile->loop); });
    set_rework(c, tile->after, match);
    match.where = tile->load;
    const std::string loop = c.places.loop_name(tile->loop);
    bool products = false;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      products |= c.places.in_loop(i, tile->loop) && read::float_operations(c.at(i)) > 0 &&
                  read::arithmetic_of(c.at(i)) == read::Arithmetic::kMultiplyAdd;
    }
    match.text = fmt::format(
        "In the {} each thread loads two values for one {}: one is the same for all "
        "results of its row, the other for all results of its column.",
        loop, products ? "multiply-add" : "step of its result");
    const unsigned columns = 16 * tile->across;
    const unsigned rows = 16 * tile->down;
    match.hint = fmt::format(
        "Let a block of 16 × 16 threads compute a tile of {} rows × {} columns, with {} × {} "
        "results per thread in registers. In steps of 16 along the {}: load {} × 16 values of the "
        "rows and 16 × {} values of the columns into __shared__ memory (float4 loads, "
        "__syncthreads()). Then, for each of the 16, read {} values of the rows and {} of the "
        "columns into registers and {} with them. Keep the row values "
        "transposed in __shared__ memory so that a thread reads its {} as {}. Launch {:.0f} "
        "blocks.",
        rows, columns, tile->down, tile->across, loop, rows, columns, tile->down, tile->across,
        products ? fmt::format("do all {} multiply-adds", tile->down * tile->across)
                 : fmt::format("take a step of all {} results", tile->down * tile->across),
        tile->down, tile->down % 4 == 0 ? "float4" : "float2", tile->blocks);
    const auto side = [](std::uint64_t threads, unsigned results) {
      return (threads + results - 1) / results;
    };
    const std::uint64_t layers = std::uint64_t{c.grid.z} * c.block.z;
    match.check = fmt::format("--grid {},{}{} --block 16,16",
                              side(std::uint64_t{c.grid.x} * c.block.x, columns),
                              side(std::uint64_t{c.grid.y} * c.block.y, rows),
                              layers > 1 ? fmt::format(",{}", layers) : "");
    return match;
  }

  // What depends on the thread's position along the axis. If the blocks have tiles of their own in
  // shared memory, what is loaded from there does too.
  static read::InstructionSet differing(const Case& c, const Origins& origins, const Axis& axis) {
    read::InstructionSet differs(c.size());
    std::vector<std::uint32_t> open;
    const bool other_tiles = axis.of_grid && tiles_differ(c, origins, axis.mask);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      differs[i] = (origins.of(i) & axis.mask) != 0 ? 1 : 0;
      if (!other_tiles || !touches_shared(c.at(i)) || !c.at(i).opcode->loads) continue;
      differs[i] = 1;
      open.push_back(i);
    }
    const std::vector<std::vector<std::uint32_t>> consumers = consumers_of(c.kernel);
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t next : consumers[at]) {
        if (differs[next] != 0) continue;
        differs[next] = 1;
        open.push_back(next);
      }
    }
    return differs;
  }

  // Loops that end at another iteration for each position along the axis, and loops inside them:
  // each result runs them for itself.
  static read::InstructionSet own_loops(const Case& c, const Origins& origins, const Axis& axis) {
    read::InstructionSet own(c.kernel.loops.size());
    for (std::uint32_t loop = 0; loop < own.size(); ++loop) {
      const std::uint32_t parent = c.kernel.loops[loop].parent;
      if (parent != read::kNoIndex && own[parent] != 0) own[loop] = 1;
      for (const std::uint32_t b : c.kernel.loops[loop].blocks) {
        const read::BasicBlock& block = c.kernel.blocks[b];
        const bool leaves = std::ranges::any_of(block.successors, [&](const read::Edge& e) {
          return !c.places.in_loop(c.kernel.blocks[e.block].first, loop);
        });
        if (leaves && (origins.of(block.last) & axis.mask) != 0 &&
            (origins.of(block.last) & Origins::kLoaded) != 0) {
          own[loop] = 1;
        }
      }
    }
    return own;
  }

  // In loops only: code outside loops runs once anyway.
  static read::InstructionSet common_of(const Case& c, const Origins& origins, const Axis& axis) {
    read::InstructionSet common(c.size());
    const bool other_tiles = axis.of_grid && tiles_differ(c, origins, axis.mask);
    const read::InstructionSet own = own_loops(c, origins, axis);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const read::Instruction& at = c.at(i);
      const std::uint32_t loop = c.places.loop_of(i);
      if (!at.known() || (origins.of(i) & axis.mask) != 0 || loop == read::kNoIndex ||
          own[loop] != 0) {
        continue;
      }
      // Values of other tiles that all lanes read can be adjacent and come with one load.
      if (other_tiles && touches_shared(at) && (origins.of(i) & kThread) != 0) continue;
      const machine::TimingClass kind = machine::timing_class(at);
      if (kind == machine::TimingClass::kBarrier || (at.opcode->stores && !at.opcode->loads))
        continue;
      common[i] = 1;
    }
    return common;
  }

  // Whether blocks at different positions along the axis have different values in shared memory.
  static bool tiles_differ(const Case& c, const Origins& origins, Origins::Mask axis) {
    const Origins::Mask blocks = axis & (Origins::kBlockX | Origins::kBlockY | Origins::kBlockZ);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool stores = touches_shared(c.at(i)) && c.at(i).opcode->stores;
      if (stores && (origins.of(i) & blocks) != 0) return true;
    }
    return false;
  }

  static read::InstructionSet loads_of(const Case& c, const read::InstructionSet& instructions) {
    read::InstructionSet loads(c.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      loads[i] = instructions[i] != 0 && (touches_shared(c.at(i)) || touches_global(c.at(i)));
    }
    return loads;
  }

  // The common share of the loop's loads, weighted by issue count.
  static double loaded_share(const Case& c, const read::InstructionSet& common) {
    double all = 0;
    double part = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!touches_shared(c.at(i)) && !touches_global(c.at(i))) continue;
      all += c.blamed.issued[i];
      if (common[i] != 0) part += c.blamed.issued[i];
    }
    return all > 0 ? part / all : 0;
  }

  // Work before the loops that does not depend on the thread's position along the axis.
  static bool starts_thread(const Case& c, const Origins& origins, const Axis& axis,
                            std::uint32_t i) {
    const read::Instruction& at = c.at(i);
    return at.known() && c.places.loop_of(i) == read::kNoIndex && !touches_global(at) &&
           !touches_shared(at) && (origins.of(i) & axis.mask) == 0 &&
           machine::timing_class(at) != machine::TimingClass::kBarrier;
  }

  static Match of(const Case& c, const Origins& origins, const Axis& axis,
                  const read::InstructionSet& common, unsigned times) {
    Match match;
    const double gone = 1 - 1.0 / times;
    const double queue = gone * loaded_share(c, common);
    for (std::uint32_t s = 0; s < c.blamed.stalls.size(); ++s) {
      const BlamedStall& stall = c.blamed.stalls[s];
      const bool memory = stall.dependency == Dependency::kSharedMemory ||
                          stall.dependency == Dependency::kGlobalMemory;
      double part = common[stall.waits] != 0 || (memory && common[stall.cause] != 0) ? gone : 0;
      if (stall.stall == launch::Stall::kMioThrottle || stall.stall == launch::Stall::kLgThrottle) {
        part = std::max(part, queue);
      }
      if (part > 0) match.stalls.push_back({.stall = s, .weight = part});
    }
    match.edits = {
        {.kind = analyze::Edit::Kind::kShare, .instructions = common, .value = 1.0 / times}};
    if (axis.of_grid) {
      read::InstructionSet& shared = match.edits[0].instructions;
      for (std::uint32_t i = 0; i < c.size(); ++i) shared[i] |= starts_thread(c, origins, axis, i);
      match.edits.push_back({.kind = analyze::Edit::Kind::kFewerBlocks, .value = 1.0 / times});
    }
    match.relieves = {machine::Resource::kIssue,   machine::Resource::kLsu,
                      machine::Resource::kShared,  machine::Resource::kL1,
                      machine::Resource::kAlu,     machine::Resource::kFma,
                      machine::Resource::kUniform, machine::Resource::kXu};
    if (axis.of_grid) match.relieves.push_back(machine::Resource::kDispatch);
    return match;
  }

  static void describe(const Case& c, const Axis& axis, const read::InstructionSet& common,
                       double share, unsigned times, Match& match) {
    std::uint32_t load = read::kNoIndex;  // the most frequent
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (common[i] == 0 || (!touches_shared(c.at(i)) && !touches_global(c.at(i)))) continue;
      if (load == read::kNoIndex || c.blamed.issued[i] > c.blamed.issued[load]) load = i;
    }
    match.where = load;
    match.text = fmt::format(
        "Threads that differ only in {}Idx.{} load the same values: {:.0f} % of the loads do not "
        "depend on it. Hottest: {}.",
        axis.of_grid && axis.name != "x" ? "block" : "thread", axis.name, 100 * share,
        place_name(c.kernel, load));
    match.hint = fmt::format(
        "Compute {} results per thread along {}, each with its own accumulator, and launch {} of "
        "{} {} along it instead of {}. Each value loaded at {} is then used {} times. `burin "
        "coarsen --coarsen-{} {}={}` makes that kernel and proves it equal.",
        times, axis.name, axis.of_grid ? "grids" : "blocks", with_commas(axis.extent / times),
        axis.extent / times == 1 ? (axis.of_grid ? "block" : "thread")
                                 : (axis.of_grid ? "blocks" : "threads"),
        with_commas(axis.extent), place_name(c.kernel, load), times,
        axis.of_grid ? "block" : "thread", axis.name, times);
    launch::Dims grid = c.grid;
    launch::Dims block = c.block;
    launch::Dims& fewer = axis.of_grid ? grid : block;
    (axis.name == "x" ? fewer.x : axis.name == "y" ? fewer.y : fewer.z) /= times;
    match.check = shape_options(grid, block);
  }
};

}  // namespace

const Rule* thread_coarsening() {
  static const ThreadCoarsening rule;
  return &rule;
}

}  // namespace burin::advise
