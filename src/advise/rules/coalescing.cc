// Requests to global memory that touch more sectors than their bytes need.
//
// Of an instruction's waits, as much is matched as it asks for too many sectors. Where each thread
// walks along a row of its own and an SM has room for many more warps, a warp for each row takes
// that room: so many times as many loads are under way.
#include <algorithm>

#include "advise/case/estimate.h"
#include "advise/case/requests.h"
#include "advise/rules/all.h"
#include "base/format.h"

namespace burin::advise {

namespace {

constexpr double kMinSectors = 1.6;    // sectors over the fewest; rows that begin anywhere have 1.5
constexpr double kStoresAlone = 0.01;  // of the time: no load has a part in it
constexpr double kMinRoom = 4;         // times the warps that there are, that an SM could hold

// The share of its sectors that it could do without.
double wasted_sectors(const AccessCount& count) {
  if (count.ideal_sectors <= 0 || count.sectors < kMinSectors * count.ideal_sectors) return 0;
  return 1 - count.ideal_sectors / count.sectors;
}

// Loads in loops, with each lane in a line of its own.
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

std::string hint_for(const Case& c, std::uint32_t instruction) {
  const std::string where = place_name(c.kernel, instruction);
  const unsigned bytes = read::access_bytes(c.at(instruction));
  const std::optional<std::uint64_t> stride =
      c.study == nullptr ? std::nullopt : Requests(*c.study).of(instruction).stride;
  if (stride && *stride < timing::kLineBytes) {
    return fmt::format(
        "Adjacent lanes are {} bytes apart at {} and use {} bytes each. Use a structure of arrays, "
        "or load whole structures through shared memory.",
        *stride, where, bytes);
  }
  if (stride) {
    return fmt::format(
        "Adjacent lanes are {} bytes apart at {}. Map threadIdx.x to the contiguous index, or load "
        "rows into shared memory and read the columns from there.",
        *stride, where);
  }
  return fmt::format(
      "Lanes access scattered addresses at {}. Sort the indices, let adjacent threads access "
      "adjacent elements, or stage the data through shared memory.",
      where);
}

class Coalescing final : public Rule {
  std::string_view id() const override { return "coalescing"; }
  std::string_view summary() const override { return "uncoalesced global memory accesses"; }

  std::vector<Match> match(const Case& c) const override {
    if (c.accesses.empty()) return {};
    read::InstructionSet scattered(c.size());
    std::vector<double> waste(c.size());
    double asked = 0;
    double needless = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!touches_global(c.at(i))) continue;
      asked += c.accesses[i].sectors;
      waste[i] = wasted_sectors(c.accesses[i]);
      needless += waste[i] * c.accesses[i].sectors;
      if (waste[i] > 0) scattered[i] = 1;
    }
    Match match;
    for (const MatchedStall& m : stalls_where(c, [](const BlamedStall& s) { return waits(s); })) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      // A full queue is the doing of all that stand in it, and so is one that must drain.
      const bool queue = s.stall == launch::Stall::kLgThrottle || s.stall == launch::Stall::kDrain;
      const double part = queue ? needless / std::max(asked, 1.0) : waste[s.cause];
      if (part > 0) match.stalls.push_back({.stall = m.stall, .weight = part});
    }
    // Nobody waits for stores: what they cost, only emulation tells.
    if (needless <= 0 || (match.stalls.empty() && c.study == nullptr)) return {};
    if (c.study != nullptr && share_of(c, match.stalls) < kStoresAlone) match.stalls.clear();
    match.edits = {{.kind = analyze::Edit::Kind::kIdealSectors, .instructions = scattered}};
    if (c.study != nullptr) add_warps(c, scattered, match);
    match.relieves = {machine::Resource::kLsu, machine::Resource::kL1, machine::Resource::kL2,
                      machine::Resource::kDram};
    const std::uint32_t worst = worst_of(c, waste);
    const AccessCount& count = c.accesses[worst];
    match.where = worst;
    // An execution without an active lane needs no sector: it is not counted.
    const double requests = std::min(count.executed, count.ideal_sectors);
    match.text = fmt::format(
        "Each request at {} touches {:.1f} 32-byte sectors where {:.1f} would suffice. {:.0f} % of "
        "all requested sectors are excessive.",
        place_name(c.kernel, worst), count.sectors / requests, count.ideal_sectors / requests,
        100 * needless / asked);
    match.hint = hint_for(c, worst);
    return {std::move(match)};
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
