// Many narrow accesses that a few wide ones could replace.
//
// Either a thread accesses consecutive elements one by one, or each lane moves only a byte or two.
// In the second case one thread can process four elements, with a quarter of the threads or loop
// iterations, and does the work that does not depend on the data once for all four. Each element is
// then extracted from a word, or inserted into it, instead of having its own address.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "advise/case/fewer_accesses.h"
#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/access_run.h"
#include "advise/patterns/code/element_work.h"
#include "advise/patterns/code/lanes.h"
#include "advise/patterns/code/loaded_conditions.h"
#include "advise/patterns/code/slack.h"
#include "advise/patterns/mapping/fewer_threads.h"
#include "advise/patterns/mapping/footprint.h"
#include "advise/patterns/mapping/search.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/text.h"
#include "emulate/values/lanes.h"
#include "emulate/values/sector.h"
#include "read/isa/traits.h"
#include "read/program/launch_size.h"

namespace burin::advise {

namespace {

constexpr unsigned kElements = 4;            // bytes or halves per thread
constexpr double kMinPackedShare = 0.45;     // used bytes of a block's sectors; borders are shared
constexpr double kMaxAdjacentLines = 1.3;    // lines of a request with adjacent words
constexpr double kMinAdjacentSectors = 3.5;  // sectors of such a request
constexpr double kEndSectors = 1.2;          // more, where words begin within a sector
constexpr double kWorthwhile = 1.05;         // minimum speedup of streams that are not DRAM-bound
constexpr double kMaxUniformSectors = 1.2;  // sectors of a request in which all lanes have one word
constexpr double kFewLanes = 0.6;           // of the lanes, for code that most lanes skip
constexpr double kMaxDivergent = 0.5;       // of the instructions, that run with few lanes
constexpr std::size_t kMaxSingleNamed = 3;
constexpr double kMinAccessFrequency = 0.5;  // relative to the most frequent access; rare accesses
                                             // are ignored

struct Narrow {
  read::InstructionSet fewer;              // executed once instead of `together` times
  std::uint32_t example = read::kNoIndex;  // the most frequently executed access
  unsigned together = 0;
  bool of_thread = false;  // one thread's elements: the first access fetches their sectors
};

struct Shape {
  launch::Dims grid;
  launch::Dims block;
};

// A launch whose threads do the work of `together` threads along x: fewer blocks if there are
// enough, or else smaller ones.
Shape with_fewer_threads(const Case& c, unsigned together) {
  Shape shape{c.grid, c.block};
  std::uint32_t& fewer = c.grid.x >= together ? shape.grid.x : shape.block.x;
  fewer = (fewer + together - 1) / together;
  return shape;
}

std::string fewer_threads_text(const Case& c, unsigned together) {
  const Shape shape = with_fewer_threads(c, together);
  if (c.grid.x >= together) {
    return fmt::format("launch {} of the same size along x instead of {}",
                       count_of(shape.grid.x, "block"), with_commas(c.grid.x));
  }
  return fmt::format("launch blocks of {} along x instead of {}", count_of(shape.block.x, "thread"),
                     c.block.x);
}

void take_example(const Case& c, std::uint32_t access, Narrow& narrow) {
  if (narrow.example == read::kNoIndex ||
      c.accesses[access].executed > c.accesses[narrow.example].executed) {
    narrow.example = access;
  }
}

// Blocks along x if each thread has kElements elements.
std::uint32_t fewer_blocks(const Case& c) {
  return (c.grid.x + kElements - 1) / kElements;
}

class VectorAccess final : public Rule {
  std::string_view id() const override { return "vector-access"; }
  std::string_view summary() const override {
    return "narrow memory accesses that could be vectorised";
  }

  std::vector<Match> match(const Case& c) const override {
    if (c.accesses.empty()) return {};
    std::vector<Match> found;
    if (Match match = of_thread(c); !match.stalls.empty()) found.push_back(std::move(match));
    if (Match match = of_warp(c); !match.stalls.empty()) {
      found.push_back(std::move(match));
    } else if (match = of_packed_stores(c); !match.stalls.empty()) {
      found.push_back(std::move(match));
    } else if (match = of_streams(c); !match.stalls.empty()) {
      found.push_back(std::move(match));
    }
    return found;
  }

  // Each thread accesses one word of each array, and computes its index for that word alone. A
  // thread with four elements computes it once and has wide accesses.
  static Match of_streams(const Case& c) {
    if (c.study == nullptr || c.grid.x < kElements) return {};
    const Requests requests(*c.study);
    const Origins origins(c.kernel);
    Narrow narrow{
        .fewer = read::InstructionSet(c.size()), .together = kElements, .of_thread = true};
    const read::InstructionSet searches = Searches(c).loads;
    const bool searched = std::ranges::find(searches, std::uint8_t{1}) != searches.end();
    if (searched || loops_by_data(c, origins) || diverges(c)) return {};
    bool loads = false;
    bool stores = false;
    std::vector<std::string> single;
    double once = 0;
    double all = 0;
    // The compiler repeats loops, and code after a branch on the data, for each element.
    const read::InstructionSet repeated = after_loaded_branch(c, origins);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!c.at(i).known() || !c.executed(i)) continue;
      if (called(c, i)) {
        if (touches_global(c.at(i))) return {};
        continue;
      }
      all += c.study->base().costs[i].issued;
      if (machine::timing_class(c.at(i)) == machine::TimingClass::kBarrier) return {};
      if (!touches_global(c.at(i))) {
        if (touches_shared(c.at(i))) return {};
        const bool index = (origins.of(i) & Origins::kMemory) == 0 && repeated[i] == 0 &&
                           c.places.loop_of(i) == read::kNoIndex;
        narrow.fewer[i] = index ? 1 : 0;
        if (narrow.fewer[i] != 0) once += c.study->base().costs[i].issued;
        continue;
      }
      const RequestShape& shape = requests.of(i);
      const bool words = read::access_bytes(c.at(i)) == kWordBytes && shape.lines > 0 &&
                         shape.lines < kMaxAdjacentLines && shape.sectors > kMinAdjacentSectors;
      if (c.places.loop_of(i) != read::kNoIndex || read::is_atomic(c.at(i))) return {};
      if (c.at(i).opcode->stores && !words) return {};
      // Neighbours (a[i + 1]) begin within a wide access, and stay single loads.
      const bool aligned = requests.alignment_of(i) >= kWidestAccess;
      if (words && !aligned && c.at(i).opcode->stores) return {};
      const std::string place = place_name(c.kernel, i);
      const double bytes = shape.lanes * read::access_bytes(c.at(i));
      const bool adjacent = shape.sectors > kMinAdjacentSectors &&
                            shape.sectors <= bytes / emulate::kSectorBytes + kEndSectors;
      if (adjacent && !aligned && std::ranges::find(single, place) == single.end()) {
        single.push_back(place);
      }
      narrow.fewer[i] = (words && aligned) || shape.sectors < kMaxUniformSectors ? 1 : 0;
      if (!words || !aligned) continue;
      (c.at(i).opcode->stores ? stores : loads) = true;
      take_example(c, i, narrow);
    }
    if (!loads || !stores || !footprints(c).empty()) return {};
    Match match = of(c, narrow);
    match.edits.push_back({.kind = analyze::Edit::Kind::kFewerBlocks, .value = 1.0 / kElements});
    match.least = kWorthwhile;
    const launch::Dims grid{fewer_blocks(c), c.grid.y, c.grid.z};
    match.least_us = time_with_fewer_threads(
        c, {.grid = grid, .block = c.block, .together = kElements, .once = narrow.fewer},
        match.edits);
    match.relieves.push_back(machine::Resource::kDispatch);
    match.relieves.push_back(machine::Resource::kXu);
    match.text = fmt::format(
        "Each thread has one element of 4 bytes at {}, and computes its index for that alone: "
        "{:.0f} % of the instructions do not depend on the data.",
        place_name(c.kernel, narrow.example), 100 * once / std::max(all, 1.0));
    match.hint = fmt::format(
        "Let each thread take {} adjacent elements: load and store them as float4, or what "
        "their type is (the addresses must be multiples of 16), compute in an unrolled loop over "
        "the {}, and compute the index of the first once. Keep single elements for a remainder "
        "that "
        "does not fill a float4.",
        kElements, kElements);
    if (!single.empty()) {
      match.hint += fmt::format(
          " The loads at {} do not begin at a multiple of 16 bytes: they stay single loads.",
          list_of(single, kMaxSingleNamed));
    }
    launch_grid(c, grid, match);
    return match;
  }

  // Whether most of the work is done by few lanes of each warp. A thread with several elements
  // would take the paths of all of them, one after another, and store elements that no lane stores
  // now.
  static bool diverges(const Case& c) {
    const std::vector<LaneMean> lanes = lanes_of(*c.study);
    const double full = lanes.empty() ? 0 : lanes[0].active;
    double few = 0;
    double all = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const double issued = c.study->base().costs[i].issued;
      all += issued;
      if (lanes[i].executions > 0 && lanes[i].active < kFewLanes * full) few += issued;
    }
    return few > kMaxDivergent * all;
  }

  // A thread with several elements runs such a loop once for each of them.
  static bool loops_by_data(const Case& c, const Origins& origins) {
    for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
      const std::uint32_t head = c.kernel.blocks[c.kernel.loops[loop].header].first;
      if (c.executed(head) && is_bound_loaded(c, origins, loop)) return true;
    }
    return false;
  }

  // Whether the instruction is in a function that is called, once for each element.
  static bool called(const Case& c, std::uint32_t instruction) {
    return c.places.function_of(instruction) != 0;
  }

  // The number of a run's accesses that one access can replace, given the stride between lanes. If
  // the stride is smaller than the wide access or not a multiple of it, wide accesses would overlap
  // or be misaligned.
  static unsigned joined(const Case& c, const std::optional<Requests>& requests,
                         const AccessRun& run) {
    const std::uint32_t first = run.instructions[0];
    const AccessCount& count = c.accesses[first];
    if (!touches_global(c.at(first)) || count.executed <= 0) return 1;
    auto together = static_cast<unsigned>(run.instructions.size());
    for (; together > 1; together /= 2) {
      const unsigned bytes = run.bytes * together;
      const bool aligned = !requests || (requests->of(first).stride.value_or(0) % bytes == 0 &&
                                         requests->alignment_of(first) >= bytes);
      // Lanes with few bytes share lines, so the stride is derived from the sectors of a request.
      const double apart = count.sectors / count.executed;
      const bool multiple = apart >= emulate::kSectorBytes || std::fmod(apart + 0.5, bytes) <= 1;
      if (aligned && multiple && count.sectors / count.executed >= 0.9 * bytes) break;
    }
    return together;
  }

  static Match of_thread(const Case& c) {
    std::optional<Requests> requests;
    if (c.study != nullptr) requests.emplace(*c.study);
    Narrow narrow{.fewer = read::InstructionSet(c.size()), .of_thread = true};
    for (const AccessRun& run : access_runs(c.kernel)) {
      const unsigned together = joined(c, requests, run);
      if (together < 2) continue;
      for (const std::uint32_t i : run.instructions) narrow.fewer[i] = 1;
      take_example(c, run.instructions[0], narrow);
      if (narrow.example == run.instructions[0]) narrow.together = together;
    }
    if (narrow.example == read::kNoIndex) return {};
    Match match = of(c, narrow);
    const unsigned bytes = read::access_bytes(c.at(narrow.example));
    match.text = fmt::format(
        "Each thread accesses {} adjacent elements{} of {} with separate instructions at {}.",
        narrow.together, argument_text(c, Origins(c.kernel), narrow.example),
        count_of(bytes, "byte"), place_name(c.kernel, narrow.example));
    match.hint = fmt::format(
        "Use one vector access: a {} through an aligned pointer (reinterpret_cast, or a struct "
        "with __align__({})).",
        bytes == 4 ? fmt::format("float{} or int{}", narrow.together, narrow.together)
                   : fmt::format("{}-byte vector", bytes * narrow.together),
        bytes * narrow.together);
    return match;
  }

  // Adjacent lanes that each access less than a word.
  static Match of_warp(const Case& c) {
    Narrow narrow{.fewer = read::InstructionSet(c.size())};
    double most = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (touches_global(c.at(i))) most = std::max(most, c.accesses[i].executed);
    }
    unsigned widest = 0;
    const read::InstructionSet packed = packed_structures(c);
    bool scattered = false;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const AccessCount& count = c.accesses[i];
      if (!touches_global(c.at(i)) || count.executed < kMinAccessFrequency * most || most <= 0)
        continue;
      widest = std::max(widest, read::access_bytes(c.at(i)));
      if (count.sectors > 1.5 * count.ideal_sectors && packed[i] == 0) {
        scattered = true;
        continue;
      }
      narrow.fewer[i] = 1;
      take_example(c, i, narrow);
    }
    // If each thread accesses whole words of another array, a warp's requests are wide enough.
    if (narrow.example == read::kNoIndex || widest >= kWordBytes) return {};
    const bool any_packed = std::ranges::find(packed, 1) != packed.end();
    if (any_packed && scattered) return {};
    if (in_tile_loop(c, narrow.example)) return {};
    narrow.together = kElements;
    const Origins origins(c.kernel);
    const std::uint32_t loop = long_loop(c, origins, narrow.example);
    const read::InstructionSet conditional = under_loaded_condition(c, origins);
    const read::InstructionSet of_x = work_of_each_element(c, origins, loop);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool fixed = (origins.of(i) & Origins::kMemory) == 0 && of_x[i] == 0 &&
                         c.at(i).known() &&
                         machine::timing_class(c.at(i)) != machine::TimingClass::kBarrier;
      if (fixed) narrow.fewer[i] = 1;
      if (conditional[i] != 0 || read::is_atomic(c.at(i))) narrow.fewer[i] = 0;
      if (loop != read::kNoIndex && !c.places.in_loop(i, loop)) narrow.fewer[i] = 0;
    }
    keep_unpacking(c, narrow);
    Match match = of(c, narrow);
    if (loop == read::kNoIndex) {
      match.edits.push_back(
          {.kind = analyze::Edit::Kind::kFewerBlocks, .value = 1.0 / narrow.together});
      match.relieves.push_back(machine::Resource::kDispatch);
      const Shape shape = with_fewer_threads(c, narrow.together);
      match.check = shape_options(shape.grid, shape.block);
      // Fewer blocks of a loop over the grid would each do more.
      if (c.study != nullptr && !read::reads_grid_size(c.kernel)) {
        match.least_us = time_with_fewer_threads(c,
                                                 {.grid = shape.grid,
                                                  .block = shape.block,
                                                  .together = narrow.together,
                                                  .once = narrow.fewer},
                                                 match.edits);
      }
    }
    if (stores_parts(c, narrow.fewer)) match.relieves.push_back(machine::Resource::kL2);
    const unsigned bytes = read::access_bytes(c.at(narrow.example));
    match.text = fmt::format(
        "Each thread accesses {}{} at {}: a warp request moves only {} bytes of a possible "
        "128 or 512.",
        count_of(bytes, "byte"), argument_text(c, Origins(c.kernel), narrow.example),
        place_name(c.kernel, narrow.example), emulate::kWarpLanes * bytes);
    match.hint = fmt::format(
        "Let each thread access {} adjacent elements at once ({} or similar) at {}, and {}.",
        narrow.together, bytes == 1 ? "uchar4" : "ushort4", place_name(c.kernel, narrow.example),
        loop == read::kNoIndex ? fewer_threads_text(c, narrow.together)
                               : "increase the loop step by that factor");
    return match;
  }

  // Bytes that adjacent threads store consecutively, computed from scattered loads: pixels of an
  // image that is resized. A thread with four of them stores words, and computes once whatever
  // depends on the row alone.
  static Match of_packed_stores(const Case& c) {
    if (c.study == nullptr || c.grid.x < kElements) return {};
    const read::InstructionSet packed = packed_structures(c);
    Narrow narrow{.fewer = read::InstructionSet(c.size())};
    unsigned stores = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!touches_global(c.at(i)) || !c.at(i).opcode->stores || !c.executed(i)) continue;
      const bool in_loop = c.places.loop_of(i) != read::kNoIndex;
      if (packed[i] == 0 || read::access_bytes(c.at(i)) >= kWordBytes || in_loop) return {};
      narrow.fewer[i] = 1;
      ++stores;
      take_example(c, i, narrow);
    }
    if (stores == 0) return {};
    narrow.together = kElements;
    constexpr Origins::Mask kAlongX = Origins::kThreadX | Origins::kBlockX | Origins::kMemory;
    const Origins origins(c.kernel);
    double once = 0;
    double all = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool fixed = (origins.of(i) & kAlongX) == 0 && c.at(i).known() &&
                         machine::timing_class(c.at(i)) != machine::TimingClass::kBarrier;
      if (fixed) narrow.fewer[i] = 1;
      all += c.study->base().costs[i].issued;
      if (fixed) once += c.study->base().costs[i].issued;
    }
    Match match = of(c, narrow);
    match.edits.push_back({.kind = analyze::Edit::Kind::kFewerBlocks, .value = 1.0 / kElements});
    match.relieves.push_back(machine::Resource::kDispatch);
    match.relieves.push_back(machine::Resource::kXu);
    if (stores_parts(c, narrow.fewer)) match.relieves.push_back(machine::Resource::kL2);
    const unsigned bytes = read::access_bytes(c.at(narrow.example));
    match.text = fmt::format(
        "Each thread stores {} separately at {}, and adjacent threads store the bytes after them.",
        bytes == 1 ? count_of(stores, "byte") : count_of(stores, "half word"),
        place_name(c.kernel, narrow.example));
    match.hint = fmt::format(
        "Compute {} adjacent elements along x per thread, in an unrolled loop that is the "
        "innermost "
        "one, so that what does not depend on x ({:.0f} % of the instructions) is computed once "
        "for all of them. Their {} are packed into 32-bit words (a | b << 8 | …) and stored with "
        "{} instead of {}; keep single stores where a row ends within a word.",
        kElements, 100 * once / std::max(all, 1.0), bytes == 1 ? "bytes" : "half words",
        count_of(stores * bytes, "store"), stores * kElements);
    const launch::Dims grid{fewer_blocks(c), c.grid.y, c.grid.z};
    launch_grid(c, grid, match);
    return match;
  }

  // Whether some stores write partial sectors, which cost L2 more than full sectors.
  static bool stores_parts(const Case& c, const read::InstructionSet& accesses) {
    if (c.study == nullptr) return false;
    const timing::BlockTrace& trace = c.study->traced().reference;
    return std::ranges::any_of(trace.warps.front(), [&](const timing::TraceStep& step) {
      if (step.request == timing::kNoRequest || accesses[step.instruction] == 0) return false;
      const timing::Request& request = trace.requests[step.request];
      return request.kind == timing::Request::Kind::kGlobal && request.store && request.partial;
    });
  }

  // Accesses to the elements of small, consecutive structures: pixels of three bytes. A thread with
  // several of them can access whole words.
  static read::InstructionSet packed_structures(const Case& c) {
    read::InstructionSet packed(c.size());
    if (c.study == nullptr) return packed;
    const Origins origins(c.kernel);
    const Requests requests(*c.study);
    std::map<std::pair<std::set<std::uint32_t>, bool>, read::InstructionSet> arrays;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!touches_global(c.at(i)) || !c.executed(i)) continue;
      read::InstructionSet& set = arrays[{origins.address_parameters(i), c.at(i).opcode->stores}];
      set.resize(c.size());
      set[i] = 1;
    }
    for (const auto& [array, set] : arrays) {
      double bytes = 0;
      for (std::uint32_t i = 0; i < c.size(); ++i) {
        if (set[i] == 0) continue;
        bytes += requests.of(i).requests * requests.of(i).lanes * read::access_bytes(c.at(i));
      }
      const double touched = requests.bytes(set);
      if (bytes < kMinPackedShare * touched || bytes > touched) continue;
      for (std::uint32_t i = 0; i < c.size(); ++i) packed[i] |= set[i];
    }
    return packed;
  }

  // Whether the access fills a tile of the block, between barriers: its threads share the elements.
  static bool in_tile_loop(const Case& c, std::uint32_t access) {
    const Slack slack(c);
    std::uint32_t loop = c.places.loop_of(access);
    for (; loop != read::kNoIndex; loop = c.kernel.loops[loop].parent) {
      if (slack.has_barrier(loop)) return true;
    }
    return false;
  }

  // The loop around the access, if it goes on along the lanes and is long enough for several
  // elements per thread and iteration.
  static std::uint32_t long_loop(const Case& c, const Origins& origins, std::uint32_t access) {
    const std::uint32_t loop = c.places.loop_of(access);
    if (loop == read::kNoIndex || Slack(c).trips(loop) < kElements) return read::kNoIndex;
    return counts_alike(c, origins, loop) && !steps_by_rows_of_block(c, access) ? read::kNoIndex
                                                                                : loop;
  }

  // Whether the loop counts alike in all threads: `for (k = 0; k < n; ++k)`.
  static bool counts_alike(const Case& c, const Origins& origins, std::uint32_t loop) {
    constexpr Origins::Mask kPosition =
        Origins::kThreadX | Origins::kThreadY | Origins::kThreadZ | Origins::kBlock;
    return std::ranges::all_of(c.kernel.loops[loop].latches, [&](std::uint32_t latch) {
      return (origins.of(c.kernel.blocks[latch].last) & kPosition) == 0;
    });
  }

  // Whether the next iteration accesses the elements right after those of this block.
  static bool steps_by_rows_of_block(const Case& c, std::uint32_t access) {
    constexpr std::uint64_t kMaxRows = 64;  // in an unrolled loop
    if (c.study == nullptr) return true;
    const std::optional<std::uint64_t> step = Requests(*c.study).step_of(access);
    const std::uint64_t row = std::uint64_t{c.block.x} * read::access_bytes(c.at(access));
    return !step || (*step % row == 0 && *step <= kMaxRows * row);
  }

  // For each access, one of the instructions that compute its address runs as often as before.
  static void keep_unpacking(const Case& c, Narrow& narrow) {
    read::InstructionSet served(c.size());
    for (const read::Dependence& d : c.kernel.dependences) {
      const bool access = touches_global(c.at(d.consumer)) && narrow.fewer[d.consumer] != 0;
      if (!access || d.kind != read::Dependence::Kind::kRegister || narrow.fewer[d.producer] == 0 ||
          served[d.consumer] != 0) {
        continue;
      }
      served[d.consumer] = 1;
      narrow.fewer[d.producer] = 0;
    }
  }

  static Match of(const Case& c, const Narrow& narrow) {
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return narrow.fewer[s.waits] != 0 ||
             (s.dependency == Dependency::kGlobalMemory && narrow.fewer[s.cause] != 0);
    });
    for (MatchedStall& m : match.stalls) m.weight = 1 - 1.0 / narrow.together;
    analyze::Edit computed{.kind = analyze::Edit::Kind::kShare,
                           .instructions = narrow.fewer,
                           .value = 1.0 / narrow.together};
    read::InstructionSet accesses(c.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!narrow.of_thread || narrow.fewer[i] == 0 || !touches_global(c.at(i))) continue;
      accesses[i] = 1;
      computed.instructions[i] = 0;
    }
    match.edits = {std::move(computed)};
    share_accesses(c, accesses, 1.0 / narrow.together, match.edits);
    match.relieves = {machine::Resource::kIssue, machine::Resource::kLsu,
                      machine::Resource::kL1,    machine::Resource::kAlu,
                      machine::Resource::kFma,   machine::Resource::kUniform};
    match.where = narrow.example;
    return match;
  }
};

}  // namespace

const Rule* vector_access() {
  static const VectorAccess rule;
  return &rule;
}

}  // namespace burin::advise
