// Atomics of many threads on few words of global memory, or of a warp's lanes on few words of
// shared memory. An L2 slice serialises the updates of one word, whichever SM they come from.
//
// A block that combines its updates first sends one update instead of many. If all threads update
// one word, they combine in registers and by shuffles; otherwise in shared memory, which each block
// merges into global memory once at its end. If the old value of a sum is used, the updates of a
// warp are combined: one lane reserves a range for all lanes. Exchanges, compare-and-swap loops and
// counters that wrap around cannot be combined (patterns/reductions/merging.h).
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "advise/case/fewer_accesses.h"
#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/rework.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/early_return.h"
#include "advise/patterns/code/wide_types.h"
#include "advise/patterns/mapping/updates.h"
#include "advise/patterns/reductions/combining.h"
#include "advise/patterns/reductions/merging.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/text.h"
#include "emulate/values/lanes.h"
#include "emulate/values/sector.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr auto kMaxShared = static_cast<double>(kStaticShared);
constexpr double kMaxCopies = 16 * 1024;  // bytes of copies; more take too long to clear and add up
constexpr double kMaxFinal = 0.25;        // of the atomics' work that may remain
// Requests of a block per request of its final additions.
constexpr double kMinRequestsPerFinal = 32;
constexpr double kMaxReuse = 1.5;  // times that a stream requests a sector
// Lanes of a warp at one address; fewer are no contention.
constexpr double kMinLanesPerAddress = 1.5;
constexpr double kMinSliceBusy = 0.5;  // of the time: then queued accesses wait for the L2 slices
constexpr double kMinLanesPerSharedWord = 4;  // lanes at one word; fewer cost little
constexpr double kMaxWordsOfThread = 4;       // that a thread may keep in registers
constexpr std::size_t kMaxNamedPlaces = 4;    // that a text names

bool has_result(const read::Instruction& i) {
  bool found = false;
  read::for_each_write(i, [&](read::RegisterFile file, std::uint16_t, unsigned) {
    found |= file == read::RegisterFile::kGeneral;
  });
  return found;
}

// The remaining atomics if each block adds each word to global memory once.
struct FinalAdditions {
  double requests = 1;     // share of the requests that remains
  double work = 1;         // share of their work at the L2 slices that remains
  bool more_work = false;  // pays off only with fewer blocks of more elements each
  double fewer = 1;        // share of the blocks that is then launched
};
FinalAdditions final_additions(const Case& c, const Updates& updates) {
  const double requests = std::ceil(updates.words / emulate::kWarpLanes);
  if (updates.requests <= 0) {
    // The number of executions is unknown: at least one per warp.
    const double warps = std::ceil(static_cast<double>(c.block.total()) / emulate::kWarpLanes);
    return {.requests = requests / warps, .work = requests / warps};
  }
  const double passes = std::ceil(updates.bytes / emulate::kSectorBytes);
  FinalAdditions left{.requests = requests / updates.requests, .work = passes / updates.passes};
  const double resident = static_cast<double>(c.occupancy.blocks) * c.machine.sm.count;
  const double fewer = std::min(1.0, resident / static_cast<double>(c.grid.total()));
  const bool small = std::max(left.requests, left.work) <= kMaxFinal;
  // Each block clears and adds its words, which pays off only for many elements.
  if (small && updates.requests >= kMinRequestsPerFinal * requests) return left;
  left.more_work = fewer < 1;
  left.fewer = fewer;
  left.requests *= fewer;
  left.work *= fewer;
  return left;
}

double busy_slices(const analyze::Study& study) {
  return study.base().busy[static_cast<std::size_t>(machine::Resource::kL2)];
}

std::string count_text(double words) {
  return words == 1 ? "one word" : fmt::format("{:.0f} words", words);
}

// An operation of the atomics, with the lines that do it.
struct Operation {
  const Merging* merging = nullptr;
  std::vector<std::string> places{};
};

// "a.cu:6", "a.cu:7": all lines with atomics, of which each has to change.
std::vector<std::string> places_of(const Case& c, const read::InstructionSet& set) {
  std::vector<std::string> places;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (set[i] == 0) continue;
    const std::string place = call_place(c, i);
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  }
  return places;
}

std::vector<Operation> operations_of(const Case& c, const read::InstructionSet& set) {
  std::map<const Merging*, read::InstructionSet> sets;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (set[i] != 0) sets.try_emplace(merging_of(c.at(i)), c.size()).first->second[i] = 1;
  }
  std::vector<Operation> operations;
  for (const auto& [merging, of] : sets) operations.push_back({merging, places_of(c, of)});
  return operations;
}

// "set 64 words there to 0, __syncthreads(), atomicAdd to them, …": copies of the words in shared
// memory, from their first value to the update of global memory.
std::string copies_in_shared(const Case& c, const Updates& updates) {
  const std::string words = fmt::format(
      "{:.0f} words there ({})", updates.words,
      updates.whole_buffers ? "as many as the arrays have" : "at most as many are used");
  const std::vector<Operation> operations = operations_of(c, updates.set);
  if (operations.size() == 1) {
    return fmt::format(
        "set {0} to {1}, __syncthreads(), update these with {2}, __syncthreads(), and merge each "
        "word into global memory once, with {2}, at the end of the block.",
        words, operations[0].merging->start, operations[0].merging->call);
  }
  std::vector<std::string> starts;
  for (const Operation& o : operations) {
    starts.push_back(fmt::format("to {} for {} ({})", o.merging->start, o.merging->call,
                                 list_of(o.places, kMaxNamedPlaces)));
  }
  return fmt::format(
      "set {} {}, __syncthreads(), update these instead, __syncthreads(), and merge each word "
      "into global memory once, with its own operation, at the end of the block.",
      words, list_of(starts, starts.size()));
}

// How the values of a warp's lanes become one.
std::string across_lanes(bool adds) {
  return adds ? "__reduce_add_sync for integers, __shfl_down_sync for floats"
              : "__shfl_down_sync, then the same operation";
}

class AtomicContention final : public Rule {
  std::string_view id() const override { return "atomic-contention"; }
  std::string_view summary() const override {
    return "atomics of many threads on few words of global memory";
  }

  std::vector<Match> match(const Case& c) const override {
    const Origins origins(c.kernel);
    std::vector<Match> found;
    if (const auto updates = updates_of(c, origins, false)) {
      if (Match match = of_reductions(c, origins, *updates); !match.stalls.empty()) {
        found.push_back(std::move(match));
      }
    }
    if (const auto updates = updates_of(c, origins, true)) {
      if (Match match = of_returning(c, origins, *updates); !match.stalls.empty()) {
        found.push_back(std::move(match));
      }
    }
    if (Match match = of_shared(c); !match.stalls.empty()) found.push_back(std::move(match));
    return found;
  }

  // Sums of a block in a few words of shared memory: lanes that update one word are serialised.
  // Registers have room for that few words.
  static Match of_shared(const Case& c) {
    if (c.study == nullptr) return {};
    read::InstructionSet set(c.size());
    std::vector<double> serial(c.size());  // serialised lanes, summed over all requests
    double requests = 0;
    double lanes = 0;
    const timing::BlockTrace& trace = c.study->traced().reference;
    for (const auto& warp : trace.warps) {
      for (const timing::TraceStep& step : warp) {
        if (step.request == timing::kNoRequest) continue;
        const timing::Request& request = trace.requests[step.request];
        if (request.kind != timing::Request::Kind::kShared || !request.atomic) continue;
        const Merging* merging = merging_of(c.at(step.instruction));
        if (merging == nullptr || !merging->adds()) continue;
        if (request.collisions < 2 || has_result(c.at(step.instruction))) continue;
        set[step.instruction] = 1;
        serial[step.instruction] += request.collisions;
        requests += 1;
        lanes += request.lanes;
      }
    }
    const auto hot = static_cast<std::uint32_t>(std::ranges::max_element(serial) - serial.begin());
    const double together = std::reduce(serial.begin(), serial.end()) / std::max(1.0, requests);
    if (together < kMinLanesPerSharedWord || lanes > kMaxWordsOfThread * together * requests)
      return {};
    const double words = std::max(1.0, std::round(lanes / requests / together));  // of a warp
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return set[s.waits] != 0 || set[s.cause] != 0 || s.stall == launch::Stall::kMioThrottle ||
             (s.dependency == Dependency::kSharedMemory && shares_loop(c, s.waits, hot));
    });
    if (match.stalls.empty()) return {};
    // One select and one addition per word.
    match.edits = {{.kind = analyze::Edit::Kind::kRetyped,
                    .instructions = set,
                    .value = 2 * words,
                    .to_class = "alu"}};
    match.relieves = {machine::Resource::kShared, machine::Resource::kLsu,
                      machine::Resource::kIssue};
    match.where = hot;
    const std::string place = place_name(c.kernel, hot);
    match.text = fmt::format(
        "The {:.0f} active lanes of a warp update about {} of shared memory at {}: {:.0f} of them "
        "are serialised.",
        lanes / requests, count_text(words), place, together);
    match.hint = fmt::format(
        "Sum in registers of each thread instead of the atomic at {}, one for each word (sum[k] "
        "+= "
        "k == index ? value : 0, unrolled), and add them up at the end of the block: across the "
        "lanes of a warp (__reduce_add_sync for integers, __shfl_down_sync for floats), then one "
        "atomic of each warp for each word.",
        place);
    return match;
  }

  static bool shares_loop(const Case& c, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t loop = c.places.outermost(c.places.loop_of(b));
    return loop != read::kNoIndex && c.places.outermost(c.places.loop_of(a)) == loop;
  }

  static Match of_reductions(const Case& c, const Origins& origins, const Updates& updates) {
    if (updates.words <= 0 || updates.bytes > kMaxShared) return {};
    const FinalAdditions left = final_additions(c, updates);
    if (left.work > kMaxFinal) return {};
    Match match = matched_on(c, updates, 1 - left.work);
    match.edits = {{.kind = analyze::Edit::Kind::kPrivate,
                    .instructions = updates.set,
                    .value = left.requests}};
    const read::InstructionSet combining =
        left.more_work ? combining_code(c, origins) : read::InstructionSet(c.size());
    const bool combined = std::ranges::find(combining, 1) != combining.end();
    if (combined && !combines_as_atomics(c, origins, combining, updates)) return {};
    if (left.more_work) add_elements(c, combining, left.fewer, match);
    if (match.stalls.empty()) return match;
    match.added_us = retries_us(c, updates);
    if (left.more_work && updates.words == 1 && c.study != nullptr && streams(c)) {
      // With sums in registers, the remaining work is loading the elements.
      match.edits.clear();
      set_rework(c, rework(c, streamed(c, combining, updates.set, left.fewer, left.work)), match);
    }
    tell_reductions(c, origins, updates, left, combining, match);
    return match;
  }

  static bool combines_as_atomics(const Case& c, const Origins& origins,
                                  const read::InstructionSet& combining, const Updates& updates) {
    const std::vector<Operation> operations = operations_of(c, updates.set);
    return std::ranges::all_of(operations, [&](const Operation& o) {
      return combines_as(c, origins, combining, o.merging->operation);
    });
  }

  // Whether each thread loads its own elements once, outside loops.
  static bool streams(const Case& c) {
    read::InstructionSet loads(c.size());
    bool any = false;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool load = touches_global(c.at(i)) && c.at(i).opcode->loads && c.executed(i);
      if (load && c.places.loop_of(i) != read::kNoIndex) return false;
      loads[i] = load && !read::is_atomic(c.at(i)) ? 1 : 0;
      any |= loads[i] != 0;
    }
    return any && Requests(*c.study).reuse(loads) < kMaxReuse;
  }

  // Each thread has many elements: block start-up, index computation and the combination of the
  // threads' values happen once for all of them.
  static void add_elements(const Case& c, const read::InstructionSet& combining, double fewer,
                           Match& match) {
    analyze::Edit index{.kind = analyze::Edit::Kind::kShare,
                        .instructions = index_code(c),
                        .value = 1 / elements_at_once(c)};
    analyze::Edit once{.kind = analyze::Edit::Kind::kShare,
                       .instructions = read::InstructionSet(c.size()),
                       .value = fewer};
    analyze::Edit barriers{.kind = analyze::Edit::Kind::kSkipped,
                           .instructions = read::InstructionSet(c.size())};
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (combining[i] == 0) continue;
      index.instructions[i] = 0;
      (read::is_barrier(c.at(i)) ? barriers : once).instructions[i] = 1;
    }
    for (std::uint32_t s = 0; s < c.blamed.stalls.size(); ++s) {
      const BlamedStall& stall = c.blamed.stalls[s];
      const double weight = combining[stall.waits] != 0            ? 1 - fewer
                            : index.instructions[stall.waits] != 0 ? 1 - index.value
                                                                   : 0;
      const bool known =
          std::ranges::any_of(match.stalls, [&](const MatchedStall& m) { return m.stall == s; });
      if (weight > 0 && !known) match.stalls.push_back({.stall = s, .weight = weight});
    }
    match.edits.push_back({.kind = analyze::Edit::Kind::kFewerBlocks, .value = fewer});
    match.edits.push_back(std::move(index));
    match.edits.push_back(std::move(once));
    match.edits.push_back(std::move(barriers));
    for (const machine::Resource r :
         {machine::Resource::kDispatch, machine::Resource::kIssue, machine::Resource::kAlu,
          machine::Resource::kUniform, machine::Resource::kFma, machine::Resource::kXu,
          machine::Resource::kConstant, machine::Resource::kShared, machine::Resource::kBarrier}) {
      match.relieves.push_back(r);
    }
  }

  // Shared memory has no float addition: the compiler generates a loop of a load, an addition and a
  // compare-and-swap. All additions of a block to one word are serialised.
  static double retries_us(const Case& c, const Updates& updates) {
    const read::Instruction& at = c.at(updates.hottest);
    const bool floats = at.modifier("type").find('F') != std::string_view::npos;
    if (!floats || !merging_of(at)->adds() || updates.words <= 1 || updates.requests <= 0) return 0;
    const double of_sm = updates.requests * 32 * static_cast<double>(c.grid.total()) /
                         std::min<double>(c.machine.sm.count, static_cast<double>(c.grid.total()));
    const double copies = std::max(1.0, static_cast<double>(c.occupancy.blocks));
    const double cycles = of_sm / updates.words / copies * 3 * c.machine.shared.latency;
    return c.machine.seconds(cycles) * 1e6;
  }

  // Old values are distributed within the warp, or within the block if all threads update one word.
  static Match of_returning(const Case& c, const Origins& origins, const Updates& updates) {
    const FinalAdditions finally = final_additions(c, updates);
    const bool block = updates.words == 1 && finally.work <= kMaxFinal;
    if (updates.together < kMinLanesPerAddress && !block) return {};
    const double left = block ? finally.work : 1 / updates.together;
    Match match = matched_on(c, updates, 1 - left);
    if (match.stalls.empty()) return match;
    match.edits = {{.kind = block ? analyze::Edit::Kind::kPrivate : analyze::Edit::Kind::kCombined,
                    .instructions = updates.set,
                    .value = finally.requests}};
    const std::string place = place_name(c.kernel, updates.hottest);
    match.text = fmt::format(
        "At {}, {} update {} with an atomic and use its old value. Updates of one word are "
        "serialised.",
        place, block ? "all threads" : fmt::format("{:.0f} lanes of a warp", updates.together),
        block ? "one word" : "the same word");
    match.hint = block
                     ? fmt::format(
                           "Reserve once for the block at {}: its threads take their ranks "
                           "from an atomic on a __shared__ counter, one thread adds the "
                           "total to global memory, and all add its old value to their "
                           "ranks after __syncthreads().{}",
                           place, early_return_text(c, origins))
                     : fmt::format(
                           "Combine the lanes of a warp that update the same word at {}: one lane "
                           "adds the sum for all of them (__activemask, __popc where each adds "
                           "1), __shfl_sync hands out the old value, and each lane adds the sum "
                           "of those below it, which is its rank where each adds 1 (cooperative "
                           "groups: coalesced_threads if all update one word, else "
                           "labeled_partition).",
                           place);
    return match;
  }

  // Stalls on the atomics, and on accesses in the same loops, which wait in the same queues: loads,
  // and everything that passes the load-store unit if the L2 slices are busy.
  static Match matched_on(const Case& c, const Updates& updates, double weight) {
    read::InstructionSet loops(c.kernel.loops.size());
    const auto loop_at = [&](std::uint32_t i) { return c.places.outermost(c.places.loop_of(i)); };
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (updates.set[i] != 0 && loop_at(i) != read::kNoIndex) loops[loop_at(i)] = 1;
    }
    const bool queues = c.study != nullptr && busy_slices(*c.study) >= kMinSliceBusy;
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      const std::uint32_t loop = loop_at(s.waits);
      const bool beside = loop != read::kNoIndex && loops[loop] != 0;
      const bool queued = s.dependency == Dependency::kGlobalMemory ||
                          (queues && (s.dependency == Dependency::kSharedMemory ||
                                      s.stall == launch::Stall::kMioThrottle ||
                                      s.stall == launch::Stall::kLgThrottle));
      return updates.set[s.waits] != 0 || updates.set[s.cause] != 0 || (beside && queued);
    });
    for (MatchedStall& m : match.stalls) m.weight = weight;
    match.relieves = {machine::Resource::kLsu, machine::Resource::kL1, machine::Resource::kL2,
                      machine::Resource::kDram};
    match.where = updates.hottest;
    return match;
  }

  static void tell_reductions(const Case& c, const Origins& origins, const Updates& updates,
                              const FinalAdditions& left, const read::InstructionSet& combining,
                              Match& match) {
    const std::vector<std::string> places = places_of(c, updates.set);
    const std::string place = list_of(places, kMaxNamedPlaces);
    const std::vector<Operation> operations = operations_of(c, updates.set);
    const bool adds = operations.size() == 1 && operations[0].merging->adds();
    const bool one = updates.words == 1;
    const std::string words = !one                ? count_text(updates.words)
                              : places.size() > 1 ? "one word each from all threads"
                                                  : "one word from all threads";
    match.text = fmt::format("The atomics at {} update {}{}. Updates of one word are serialised.",
                             place, words, updates.requests > 0 ? per_block(updates) : "");
    const std::string fewer =
        left.more_work ? fmt::format(
                             "Launch {}, which fill the GPU once, and let each thread process many "
                             "elements in a grid-stride loop (`for (i = blockIdx.x * blockDim.x + "
                             "threadIdx.x; …; i += gridDim.x * blockDim.x)`{}). Let each block ",
                             count_of(static_cast<std::uint64_t>(std::ceil(
                                          left.fewer * static_cast<double>(c.grid.total()))),
                                      "block"),
                             wide_loads_clause(c))
                       : "Let each block ";
    if (left.more_work) {
      match.check =
          fmt::format("--grid {:.0f} --block {}",
                      std::ceil(left.fewer * static_cast<double>(c.grid.total())), c.block.total());
    }
    if (!one) {
      match.hint =
          fmt::format("{}combine its updates at {} in __shared__ memory: {}{}", fewer, place,
                      copies_in_shared(c, updates),
                      match.added_us > 0 && operations.size() == 1 ? copies_text(c, updates) : "") +
          early_return_text(c, origins);
      return;
    }
    const auto combined = std::ranges::find(combining, 1);
    if (combined != combining.end()) {
      const auto first = static_cast<std::uint32_t>(combined - combining.begin());
      match.text = fmt::format(
          "Each block combines the values of its threads (from {} on) and updates {} at {}, for "
          "one "
          "element per thread: that takes {:.0f} % of the instructions.",
          place_name(c.kernel, first),
          places.size() > 1 ? "a word with each of its results" : "one word with the result", place,
          100 * issued_share(c, combining));
      match.hint = fmt::format(
          "{}combine the {} of its threads once, after that loop, as it does now: a thread {} in a "
          "register, and stores the result where it stores its one value now.",
          fewer, adds ? "sums" : "results",
          adds ? "adds its elements up" : "combines its elements by the same operation");
      return;
    }
    if (updates.requests > 0 && updates.together < kMinLanesPerAddress && !left.more_work) {
      match.hint = fmt::format(
          "The lanes of a warp are already combined at {}. {}combine its warps in "
          "__shared__ memory too, and issue one atomic for the block.{}",
          place, fewer, early_return_text(c, origins));
      return;
    }
    match.hint = fmt::format(
        "{}combine its updates at {}: in a register of each thread, across the lanes of a warp "
        "({}), across its warps in __shared__ memory, then one {} for the block.",
        fewer, place, across_lanes(adds),
        operations.size() == 1 ? operations[0].merging->call : "atomic of each operation");
    match.hint += early_return_text(c, origins);
  }

  // Adjacent copies of a word lie in different banks.
  static std::string copies_text(const Case& c, const Updates& updates) {
    const double room =
        std::min(kMaxCopies,
                 c.machine.limit.shared / std::max(1.0, static_cast<double>(c.occupancy.blocks)));
    unsigned copies = 1;
    while (copies < emulate::kWarpLanes && 2 * copies * updates.bytes <= room) copies *= 2;
    if (copies < 2) return "";
    return fmt::format(
        " Float additions in __shared__ memory are compare-and-swap loops, so keep {} copies of "
        "each word, side by side: `__shared__ float bins[{:.0f} * {}]`, where lane l of "
        "a warp adds to bins[word * {} + l % {}]. At the end, add up the {} copies of each word.",
        copies, updates.words, copies, copies, copies, copies);
  }

  static std::string per_block(const Updates& updates) {
    if (updates.requests < 1) return ", with less than one request per block";
    return fmt::format(
        ", with {} per block",
        count_of(static_cast<std::uint64_t>(std::lround(updates.requests)), "request"));
  }
};

}  // namespace

const Rule* atomic_contention() {
  static const AtomicContention rule;
  return &rule;
}

}  // namespace burin::advise
