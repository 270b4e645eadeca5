// Requests to global memory that touch more sectors than their bytes need.
//
// An instruction's stalls are matched in proportion to its excessive sectors. If each thread walks
// along its own row, several lanes should share a row: the launch then has that many times as many
// threads, which fill the GPU, and adjacent lanes access adjacent elements (patterns/row_walk.h).
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "advise/case/estimate.h"
#include "advise/case/fewer_accesses.h"
#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/rework.h"
#include "advise/patterns/code/access_run.h"
#include "advise/patterns/mapping/exchanged_axes.h"
#include "advise/patterns/mapping/lane_mapping.h"
#include "advise/patterns/mapping/row_text.h"
#include "advise/patterns/mapping/row_work.h"
#include "advise/patterns/mapping/search.h"
#include "advise/patterns/mapping/unordered.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/text.h"
#include "emulate/values/sector.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMinSectors = 1.6;      // sectors over the minimum; unaligned rows have 1.5
constexpr double kMinStallShare = 0.01;  // of the time; below that, only stores are concerned
// Of the excessive sectors, with an order that lanes can follow.
constexpr double kMinOrdered = 0.1;
constexpr double kMinNeedless = 0.01;       // of all sectors; less is not reported
constexpr double kMinWalked = 0.1;          // of all sectors, for lanes to share rows
constexpr double kStagingInstructions = 4;  // per load: address, store, address, load
constexpr double kMinExcessShare = 0.3;     // of the excessive sectors
// Sectors of a request that take no more passes than staging through shared memory (a load, a store
// and a load there): lanes 16 bytes apart, and one more sector for each of two unaligned rows.
constexpr double kSectorsOfStaging = 18;
constexpr double kLinesOfStaging = 6;
constexpr double kMinSharedSectors = 0.75;  // of a request's sectors
// Of a search table in shared memory: the usual share of a block.
constexpr unsigned kTableBytes = 16384;
constexpr double kMinRoom = 4;  // warps that fit an SM, over the warps that the launch has

// The share of the access's sectors that is excessive.
double wasted_sectors(const AccessCount& count) {
  if (count.ideal_sectors <= 0 || count.sectors < kMinSectors * count.ideal_sectors) return 0;
  return 1 - count.ideal_sectors / count.sectors;
}

// Accesses to a few lines whose sectors the warp also needs for other accesses: fields of small
// structures, elements next to a thread's vector. They hit in L1, and rearranging them through
// shared memory takes as many passes.
read::InstructionSet needed_anyway(const Case& c) {
  read::InstructionSet all(c.size());
  if (c.study == nullptr) return all;
  const Requests requests(*c.study);
  const std::vector<double> shared = requests.shared_sectors();
  const Origins origins(c.kernel);
  std::map<std::set<std::uint32_t>, unsigned> widest;  // bytes of an access, by array
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!touches_global(c.at(i))) continue;
    unsigned& bytes = widest[origins.address_parameters(i)];
    bytes = std::max(bytes, read::access_bytes(c.at(i)));
  }
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!touches_global(c.at(i)) || requests.of(i).sectors > kSectorsOfStaging ||
        requests.of(i).lines > kLinesOfStaging)
      continue;
    // A thread could load these with one access: a structure of 8 or 16 bytes.
    const auto apart = std::lround(requests.of(i).sectors);
    const bool whole = apart % 8 == 0 && widest[origins.address_parameters(i)] < kWidestAccess;
    if (shared[i] >= kMinSharedSectors && !whole) all[i] = 1;
  }
  return all;
}

// Loads in loops with a different line for each lane.
read::InstructionSet walking(const Case& c, const read::InstructionSet& scattered) {
  read::InstructionSet loads(c.size());
  const Requests requests(*c.study);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool load = scattered[i] != 0 && !c.at(i).opcode->stores;
    loads[i] = load && c.places.loop_of(i) != read::kNoIndex &&
                       requests.of(i).stride.value_or(0) >= timing::kLineBytes
                   ? 1
                   : 0;
  }
  return loads;
}

class Coalescing final : public Rule {
  std::string_view id() const override { return "coalescing"; }
  std::string_view summary() const override { return "uncoalesced global memory accesses"; }

  std::vector<Match> match(const Case& c) const override {
    if (c.accesses.empty()) return {};
    const Searches searches(c);
    std::vector<Match> matches = spread_accesses(c, searches);
    if (c.study != nullptr && searches.halving() != read::kNoIndex)
      add_search(c, searches.halving(), matches);
    return matches;
  }

  // The first steps of a search access the same few elements in all threads. These fit in shared
  // memory; the other steps stay in global memory.
  static void add_search(const Case& c, std::uint32_t load, std::vector<Match>& matches) {
    const unsigned bytes = read::access_bytes(c.at(load));
    const unsigned levels = levels_in(bytes, kTableBytes);
    const double excess = wasted_sectors(c.accesses[load]);
    const double part = sectors_of_levels(c, load, levels);
    machine::KernelNeeds needs = c.needs;
    needs.shared += kTableBytes;
    const Result<machine::Occupancy> after = machine::occupancy(c.machine, needs);
    const auto resident =
        after ? after->blocks * static_cast<std::uint64_t>(c.machine.sm.count) : 0;
    if (excess <= 0 || part <= 0 || c.grid.total() <= resident || c.grid.y * c.grid.z > 1) return;
    Match match{.edits = {{.kind = analyze::Edit::Kind::kIdealSectors,
                           .instructions = read::InstructionSet(c.size())}}};
    match.edits[0].instructions[load] = 1;
    match.stalls =
        stalls_where(c, [&](const BlamedStall& s) { return waits(s) && s.cause == load; });
    for (MatchedStall& m : match.stalls) m.weight = excess * part;
    match.reach = part;
    match.added_us = copying_us(c, static_cast<double>(resident) * (1u << levels));
    match.where = load;
    match.relieves = {machine::Resource::kLsu, machine::Resource::kL1, machine::Resource::kL2,
                      machine::Resource::kDram};
    const std::string where = place_name(c.kernel, load);
    match.text = fmt::format(
        "Each step of the search at {} touches {:.1f} 32-byte sectors, and its address depends on "
        "the value loaded by the previous step: adjacent lanes cannot load adjacent elements.",
        where, c.accesses[load].sectors / std::max(1.0, c.accesses[load].executed));
    match.hint = fmt::format(
        "All threads start with the same elements: keep those of the first {} steps ({} elements "
        "at "
        "equal distances, {} KB) in `__shared__` memory, search there first, and go on in global "
        "memory between the two that enclose the result. To load them in few blocks, launch "
        "{} blocks, as many as the GPU holds at once, whose threads take queries i, i + gridDim.x "
        "* blockDim.x, ….",
        levels, 1u << levels, (bytes << levels) / 1024, resident);
    match.check = shape_options({static_cast<std::uint32_t>(resident), 1, 1}, c.block);
    matches.push_back(std::move(match));
  }

  // Each block copies its elements, all of them from other sectors, through L2.
  static double copying_us(const Case& c, double elements) {
    const double cycles = elements * std::max(emulate::kSectorBytes / c.machine.l2.bandwidth,
                                              1 / c.machine.l2.requests);
    return c.machine.seconds(cycles) * 1e6;
  }

  static std::vector<Match> spread_accesses(const Case& c, const Searches& searches) {
    Excess lanes{.waste = std::vector<double>(c.size())};
    Excess data{.waste = std::vector<double>(c.size())};
    const read::InstructionSet needed = needed_anyway(c);
    const bool beside = wastes_beside_gathers(c, needed);
    const std::optional<RowWalk> walk = row_walk(c);
    const Unordered unordered = unordered_accesses(c, walk);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!touches_global(c.at(i))) continue;
      lanes.asked += c.accesses[i].sectors;
      const bool stays = needed[i] != 0 || searches.loads[i] != 0 || (beside && is_gathered(c, i));
      if (stays || (unordered.accesses[i] != 0 && !unordered.has_remedy(i))) continue;
      Excess& of = unordered.accesses[i] != 0 ? data : lanes;
      of.waste[i] = wasted_sectors(c.accesses[i]);
      of.needless += of.waste[i] * c.accesses[i].sectors;
    }
    data.asked = lanes.asked;
    std::vector<Match> matches;
    if (Match match; find_stalls(c, lanes, match)) {
      describe_excess(c, lanes, lanes.needless + data.needless, match);
      map_lanes(c, lanes, walk, match);
      matches.push_back(std::move(match));
    }
    if (Match match; find_stalls(c, data, match)) {
      describe_excess(c, data, lanes.needless + data.needless, match);
      const LaneMapping mapping = unordered_mapping(c, match.where, unordered);
      match.hint = mapping.hint;
      match.check = mapping.check;
      if (mapping.staged) add_staging(c, match.edits[0].instructions, false, match);
      // What the whole launch accesses must come from DRAM in any order.
      match.relieves = {machine::Resource::kLsu, machine::Resource::kL1, machine::Resource::kL2};
      matches.push_back(std::move(match));
    }
    return matches;
  }

  // Excessive sectors of accesses that one change would make adjacent.
  struct Excess {
    std::vector<double> waste{};  // share of each access's sectors
    double asked = 0;             // sectors of all accesses of the kernel
    double needless = 0;          // sectors
  };

  // Whether the excess is worth a finding, with the stalls and edits of removing it.
  static bool find_stalls(const Case& c, const Excess& excess, Match& match) {
    const auto& [waste, asked, needless] = excess;
    read::InstructionSet scattered(c.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) scattered[i] = waste[i] > 0 ? 1 : 0;
    for (const MatchedStall& m : stalls_where(c, [](const BlamedStall& s) { return waits(s); })) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      // All accesses contribute to a full queue, and to one that must drain.
      const bool queue = s.stall == launch::Stall::kLgThrottle || s.stall == launch::Stall::kDrain;
      const double part = queue ? needless / std::max(asked, 1.0) : waste[s.cause];
      if (part > 0) match.stalls.push_back({.stall = m.stall, .weight = part});
    }
    // No instruction waits for stores, so only emulation shows their cost.
    if (needless <= kMinNeedless * asked || (match.stalls.empty() && c.study == nullptr))
      return false;
    if (c.study != nullptr && share_of(c, match.stalls) < kMinStallShare) match.stalls.clear();
    match.edits = {{.kind = analyze::Edit::Kind::kIdealSectors, .instructions = scattered}};
    if (c.study != nullptr) add_warps(c, scattered, match);
    match.relieves = {machine::Resource::kLsu, machine::Resource::kL1, machine::Resource::kL2,
                      machine::Resource::kDram};
    return true;
  }

  static void describe_excess(const Case& c, const Excess& excess, double needless, Match& match) {
    const std::uint32_t worst = worst_of(c, excess.waste);
    const AccessCount& count = c.accesses[worst];
    match.where = worst;
    // An execution without an active lane needs no sector and is not counted.
    const double requests = std::min(count.executed, count.ideal_sectors);
    match.text = fmt::format(
        "Each request at {} touches {:.1f} 32-byte sectors where {:.1f} would suffice. {:.0f} % of "
        "all requested sectors are excessive.",
        place_name(c.kernel, worst), count.sectors / requests, count.ideal_sectors / requests,
        100 * needless / excess.asked);
  }

  static void map_lanes(const Case& c, const Excess& excess, const std::optional<RowWalk>& walk,
                        Match& match) {
    const std::uint32_t worst = match.where;
    const read::InstructionSet scattered = match.edits[0].instructions;
    const LaneMapping mapping = lane_mapping(c, worst);
    match.hint = mapping.hint;
    match.check = mapping.check;
    const bool much = excess.needless >= kMinWalked * excess.asked;
    if (much && walk && causes_excess(c, *walk, excess.waste)) {
      share_rows(c, *walk, match);
    } else if (c.study != nullptr && !load_structures(c, worst, match)) {
      if (mapping.staged) add_staging(c, scattered, mapping.threads == 1, match);
      if (mapping.threads < 1) add_elements(c, mapping.threads, match);
      emulate_exchange(c, mapping, match);
    }
  }

  // Whether enough of the excessive sectors come from accesses with an order that lanes could
  // follow. Data-dependent accesses are then left as they are.
  static bool wastes_beside_gathers(const Case& c, const read::InstructionSet& needed) {
    double all = 0;
    double ordered = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!touches_global(c.at(i)) || needed[i] != 0) continue;
      const double of = wasted_sectors(c.accesses[i]) * c.accesses[i].sectors;
      all += of;
      ordered += is_gathered(c, i) ? 0 : of;
    }
    return ordered > kMinOrdered * all;
  }

  // A thread that uses most of a structure should read and write all of it in a few wide accesses:
  // every sector is needed anyway.
  static bool load_structures(const Case& c, std::uint32_t worst, Match& match) {
    const std::uint64_t bytes = lane_structure(c, worst).bytes;
    if (bytes == 0 || bytes >= timing::kLineBytes || bytes % 8 != 0) return false;
    const unsigned wide = bytes % kWidestAccess == 0 ? kWidestAccess : 8;
    const Origins origins(c.kernel);
    const std::set<std::uint32_t> array = origins.address_parameters(worst);
    const std::vector<timing::TraceStep>& warp = c.study->traced().reference.warps.front();
    std::set<std::uint64_t> fields;
    std::array<double, 2> requests{};  // loads, stores
    for (const timing::TraceStep& step : warp) {
      const read::Instruction& at = c.at(step.instruction);
      if (step.request == timing::kNoRequest || !touches_global(at) || read::is_atomic(at))
        continue;
      if (origins.address_parameters(step.instruction) != array) continue;
      if (c.places.loop_of(step.instruction) != read::kNoIndex) return false;
      fields.insert(c.study->traced().reference.requests[step.request].first_address);
      ++requests[at.opcode->stores ? 1 : 0];
    }
    const unsigned field = read::access_bytes(c.at(worst));
    const double used = static_cast<double>(fields.size() * field) / static_cast<double>(bytes);
    if (used < kMinFieldsShare) return false;
    // A thread with a tile of results has a structure in each row.
    const double vectors = static_cast<double>(bytes) / wide * std::max(1.0, std::round(used));
    std::vector<analyze::Edit> edits;
    for (const bool stores : {false, true}) {
      if (requests[stores ? 1 : 0] <= vectors) continue;
      analyze::Edit fewer{.kind = analyze::Edit::Kind::kShare,
                          .instructions = read::InstructionSet(c.size()),
                          .value = vectors / requests[stores ? 1 : 0]};
      for (std::uint32_t i = 0; i < c.size(); ++i) {
        fewer.instructions[i] = touches_global(c.at(i)) && c.at(i).opcode->stores == stores &&
                                        origins.address_parameters(i) == array
                                    ? 1
                                    : 0;
      }
      edits.push_back(std::move(fewer));
    }
    if (edits.empty()) return false;
    match.edits = std::move(edits);
    match.reach = 1;
    match.relieves = {machine::Resource::kLsu, machine::Resource::kL1, machine::Resource::kL2,
                      machine::Resource::kIssue};
    const std::string_view type = wide == 16 ? "float4" : "float2";
    const auto at_once = [&](std::string_view verb) {
      return fmt::format("{} them with {} {} access{}", verb, vectors, type,
                         vectors == 1 ? "" : "es");
    };
    const std::string loads = requests[0] > vectors ? at_once("Load") : "";
    const std::string stores =
        requests[1] > vectors ? at_once(loads.empty() ? "Store" : "store") : "";
    match.hint = fmt::format(
        "Adjacent lanes are {} bytes apart at {}, and each thread accesses most of these bytes, {} "
        "at a time. {}{}{} (reinterpret_cast; addresses must be a multiple of {}, a structure is "
        "declared __align__({})), and compute in registers. If it is a structure and the caller "
        "can change the layout, a structure of arrays moves only the fields that are used.",
        with_commas(bytes), place_name(c.kernel, worst), field, loads,
        loads.empty() || stores.empty() ? "" : " and ", stores, wide, wide);
    match.check = shape_options(c.grid, c.block);
    return true;
  }

  // Adds the cost of staging: data rearranged through shared memory is stored there and read again.
  // A transposition stages its loads and stores together.
  static void add_staging(const Case& c, const read::InstructionSet& scattered, bool stores_too,
                          Match& match) {
    double issued = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool counts = scattered[i] != 0 && (stores_too || !c.at(i).opcode->stores);
      if (counts) issued += c.study->base().costs[i].issued;
    }
    const double sms = std::min<double>(c.machine.sm.count, static_cast<double>(c.grid.total()));
    const double schedulers = std::min<double>(
        c.machine.sm.schedulers, std::max(1.0, warps_per_scheduler(c) * c.machine.sm.schedulers));
    const double cycles = kStagingInstructions * issued / schedulers / sms;
    match.added_us = c.machine.seconds(cycles) * 1e6;
  }

  // Fewer threads with several elements each: start-up and index computation run once per thread.
  static void add_elements(const Case& c, double threads, Match& match) {
    match.edits.push_back({.kind = analyze::Edit::Kind::kFewerBlocks, .value = threads});
    match.edits.push_back(
        {.kind = analyze::Edit::Kind::kShare, .instructions = index_code(c), .value = threads});
    for (const machine::Resource r : {machine::Resource::kDispatch, machine::Resource::kIssue,
                                      machine::Resource::kAlu, machine::Resource::kUniform}) {
      match.relieves.push_back(r);
    }
  }

  // Whether the walk causes enough of the excessive sectors. The rest uses addresses loaded from
  // memory, which cannot be made adjacent.
  static bool causes_excess(const Case& c, const RowWalk& walk, const std::vector<double>& waste) {
    double all = 0;
    double part = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const double excess = waste[i] * c.accesses[i].sectors;
      all += excess;
      part += walk.accesses[i] != 0 ? excess : 0;
    }
    return part >= kMinExcessShare * all;
  }

  // Several lanes share a row. If the rows are those of a block, they are only a part of its work:
  // the launch stays the same, and the rest takes as long as before.
  static void share_rows(const Case& c, const RowWalk& walk, Match& match) {
    match.reach = 1;
    match.edits.clear();
    if (walk.rows_loop != read::kNoIndex) {
      match.estimator = Estimator::kGiven;
      match.speedup = c.study->base().time_us / time_with_shared_rows(c, walk);
    } else {
      Reworked after = rework(c, shared_rows(c, walk));
      if (const double serial_us = serial_time_of_rows(c, walk); serial_us > after.time_us) {
        after = {.time_us = serial_us, .limit = "the latency of its loads"};
      }
      set_rework(c, after, match);
    }
    match.hint = row_hint(c, walk);
    match.where = walk.example;
    match.check = row_launch(c, walk);
  }

  static void add_warps(const Case& c, const read::InstructionSet& scattered, Match& match) {
    const double room = c.machine.limit.warps / (warps_per_scheduler(c) * c.machine.sm.schedulers);
    read::InstructionSet loads = walking(c, scattered);
    if (room < kMinRoom || std::ranges::find(loads, 1) == loads.end()) return;
    match.edits.push_back({.kind = analyze::Edit::Kind::kHidden, .instructions = std::move(loads)});
    match.reach = 1 - 1 / room;
  }

  static bool waits(const BlamedStall& s) {
    return s.dependency == Dependency::kGlobalMemory || s.stall == launch::Stall::kLgThrottle ||
           s.stall == launch::Stall::kDrain;
  }

  static std::uint32_t worst_of(const Case& c, const std::vector<double>& waste) {
    std::uint32_t worst = 0;
    const auto cost = [&](std::uint32_t i) { return waste[i] * c.accesses[i].sectors; };
    for (std::uint32_t i = 1; i < c.size(); ++i) {
      if (cost(i) > cost(worst)) worst = i;
    }
    return worst;
  }
};

}  // namespace

const Rule* coalescing() {
  static const Coalescing rule;
  return &rule;
}

}  // namespace burin::advise
