// A block loads the same bytes of global memory repeatedly.
//
// Staged in shared memory, they have a shorter latency than in L1 and are not evicted. Adjacent
// elements of a lane can be read in one wide access, since the kernel chooses the tile's alignment.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/access_run.h"
#include "advise/patterns/code/loaded_conditions.h"
#include "advise/patterns/mapping/search.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"

namespace burin::advise {

namespace {

constexpr double kMinReuse = 4;      // times that a block requests each sector
constexpr double kMinSharers = 1.5;  // warps that share an array; coalescing handles unshared data
constexpr double kMaxTile = 16384;   // bytes that can be copied before a loop
constexpr double kMaxUniformLines = 1.5;  // lines of a request in which all lanes read the same
constexpr double kMinL1HitRate = 0.5;     // of the sectors of a load

// The share of a load's latency that shared memory saves; small if the load hits in L1.
double saved_latency(const Case& c, std::uint32_t load) {
  return std::clamp(1 - c.machine.shared.latency / latency_of(*c.study, load), 0.0, 1.0);
}

constexpr std::string_view kNoEarlyReturn =
    " No thread may return before a __syncthreads(). The launch stays the same.";

// Lanes an even number of words apart conflict in the banks of a tile with the layout of the array.
std::string padding_text(const Case& c, const RequestShape& shape) {
  const bool meets = shape.stride && *shape.stride > 0 && *shape.stride % 8 == 0;
  if (!meets || c.block.total() < 32) return "";
  return fmt::format(
      " Lanes read {} bytes apart: if the tile keeps that distance, pad its rows by one word to "
      "avoid bank conflicts.",
      with_commas(*shape.stride));
}

class SharedStaging final : public Rule {
  std::string_view id() const override { return "shared-staging"; }
  std::string_view summary() const override {
    return "global memory that a block reads repeatedly";
  }

  std::vector<Match> match(const Case& c) const override {
    if (c.study == nullptr) return {};
    const Requests requests(*c.study);
    const read::InstructionSet loads = read_again(c, requests);
    const double reuse = requests.reuse(loads);
    if (reuse < kMinReuse || c.block.total() < 64) return {};
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return (s.dependency == Dependency::kGlobalMemory && loads[s.cause] != 0) ||
             (s.stall == launch::Stall::kLgThrottle && loads[s.waits] != 0);
    });
    if (match.stalls.empty()) return {};
    for (MatchedStall& m : match.stalls) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      m.weight = (1 - 1 / reuse) * saved_latency(c, loads[s.cause] != 0 ? s.cause : s.waits);
    }
    match.edits = {{.kind = analyze::Edit::Kind::kStaged, .instructions = loads}};
    // Four words per access. One thread loads each element and stores it into the tile.
    analyze::Edit joined{.kind = analyze::Edit::Kind::kShare,
                         .instructions = read::InstructionSet(c.size()),
                         .value = std::min(1.0, 0.25 + 2 / reuse)};
    for (const AccessRun& run : access_runs(c.kernel)) {
      if (run.instructions.size() * run.bytes < 16 || loads[run.instructions[0]] == 0) continue;
      // Lanes at other distances than multiples of 16 bytes, or at unknown ones, are not aligned.
      if (requests.of(run.instructions[0]).stride.value_or(1) % 16 != 0) continue;
      for (const std::uint32_t i : run.instructions) joined.instructions[i] = 1;
    }
    if (std::ranges::find(joined.instructions, std::uint8_t{1}) != joined.instructions.end()) {
      match.edits.push_back(std::move(joined));
    }
    match.relieves = {machine::Resource::kLsu, machine::Resource::kL1, machine::Resource::kL2,
                      machine::Resource::kDram, machine::Resource::kIssue};
    const BlamedStall& hot = hottest(c, match.stalls);
    match.where = loads[hot.cause] != 0 ? hot.cause : hot.waits;
    const std::string loop = loop_name(c, c.places.loop_of(match.where));
    match.text = fmt::format(
        "In the {} each block requests every sector {} times. Waiting for it takes {:.0f} % of "
        "the time.",
        loop, whole(reuse), 100 * share_of(c, match.stalls));
    match.hint = hint_for(c, requests, loads, match.where);
    return {std::move(match)};
  }

  // The hint for one array: staged completely if it is small, otherwise tile by tile.
  static std::string hint_for(const Case& c, const Requests& requests,
                              const read::InstructionSet& loads, std::uint32_t where) {
    const Origins origins(c.kernel);
    read::InstructionSet array(c.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      array[i] =
          loads[i] != 0 && origins.address_parameters(i) == origins.address_parameters(where);
    }
    const std::string place = place_name(c.kernel, where);
    const std::string loop = loop_name(c, c.places.loop_of(where));
    const double bytes = requests.bytes(array);
    const double elements = bytes / std::max(1u, read::access_bytes(c.at(where)));
    const double room = std::min(
        kMaxTile, c.machine.limit.shared / std::max(1.0, static_cast<double>(c.occupancy.blocks)));
    const std::string of = argument_text(c, origins, where);
    const std::string rules = padding_text(c, requests.of(where)) + std::string(kNoEarlyReturn);
    // If loaded data decides the trip count, the traced block is no bound for other blocks.
    if (bytes <= room && !is_bound_loaded(c, origins, c.places.loop_of(where))) {
      return fmt::format(
          "A block reads about {} elements{} ({} bytes, in whole sectors) at {}, again and again. "
          "Copy them into __shared__ memory before the {}: {}, for their exact number n, counted "
          "over "
          "all threads of the block,{} then __syncthreads(), and read them from there at {}.{}",
          whole(elements), of, whole(bytes), place, loop, copy_loop(c),
          rows_text(c, requests.stretches(array), elements), place, rules);
    }
    const double lines = requests.of(where).lines;
    if (lines < kMaxUniformLines && c.block.y * c.block.z == 1) {
      return fmt::format(
          "All threads read the same element{} at {}. Divide the {} into an outer loop over tiles "
          "of "
          "{} elements and an inner loop over the elements of a tile. In the outer loop, each "
          "thread loads one element, tile[threadIdx.x], into a __shared__ array of {} elements "
          "(one for each array that the loop reads); __syncthreads(); the inner loop reads tile[k] "
          "instead of global memory; __syncthreads().{}",
          of, place, loop, c.block.total(), c.block.total(), kNoEarlyReturn);
    }
    const std::uint32_t uses = c.places.loop_of(where);
    const std::uint32_t around = uses == read::kNoIndex ? uses : c.kernel.loops[uses].parent;
    const std::string step =
        around == read::kNoIndex
            ? fmt::format(
                  "Divide the {} into an outer loop over tiles and an inner loop over the "
                  "iterations of one tile. In the outer loop",
                  loop)
            : fmt::format("In each iteration of the {}", loop_name(c, around));
    return fmt::format(
        "{}, the {} threads of the block load each element{} that the block reads until the next "
        "tile, including the neighbours beyond the tile's ends, into __shared__ memory, once and "
        "with adjacent threads loading adjacent elements; __syncthreads(); read the tile instead "
        "of "
        "global memory at {}; __syncthreads().{}",
        step, c.block.total(), of, place, rules);
  }

  // The loop over elements for all threads of the block, by their number.
  static std::string copy_loop(const Case& c) {
    if (c.block.y * c.block.z == 1) return "for (i = threadIdx.x; i < n; i += blockDim.x)";
    const std::string_view layers =
        c.block.z > 1 ? "(threadIdx.z * blockDim.y + threadIdx.y)" : "threadIdx.y";
    return fmt::format("for (i = {} * blockDim.x + threadIdx.x; i < n; i += {})", layers,
                       c.block.total());
  }

  // A patch of several rows, whose elements are not numbered in one sequence.
  static std::string rows_text(const Case& c, std::size_t rows, double elements) {
    if (rows < 2 || c.block.y * c.block.z == 1) return "";
    return fmt::format(
        " where element i is in row i / w and column i % w of a patch of about {} rows of w = {} "
        "elements, both clipped to the array,",
        rows, whole(std::ceil(elements / static_cast<double>(rows))));
  }

  // Loads in loops from arrays of which a block requests each sector several times.
  static read::InstructionSet read_again(const Case& c, const Requests& requests) {
    const Origins origins(c.kernel);
    const Searches searches(c);
    std::map<std::set<std::uint32_t>, read::InstructionSet> arrays;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool load = touches_global(c.at(i)) && !c.at(i).opcode->stores && c.executed(i);
      // A search reads few elements of a whole array, and which ones only the previous step tells.
      if (!load || c.places.loop_of(i) == read::kNoIndex || searches.loads[i] != 0) continue;
      read::InstructionSet& of = arrays[origins.address_parameters(i)];
      of.resize(c.size());
      of[i] = 1;
    }
    read::InstructionSet again(c.size());
    for (const auto& [parameters, loads] : arrays) {
      if (requests.reuse(loads) < kMinReuse || too_large(c, origins, requests, loads)) continue;
      if (requests.sharers(loads) < kMinSharers) continue;
      for (std::uint32_t i = 0; i < c.size(); ++i) again[i] |= loads[i];
    }
    return again;
  }

  // Whether the data does not fit into shared memory. An array that threads traverse in order, and
  // reuse before L1 evicts it, can be staged tile by tile. Anything else must fit completely, once
  // for each resident block.
  static bool too_large(const Case& c, const Origins& origins, const Requests& requests,
                        const read::InstructionSet& loads) {
    double sectors = 0;
    double hits = 0;
    bool table = false;  // accessed at data-dependent addresses
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (loads[i] == 0) continue;
      sectors += c.study->base().costs[i].sectors;
      hits += c.study->base().costs[i].l1_hits;
      table |= (origins.of_address(i) & Origins::kLoaded) != 0;
    }
    const double bytes = table ? requests.span(loads) : requests.bytes(loads);
    const bool whole = table || hits < kMinL1HitRate * sectors;
    return whole && bytes * static_cast<double>(c.occupancy.blocks) > c.machine.limit.shared;
  }
};

}  // namespace

const Rule* shared_staging() {
  static const SharedStaging rule;
  return &rule;
}

}  // namespace burin::advise
