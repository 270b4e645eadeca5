// Requests to global memory are issued faster than the memory system accepts them.
//
// Three ways to send fewer requests: adjacent narrow accesses become one wide access; data that all
// threads read at the same address comes from constant memory, if it fits; otherwise lanes touch
// fewer sectors. In addition, a value that a thread has just loaded need not be loaded again, and a
// sum that each iteration loads and stores can stay in a register.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "advise/case/fewer_accesses.h"
#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/access_run.h"
#include "advise/patterns/code/needless.h"
#include "advise/patterns/code/slack.h"
#include "advise/patterns/mapping/exchanged_axes.h"
#include "advise/patterns/mapping/lane_mapping.h"
#include "advise/patterns/mapping/row_text.h"
#include "advise/patterns/mapping/search.h"
#include "advise/patterns/mapping/unordered.h"
#include "advise/patterns/reductions/accumulator.h"
#include "advise/rules/all.h"
#include "analyze/code/regions.h"
#include "base/format.h"
#include "base/text.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

bool is_access(const read::Instruction& i) {
  return read::may_be_global(i) && (i.opcode->loads != i.opcode->stores);
}

bool writes(const read::Instruction& i, std::uint16_t general) {
  bool found = false;
  read::for_each_write(i, [&](read::RegisterFile file, std::uint16_t first, unsigned count) {
    found |= file == read::RegisterFile::kGeneral && general >= first && general < first + count;
  });
  return found;
}

// Whether one wide access can replace adjacent words: the first address must be a multiple of its
// size in all lanes. The neighbourhood of a thread's own element is usually unaligned.
bool is_aligned(const Case& c, const std::optional<Requests>& requests,
                const std::vector<std::uint32_t>& group, unsigned wide) {
  if (!requests) return true;
  const std::uint32_t first = *std::ranges::min_element(
      group, {}, [&](std::uint32_t i) { return read::address_of(c.at(i))->value; });
  const timing::Strides& strides = c.study->traced().strides.of[first];
  const bool affine = strides.kind == timing::Strides::Kind::kAffine && c.grid.x > 1;
  if (affine && strides.x / static_cast<std::int64_t>(c.block.x) % wide != 0) return false;
  const RequestShape& shape = requests->of(first);
  if (shape.lanes > 1 && shape.stride.value_or(1) % wide != 0) return false;
  const timing::BlockTrace& trace = c.study->traced().reference;
  for (const auto& warp : trace.warps) {
    for (const timing::TraceStep& step : warp) {
      if (step.instruction != first || step.request == timing::kNoRequest) continue;
      if (trace.requests[step.request].first_address % wide != 0) return false;
    }
  }
  return true;
}

// For each access, the share of requests that remains if it is merged with adjacent accesses of the
// same address register in the same basic block.
std::vector<double> merged(const Case& c) {
  std::vector<double> left(c.size(), 1);
  std::optional<Requests> shapes;
  if (c.study != nullptr) shapes.emplace(*c.study);
  for (const read::BasicBlock& block : c.kernel.blocks) {
    std::map<std::pair<std::uint16_t, bool>, std::vector<std::uint32_t>> groups;
    const auto close = [&](std::vector<std::uint32_t>& group) {
      const unsigned width = group.empty() ? 0 : read::access_bytes(c.at(group[0]));
      const unsigned wide = width < kWordBytes ? kWordBytes : kWidestAccess;
      const auto bytes = static_cast<double>(group.size()) * width;
      if (group.size() < 2 || width == 0 || width >= wide) return;
      // The widest access that fits the elements and their addresses.
      unsigned at_once = std::min(wide, std::bit_floor(static_cast<unsigned>(bytes)));
      while (at_once > width && !is_aligned(c, shapes, group, at_once)) at_once /= 2;
      if (at_once <= width) return;
      const double requests = std::max(1.0, bytes / at_once);
      for (const std::uint32_t i : group) left[i] = requests / static_cast<double>(group.size());
    };
    for (std::uint32_t i = block.first; i <= block.last; ++i) {
      const read::Operand* address = is_access(c.at(i)) ? read::address_of(c.at(i)) : nullptr;
      if (address != nullptr && address->base != read::Operand::kNoRegister) {
        std::vector<std::uint32_t>& group = groups[{address->base, c.at(i).opcode->stores}];
        const bool alike =
            !group.empty() && read::access_bytes(c.at(group[0])) == read::access_bytes(c.at(i));
        if (!group.empty() && !alike) {
          close(group);
          group.clear();
        }
        group.push_back(i);
      }
      for (auto& [key, group] : groups) {
        if (!writes(c.at(i), key.first)) continue;
        close(group);
        group.clear();
      }
    }
    for (auto& [key, group] : groups) close(group);
  }
  return left;
}

constexpr double kConstantBytes = 65536;    // size of __constant__ memory
constexpr double kMinRepeated = 0.7;        // of an instruction's requests, to call them repeated
constexpr double kMinRepeatedCopies = 0.5;  // the same, for all copies of it together
constexpr double kMaxFixedValues = 1.5;     // of a load each time its loop is run
constexpr double kMinLeft = 0.02;
constexpr double kFixedAddressLoads = 0.15;  // fraction of loads left, for loop-invariant addresses
// Unroll factor of compilers for a loop without other accesses.
constexpr double kUnrolledCopies = 4;
constexpr std::size_t kNamedSums = 4;   // named in the text
constexpr double kMinBlockReuse = 1.5;  // times that a block requests each sector

// Loads that could come from constant memory: all threads of all blocks read the same address.
read::InstructionSet same_for_all(const Case& c) {
  read::InstructionSet loads(c.size());
  if (c.accesses.empty()) return loads;
  constexpr Origins::Mask kNumber =
      Origins::kThreadX | Origins::kThreadY | Origins::kThreadZ | Origins::kBlock;
  const Origins origins(c.kernel);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const AccessCount& count = c.accesses[i];
    if (!is_access(c.at(i)) || !c.at(i).opcode->loads || count.executed <= 0) continue;
    loads[i] = count.sectors < 1.2 * count.executed && read::access_bytes(c.at(i)) >= kWordBytes &&
                       (origins.of(i) & kNumber) == 0
                   ? 1
                   : 0;
  }
  const bool fits = c.study == nullptr || Requests(*c.study).bytes(loads) <= kConstantBytes;
  return fits ? loads : read::InstructionSet(c.size());
}

bool scattered(const AccessCount& count) {
  return count.sectors > 1.5 * count.ideal_sectors;
}

class MemoryTransactionReduction final : public Rule {
  std::string_view id() const override { return "memory-transaction-reduction"; }
  std::string_view summary() const override {
    return "global memory requests that stall on a full LSU queue";
  }

  std::vector<Match> match(const Case& c) const override {
    std::vector<Match> found;
    found = of_requests(c);
    if (Match match = of_repeats(c); !match.stalls.empty()) found.push_back(std::move(match));
    if (Match match = of_window(c); !match.stalls.empty()) found.push_back(std::move(match));
    if (Match match = of_sums(c); !match.stalls.empty()) found.push_back(std::move(match));
    return found;
  }

  static Match of_sums(const Case& c) {
    MemoryAccumulators sums(c);
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return sums.accesses[s.waits] != 0 || sums.accesses[s.cause] != 0 ||
             (s.dependency == Dependency::kGlobalMemory && sums.held[s.cause] != 0);
    });
    if (match.stalls.empty()) return {};
    // The source line is taken from the store: loads are often attributed to other lines.
    std::vector<std::string> places;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (sums.accesses[i] == 0 || !c.at(i).opcode->stores) continue;
      const std::string place = place_name(c.kernel, i);
      if (std::ranges::find(places, place) == places.end()) places.push_back(place);
      if (match.where == read::kNoIndex || c.blamed.issued[i] > c.blamed.issued[match.where]) {
        match.where = i;
      }
    }
    const bool one = places.size() == 1;
    const std::string at = list_of(places, kNamedSums);
    match.text = fmt::format(
        "At {} each iteration of the {} loads {} from global memory, adds to {} and stores {} "
        "back.",
        at, loop_name(c, c.places.loop_of(match.where)), one ? "an accumulator" : "accumulators",
        one ? "it" : "them", one ? "it" : "them");
    match.hint = fmt::format(
        "Accumulate in {} and store {} once after the loop. The compiler cannot do this because "
        "another pointer may alias the accumulator{} at {}.",
        one ? "a local variable" : "local variables", one ? "it" : "them", one ? "" : "s", at);
    match.edits = {
        {.kind = analyze::Edit::Kind::kSkipped, .instructions = std::move(sums.accesses)},
        {.kind = analyze::Edit::Kind::kHidden, .instructions = std::move(sums.held)}};
    match.relieves = {machine::Resource::kLsu, machine::Resource::kL1, machine::Resource::kL2,
                      machine::Resource::kDram, machine::Resource::kIssue};
    return match;
  }

  // Loads in loops whose values other loads of the thread have loaded in an earlier iteration, as
  // in a sliding window over rows.
  static Match of_window(const Case& c) {
    if (c.study == nullptr) return {};
    const Requests requests(*c.study);
    const std::vector<std::uint32_t> kinds = analyze::copy_kinds(c.kernel);
    const std::vector<double> known = requests.passed_on(kinds);
    const std::vector<double> again = requests.repeated(kinds).of_last;
    read::InstructionSet gone(c.size());
    read::InstructionSet loops(c.kernel.loops.size());  // loops that also load new values
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t loop = c.places.loop_of(i);
      const bool load = read::is_plain_load(c.at(i)) && read::may_be_global(c.at(i));
      if (!load || loop == read::kNoIndex || again[i] >= kMinRepeated) continue;
      if (known[i] < kMinRepeated) loops[loop] = 1;
    }
    std::uint32_t most = read::kNoIndex;
    std::vector<std::string> places;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t loop = c.places.loop_of(i);
      if (known[i] < kMinRepeated || again[i] >= kMinRepeated || loop == read::kNoIndex ||
          loops[loop] == 0) {
        continue;
      }
      gone[i] = 1;
      const std::string place = place_name(c.kernel, i);
      if (std::ranges::find(places, place) == places.end()) places.push_back(place);
      if (most == read::kNoIndex || c.blamed.issued[i] > c.blamed.issued[most]) most = i;
    }
    if (most == read::kNoIndex) return {};
    Match match;
    match.stalls = stalls_where(
        c, [&](const BlamedStall& s) { return gone[s.waits] != 0 || gone[s.cause] != 0; });
    if (match.stalls.empty()) return {};
    add_dead_code(c.kernel, gone);
    match.edits = {{.kind = analyze::Edit::Kind::kSkipped, .instructions = std::move(gone)}};
    match.relieves = {machine::Resource::kLsu,   machine::Resource::kL1,  machine::Resource::kL2,
                      machine::Resource::kIssue, machine::Resource::kAlu, machine::Resource::kFma};
    match.where = most;
    const std::string at = list_of(places, kNamedSums);
    match.text = fmt::format(
        "Most values loaded at {} were already loaded by the same thread in an earlier iteration "
        "of "
        "the {}.",
        at, loop_name(c, c.places.loop_of(most)));
    match.hint = fmt::format(
        "Keep these values in local variables and pass them on from iteration to iteration (first "
        "= second; second = third;), so that each iteration loads only what is new. Load the first "
        "ones, those at {}, before the loop.",
        at);
    match.check = shape_options(c.grid, c.block);
    return match;
  }

  // Loads in loops that repeat the load of the previous iteration.
  static Match of_repeats(const Case& c) {
    if (c.study == nullptr) return {};
    const std::vector<std::uint32_t> kinds = analyze::copy_kinds(c.kernel);
    const Requests::Repeats repeats = Requests(*c.study).repeated(kinds);
    const std::vector<double>& again = repeats.share;
    // The copies of an unrolled loop that only repeat what another has loaded.
    std::set<std::uint32_t> of_copies;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (repeats.of_last[i] >= kMinRepeated) of_copies.insert(kinds[i]);
    }
    analyze::Edit fewer{.kind = analyze::Edit::Kind::kShare,
                        .instructions = read::InstructionSet(c.size())};
    double all = 0;
    double repeated = 0;
    std::uint32_t most = read::kNoIndex;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const double least = of_copies.contains(kinds[i]) ? kMinRepeatedCopies : kMinRepeated;
      if (again[i] < least || c.places.loop_of(i) == read::kNoIndex) continue;
      fewer.instructions[i] = 1;
      all += c.blamed.issued[i];
      repeated += c.blamed.issued[i] * again[i];
      if (most == read::kNoIndex || c.blamed.issued[i] > c.blamed.issued[most]) most = i;
    }
    if (most == read::kNoIndex || all <= 0) return {};
    const double left = std::max(kMinLeft, 1 - repeated / all);
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return fewer.instructions[s.waits] != 0 || fewer.instructions[s.cause] != 0;
    });
    if (match.stalls.empty()) return {};
    for (MatchedStall& m : match.stalls) m.weight = 1 - left;
    const bool fixed = left <= kFixedAddressLoads;
    if (fixed) add_loads_ahead(c, fewer.instructions, match);
    add_dead_code(c.kernel, fewer.instructions);
    fewer.value = left;
    match.edits.push_back(std::move(fewer));
    match.relieves = {machine::Resource::kLsu,   machine::Resource::kL1,  machine::Resource::kL2,
                      machine::Resource::kIssue, machine::Resource::kAlu, machine::Resource::kFma};
    match.where = most;
    const std::string place = place_name(c.kernel, most);
    match.text =
        fmt::format("{:.0f} % of a warp's loads at {} reload the values that it has just loaded.",
                    100 * (1 - left), place);
    // Different values each time that the loop is run.
    const double values = (1 - repeats.own[most]) * Slack(c).trips(c.places.loop_of(most));
    match.hint =
        fixed && values < kMaxFixedValues
            ? fmt::format("Load what is read at {} into local variables before the loop. {}", place,
                          why_reloaded(c, most))
            : fmt::format(
                  "Load at {} only when the address changes: in an outer loop around the uses, "
                  "which keeps the value in a register for an inner loop without the load.",
                  place);
    return match;
  }

  // Why the compiler leaves a load with a fixed address in its loop.
  static std::string_view why_reloaded(const Case& c, std::uint32_t load) {
    bool stores = false;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      stores |= c.at(i).known() && c.at(i).opcode->stores && read::may_be_global(c.at(i)) &&
                c.places.in_loop(i, c.places.loop_of(load));
    }
    if (stores && !read::is_read_only_load(c.at(load))) {
      return "The compiler cannot do this because a store in the loop may change it: const and "
             "__restrict__ on the pointers of the kernel say that none does.";
    }
    return "The compiler does not do this because the address is computed from a value of each "
           "iteration, or a condition decides whether it is read at all.";
  }

  // If no store in the loop can alias its loads, the compiler unrolls the loop and requests the
  // elements of several iterations at once.
  static void add_loads_ahead(const Case& c, const read::InstructionSet& repeated, Match& match) {
    read::InstructionSet loops(c.kernel.loops.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (repeated[i] != 0) loops[c.places.loop_of(i)] = 1;
    }
    const Slack slack(c);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t loop = c.places.loop_of(i);
      const bool load = touches_global(c.at(i)) && !c.at(i).opcode->stores && repeated[i] == 0;
      if (!load || loop == read::kNoIndex || loops[loop] == 0) continue;
      if (!slack.innermost(loop) || slack.has_barrier(loop) || slack.recurrent(i, loop)) continue;
      analyze::Edit edit{.kind = analyze::Edit::Kind::kEarlier,
                         .instructions = read::InstructionSet(c.size()),
                         .value = (1 - 1 / kUnrolledCopies) * latency_of(*c.study, i)};
      edit.instructions[i] = 1;
      match.edits.push_back(std::move(edit));
    }
  }

  // One match for each of the three ways to send fewer requests, since each is a separate change.
  // It is placed at the access with the longest stall among those that it changes.
  static std::vector<Match> of_requests(const Case& c) {
    const std::vector<double> left = merged(c);
    const read::InstructionSet constants = same_for_all(c);
    const std::optional<RowWalk> walk = row_walk(c);
    const Origins origins(c.kernel);
    const Searches searches(c);
    const Unordered unordered = unordered_accesses(c, walk);
    // If lanes can share rows, accesses at addresses loaded from the rows stay as they are.
    const auto looked_up = [&](std::uint32_t i) {
      return walk && walk->accesses[i] == 0 && (origins.of_address(i) & Origins::kLoaded) != 0;
    };
    std::map<Way, read::InstructionSet> ways;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!is_access(c.at(i)) || !c.executed(i)) continue;
      const bool apart = !c.accesses.empty() && scattered(c.accesses[i]) && !looked_up(i) &&
                         searches.loads[i] == 0;
      const bool follows_data = unordered.accesses[i] != 0;
      const Way way = left[i] < 1                        ? Way::kWide
                      : apart && !follows_data           ? Way::kAdjacent
                      : apart && unordered.has_remedy(i) ? Way::kSorted
                      : constants[i] != 0                ? Way::kConstant
                                                         : Way::kKept;
      read::InstructionSet& set = ways[way];
      set.resize(c.size());
      set[i] = 1;
    }
    std::vector<Match> found;
    for (const auto& [way, set] : ways) {
      Match match = of_way(c, way, set, left, walk, unordered);
      // Keeping values is advised only if there is no other way.
      const bool last_resort = way == Way::kKept && (!found.empty() || !is_reused(c, set));
      if (!match.stalls.empty() && !last_resort) found.push_back(std::move(match));
    }
    return found;
  }

  // Whether blocks request the same sectors repeatedly. Assumed true without emulation.
  static bool is_reused(const Case& c, const read::InstructionSet& accesses) {
    return c.study == nullptr || Requests(*c.study).reuse(accesses) >= kMinBlockReuse;
  }

  enum class Way : std::uint8_t { kWide, kAdjacent, kSorted, kConstant, kKept };

  static Match of_way(const Case& c, Way way, const read::InstructionSet& set,
                      const std::vector<double>& left, const std::optional<RowWalk>& walk,
                      const Unordered& unordered) {
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return s.stall == launch::Stall::kLgThrottle && read::may_be_global(c.at(s.waits));
    });
    std::uint32_t where = read::kNoIndex;
    double most = 0;
    for (const MatchedStall& m : match.stalls) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      if (set[s.waits] == 0 || s.cycles.sum() <= most) continue;
      most = s.cycles.sum();
      where = s.waits;
    }
    if (where == read::kNoIndex) return {};
    // Whole structures need wider accesses, not other lanes: the rule coalescing says so.
    const LaneStructure structure =
        way == Way::kAdjacent && c.study != nullptr ? lane_structure(c, where) : LaneStructure{};
    if (structure.used_share >= kMinFieldsShare) return {};
    match.where = where;
    match.relieves = {machine::Resource::kLsu, machine::Resource::kL1, machine::Resource::kL2,
                      machine::Resource::kIssue};
    // A structure of arrays leaves the fields that are not used where they are.
    if (structure.bytes > 0) match.relieves.push_back(machine::Resource::kDram);
    match.text = fmt::format(
        "Stalls on a full global memory queue (lg_throttle) take {:.0f} % of warp time: too many "
        "requests.",
        100 * share_of(c, match.stalls));
    add_edits(c, way, set, left, match);
    if (way == Way::kAdjacent || way == Way::kSorted) {
      const AccessCount& count = c.accesses[where];
      // An execution without an active lane needs no sector and is not counted.
      const double requests = std::min(count.executed, count.ideal_sectors);
      match.text +=
          fmt::format(" Each request touches {:.1f} 32-byte sectors where {:.1f} would suffice.",
                      count.sectors / requests, count.ideal_sectors / requests);
    }
    if (way == Way::kSorted) {
      const LaneMapping mapping = unordered_mapping(c, where, unordered);
      match.hint = mapping.hint;
      match.check = mapping.check;
    } else {
      describe(c, where, way, left[where], walk, match);
    }
    return match;
  }

  static void add_edits(const Case& c, Way way, const read::InstructionSet& set,
                        const std::vector<double>& left, Match& match) {
    if (way == Way::kAdjacent || way == Way::kSorted) {
      match.edits.push_back({.kind = analyze::Edit::Kind::kIdealSectors, .instructions = set});
    } else if (way == Way::kConstant) {
      match.edits.push_back({.kind = analyze::Edit::Kind::kSkipped, .instructions = set});
    } else if (way == Way::kWide) {
      std::map<double, read::InstructionSet> shares;
      for (std::uint32_t i = 0; i < c.size(); ++i) {
        if (set[i] == 0) continue;
        shares[left[i]].resize(c.size());
        shares[left[i]][i] = 1;
      }
      for (const auto& [share, accesses] : shares) {
        share_accesses(c, accesses, share, match.edits);
      }
    }
  }

  static void describe(const Case& c, std::uint32_t instruction, Way way, double left,
                       const std::optional<RowWalk>& walk, Match& match) {
    const read::Instruction& i = c.at(instruction);
    const unsigned bytes = read::access_bytes(i);
    const std::string where = place_name(c.kernel, instruction);
    if (way == Way::kWide) {
      match.hint = fmt::format(
          "Each thread {} {}{} contiguous bytes at {}. Combine them in a register and access {} at "
          "once.",
          i.opcode->stores ? "stores" : "loads", std::lround(1 / left),
          bytes == 1 ? "" : fmt::format(" × {}", bytes), where,
          bytes < kWordBytes             ? "4 bytes"
          : bytes / left < kWidestAccess ? "8 bytes (float2)"
                                         : "16 bytes (float4)");
    } else if (way == Way::kAdjacent) {
      const bool walks = walk && (walk->accesses[instruction] != 0 || !walk->stride);
      const LaneMapping mapping =
          walks ? LaneMapping{.hint = row_hint(c, *walk), .check = row_launch(c, *walk)}
                : lane_mapping(c, instruction);
      emulate_exchange(c, mapping, match);
      match.hint = mapping.hint;
      match.check = mapping.check;
    } else if (way == Way::kConstant) {
      match.hint = fmt::format(
          "All threads read the same address at {}. Pass the value as a kernel argument or keep it "
          "in __constant__ memory.",
          where);
    } else {
      match.hint =
          fmt::format("Keep the values reused at {} in registers or shared memory.", where);
    }
  }
};

}  // namespace

const Rule* memory_transaction_reduction() {
  static const MemoryTransactionReduction rule;
  return &rule;
}

}  // namespace burin::advise
