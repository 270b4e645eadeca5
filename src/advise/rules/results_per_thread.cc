// Threads that each compute one result from elements that their neighbours also load: stencils,
// convolutions, filters.
//
// With several adjacent results per thread, one loaded value serves several results, wide loads
// fetch four elements at a time, and work that does not depend on the data (indices, border tests,
// filter weights) is done once for all results.
#include <algorithm>
#include <cmath>

#include "advise/case/fewer_accesses.h"
#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/access_run.h"
#include "advise/patterns/code/constant_trips.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/slack.h"
#include "advise/patterns/mapping/footprint.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMinWarpsPerSm = 8;  // per SM, that must remain
constexpr double kIndexCost = 0.5;    // index instructions per wide load of an unrolled loop
constexpr double kTiledResults = 4;   // results per thread of code that is already tiled

struct Tile {
  unsigned across = 1;
  unsigned down = 1;
  unsigned results() const { return across * down; }
};

// Vertically adjacent results share rows: the more rows a thread loads, the more results it gets.
Tile tile_for(const Case& c, const Footprint& footprint) {
  const double warps = static_cast<double>(c.grid.total()) *
                       std::ceil(static_cast<double>(c.block.total()) / 32) / c.machine.sm.count;
  Tile tile{.across = std::max(4u, 4 / std::max(1u, footprint.element_bytes))};
  const bool has_rows = c.block.y * c.grid.y > 1;
  if (has_rows && footprint.stacked >= 3) tile.down = footprint.stacked >= 5 ? 4 : 2;
  while (tile.down > 1 && warps / tile.results() < kMinWarpsPerSm) tile.down /= 2;
  while (tile.across > 1 && warps / tile.results() < kMinWarpsPerSm) tile.across /= 2;
  return tile;
}

// Elements that a thread stores each time it executes its stores; several are a tile. A float4
// counts as four elements.
double stored_at_once(const Case& c, unsigned element_bytes) {
  double executed = 0;
  double elements = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!touches_global(c.at(i)) || !c.at(i).opcode->stores || read::is_atomic(c.at(i))) continue;
    const double times = c.study->base().costs[i].issued;
    executed = std::max(executed, times);
    elements += times * read::access_bytes(c.at(i)) / std::clamp(element_bytes, 1u, 4u);
  }
  return executed > 0 ? elements / executed : 1;
}

bool stores_results(const Case& c) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (touches_global(c.at(i)) && c.at(i).opcode->stores && !read::is_atomic(c.at(i)) &&
        c.executed(i)) {
      return true;
    }
  }
  return false;
}

// Loads of the same address by all threads: weights of a filter.
read::InstructionSet weights_of(const Case& c, const Origins& origins) {
  constexpr Origins::Mask kNumber =
      Origins::kThreadX | Origins::kThreadY | Origins::kThreadZ | Origins::kBlock;
  read::InstructionSet weights(c.size());
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool load = touches_global(c.at(i)) && !c.at(i).opcode->stores && c.executed(i);
    weights[i] = load && (origins.of_address(i) & kNumber) == 0 ? 1 : 0;
  }
  return weights;
}

// Arithmetic in loops that is combined with elements but does not depend on them, such as a weight
// computed from the distance between element and result. It differs for each pair of element and
// result.
read::InstructionSet weighing_code(const Case& c, const Origins& origins) {
  const auto loaded = [&](std::uint32_t i) { return (origins.of(i) & Origins::kLoaded) != 0; };
  read::InstructionSet feeds(c.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (const read::Dependence& d : c.kernel.dependences) {
      const read::Instruction& to = c.at(d.consumer);
      const bool value = d.kind == read::Dependence::Kind::kRegister &&
                         d.file == read::RegisterFile::kGeneral && is_arithmetic(to);
      if (!value || feeds[d.producer] != 0 || loaded(d.producer)) continue;
      if (!loaded(d.consumer) && feeds[d.consumer] == 0) continue;
      feeds[d.producer] = 1;
      changed = true;
    }
  }
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!is_arithmetic(c.at(i)) || is_integer(c.at(i))) feeds[i] = 0;
    if (c.places.loop_of(i) == read::kNoIndex) feeds[i] = 0;
  }
  return feeds;
}

analyze::Edit share(const Case& c, double value) {
  return {.kind = analyze::Edit::Kind::kShare,
          .instructions = read::InstructionSet(c.size()),
          .value = std::clamp(value, 0.01, 1.0)};
}

// Whether the trip count is a constant in the code: compilers then unroll the loop.
bool has_constant_bound(const Case& c, std::uint32_t loop) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (c.places.loop_of(i) != loop || !c.at(i).known() ||
        c.at(i).opcode->flow != read::Opcode::kBranch)
      continue;
    for (const read::Dependence& d : c.kernel.dependences_of(i)) {
      const bool test = d.kind == read::Dependence::Kind::kRegister &&
                        d.file == read::RegisterFile::kPredicate &&
                        c.places.in_loop(d.producer, loop);
      if (!test) continue;
      for (const read::Operand& o : c.at(d.producer).operands()) {
        if (o.kind == read::Operand::Kind::kImmediate) return true;
      }
    }
  }
  return false;
}

// The minimum remaining share of the window's loops: if the window size is an argument, each result
// must test for each element whether it needs it.
double share_of_tests(const Case& c, const std::vector<Footprint>& all,
                      const read::InstructionSet& in_loops) {
  double uses = 0;
  for (const Footprint& footprint : all) {
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t loop = c.places.loop_of(i);
      const bool open = footprint.loads[i] != 0 && loop != read::kNoIndex;
      if (open && !has_constant_bound(c, loop)) uses += c.blamed.issued[i];
    }
  }
  double issued = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) issued += in_loops[i] != 0 ? c.blamed.issued[i] : 0;
  return issued > 0 ? std::min(1.0, uses / issued) : 0;
}

class ResultsPerThread final : public Rule {
  std::string_view id() const override { return "results-per-thread"; }
  std::string_view summary() const override {
    return "neighbouring threads that load almost the same elements";
  }
  bool needs_launch_shape() const override { return true; }

  std::vector<Match> match(const Case& c) const override {
    const std::vector<Footprint> all = footprints(c);
    if (all.empty()) return {};
    const Footprint& most = *std::ranges::max_element(all, {}, &Footprint::requests);
    const Tile tile = tile_for(c, most);
    if (tile.results() < 2 || stored_at_once(c, most.element_bytes) >= kTiledResults) return {};
    Match match = of(c, all, tile);
    if (match.stalls.empty()) return {};
    describe(c, most, tile, match);
    return {std::move(match)};
  }

  static Match of(const Case& c, const std::vector<Footprint>& all, const Tile& tile) {
    const Origins origins(c.kernel);
    const double once = 1.0 / tile.results();
    Match match;
    read::InstructionSet fewer = weights_of(c, origins);
    analyze::Edit weights = share(c, once);
    weights.instructions = fewer;
    match.edits.push_back(std::move(weights));
    // The share of the tests and index computations of the loads. If the compiler unrolls the loop
    // over them, the index of a wide load is an immediate offset, and the tests disappear.
    double least = once;
    double in_loop = 0;
    for (const Footprint& footprint : all) {
      const double vectors = footprint.vectors(tile.across, tile.down);
      const double wide = vectors / std::max(1.0, footprint.requests);
      least = std::max(least, wide);
      in_loop = std::max(in_loop, kIndexCost * wide);
      share_accesses(c, footprint.loads, loaded_share(c, footprint, vectors), match.edits);
      for (std::uint32_t i = 0; i < c.size(); ++i) fewer[i] |= footprint.loads[i];
    }
    analyze::Edit fixed = share(c, least);
    analyze::Edit unrolled = share(c, std::min(in_loop, least));
    read::InstructionSet stores(c.size());
    const read::InstructionSet weighs = weighing_code(c, origins);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const read::Instruction& at = c.at(i);
      const bool other = fewer[i] == 0 && weighs[i] == 0 && at.known() &&
                         (origins.of(i) & Origins::kLoaded) == 0 &&
                         machine::timing_class(at) != machine::TimingClass::kBarrier;
      const bool store = touches_global(at) && at.opcode->stores && !read::is_atomic(at);
      if (!other && !store) continue;
      const bool repeated = c.places.loop_of(i) != read::kNoIndex;
      (store ? stores : (repeated ? unrolled : fixed).instructions)[i] = fewer[i] = 1;
    }
    unrolled.value = std::max(unrolled.value, share_of_tests(c, all, unrolled.instructions));
    share_accesses(c, stores, least, match.edits);
    match.edits.push_back(std::move(fixed));
    match.edits.push_back(std::move(unrolled));
    match.edits.push_back({.kind = analyze::Edit::Kind::kFewerBlocks, .value = once});
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return fewer[s.waits] != 0 ||
             (s.dependency == Dependency::kGlobalMemory && fewer[s.cause] != 0);
    });
    for (MatchedStall& m : match.stalls) m.weight = 1 - once;
    match.relieves = {
        machine::Resource::kIssue,   machine::Resource::kLsu, machine::Resource::kL1,
        machine::Resource::kL2,      machine::Resource::kAlu, machine::Resource::kFma,
        machine::Resource::kUniform, machine::Resource::kXu,  machine::Resource::kDispatch};
    return match;
  }

  // In passes over the banks of L1: a wide load of a warp takes several.
  static double loaded_share(const Case& c, const Footprint& footprint, double vectors) {
    double passes = 0;
    double executed = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (footprint.loads[i] == 0) continue;
      passes += c.study->base().costs[i].passes;
      executed += c.study->base().costs[i].issued;
    }
    if (executed <= 0 || footprint.requests <= 0) return 1;
    const double before = footprint.requests * std::max(1.0, passes / executed);
    const double of_vector = static_cast<double>(kWidestAccess) * 32 / timing::kLineBytes;
    return std::max(vectors * of_vector / before, vectors / footprint.requests);
  }

  static bool has_open_window(const Case& c, const Footprint& footprint) {
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t loop = c.places.loop_of(i);
      const bool looped = footprint.loads[i] != 0 && c.executed(i) && loop != read::kNoIndex;
      if (looped && !has_constant_trips(c, loop)) return true;
    }
    return false;
  }

  // "3 float4 loads and 2 single loads in each of 14 rows", of the longest row.
  static std::string row_text(const Footprint& footprint, const Tile& tile,
                              std::string_view wide_type) {
    const unsigned at_once = std::max(1u, kWidestAccess / std::max(1u, footprint.element_bytes));
    const RowLoads loads = row_loads(std::ranges::max(footprint.runs), tile.across, at_once);
    std::string text = "by ";
    if (loads.wide > 0) text += count_of(loads.wide, fmt::format("aligned {} load", wide_type));
    if (loads.wide > 0 && loads.single > 0) text += " and ";
    if (loads.single > 0) text += count_of(loads.single, "single load");
    const double rows = footprint.rows(tile.down);
    return rows > 1 ? text + fmt::format(" in each of {:.0f} rows", rows) : text;
  }

  static void describe(const Case& c, const Footprint& footprint, const Tile& tile, Match& match) {
    std::uint32_t load = read::kNoIndex;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (footprint.loads[i] == 0) continue;
      if (load == read::kNoIndex || c.blamed.issued[i] > c.blamed.issued[load]) load = i;
    }
    match.where = load;
    const std::string where = place_name(c.kernel, load);
    const Requests requests(*c.study);
    match.text = fmt::format(
        "For one result a thread loads {} elements at {}, most of which its neighbours load "
        "too: a block requests each sector {:.1f} times.",
        whole(footprint.elements), where, requests.reuse(footprint.loads));
    const bool floats = footprint.element_bytes == 4;
    const std::string wide = floats ? "float4" : "16-byte vector";
    const std::string down =
        tile.down > 1
            ? fmt::format(", for {} adjacent values of the index of threadIdx.y", tile.down)
            : "";
    match.hint = fmt::format(
        "Compute {} adjacent results along the index of threadIdx.x per thread{}, each with its "
        "own accumulator in a register. Load each row of elements once, {}, and use every value "
        "for "
        "all results that need it: about {} loads for {} results instead of {}.",
        tile.across, down, row_text(footprint, tile, wide),
        whole(std::ceil(footprint.vectors(tile.across, tile.down) * tile.results())),
        tile.results(), whole(footprint.requests * tile.results()));
    if (stores_results(c) && tile.across >= 4) {
      match.hint += fmt::format(
          " Store the {} results of a row with one {} store, too: single stores would leave the "
          "lanes {} bytes apart.",
          tile.across, wide, tile.across * footprint.element_bytes);
    }
    const unsigned at_once = kWidestAccess / std::max(1u, footprint.element_bytes);
    if (at_once > 1) {
      match.hint += fmt::format(
          " {} accesses need rows of a multiple of {} elements: test that once, and keep the code "
          "as it is now for other lengths.",
          floats ? "float4" : "Wide", at_once);
    }
    // Without neighbouring elements there are no borders to test.
    if (footprint.stacked > 1 || std::ranges::max(footprint.runs) > 1) {
      match.hint +=
          " At the borders of the array, clamp the index of each load to the array and replace "
          "each "
          "value from beyond it with ?: (by 0 for a sum) instead of a branch around the tile: "
          "every "
          "warp with a tile at a border would run both codes.";
    }
    if (has_open_window(c, footprint)) {
      match.hint +=
          " The loop bounds at the loads are not constants, and values stay in registers only if "
          "the compiler unrolls those loops: make the size of the window a template parameter, "
          "with "
          "a version for each size in use.";
    }
    const read::InstructionSet weights = weights_of(c, Origins(c.kernel));
    if (std::ranges::find(weights, 1) != weights.end()) {
      match.hint +=
          " Values that all threads load from one address (weights) are read once for all results "
          "of a thread: copy them to __shared__ memory at the start of the block, or let the host "
          "put them into __constant__ memory.";
    }
    const auto fewer = [](std::uint32_t extent, unsigned by) { return (extent + by - 1) / by; };
    const launch::Dims grid{fewer(c.grid.x, tile.across), fewer(c.grid.y, tile.down), c.grid.z};
    launch_grid(c, grid, match);
  }
};

}  // namespace

const Rule* results_per_thread() {
  static const ResultsPerThread rule;
  return &rule;
}

}  // namespace burin::advise
