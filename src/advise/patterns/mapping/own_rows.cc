#include "advise/patterns/mapping/own_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/rule.h"
#include "advise/case/source_text.h"
#include "advise/patterns/mapping/row_walk.h"
#include "advise/patterns/reductions/carried.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMinOwnShare = 0.5;          // of the lane stride, accessed by the thread itself
constexpr double kMinUses = 2;                // uses of an element that justify keeping it
constexpr double kMinSharedLoopShare = 0.25;  // of the accesses, in loops that lanes can share
constexpr double kMinResidentShare = 0.5;     // of the resident warps that must still fit
constexpr std::uint32_t kOneWarpBlock = 32;
constexpr std::uint32_t kItemsPerBlock = 4;
constexpr double kTileElements = 32 * 33;  // of a warp

// The accesses with this lane stride.
struct OwnData {
  read::InstructionSet accesses{};
  double block_bytes = 0;
  double thread_bytes = 0;
  double uses = 0;  // uses of each element by its thread
  bool loads = false;
  bool stores = false;
};

OwnData own_data(const Case& c, std::uint64_t stride) {
  const Requests requests(*c.study);
  OwnData data{.accesses = read::InstructionSet(c.size())};
  double moved = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const AccessCount& count = c.accesses[i];
    const bool apart = touches_global(c.at(i)) && count.scattered();
    if (!apart || requests.of(i).stride != stride) continue;
    data.accesses[i] = 1;
    (c.at(i).opcode->stores ? data.stores : data.loads) = true;
    moved += requests.of(i).requests * requests.of(i).lanes * read::access_bytes(c.at(i));
  }
  data.block_bytes = requests.bytes(data.accesses);
  data.thread_bytes = data.block_bytes / static_cast<double>(c.block.total());
  data.uses = moved / std::max(1.0, data.block_bytes);
  return data;
}

// Loops in which the first warp of the traced block loads what an earlier iteration has stored.
std::set<std::uint32_t> loops_through_memory(const Case& c) {
  const timing::BlockTrace& trace = c.study->traced().reference;
  std::unordered_map<std::uint64_t, std::uint32_t> stored;  // address, the loop of its last store
  std::set<std::uint32_t> loops;
  for (const timing::TraceStep& step : trace.warps.front()) {
    if (step.request == timing::kNoRequest || !touches_global(c.at(step.instruction))) continue;
    const std::uint64_t address = trace.requests[step.request].first_address;
    const std::uint32_t loop = c.places.loop_of(step.instruction);
    if (c.at(step.instruction).opcode->stores) {
      stored[address] = loop;
    } else if (const auto at = stored.find(address); at != stored.end() && at->second == loop) {
      loops.insert(loop);
    }
  }
  return loops;
}

// Whether lanes could share the iterations of innermost loops that contain enough of the accesses.
// The remainder of an unrolled loop may run once only, and does not show its order.
bool has_loop_to_share(const Case& c, const OwnData& data) {
  const std::set<std::uint32_t> serial = loops_through_memory(c);
  std::map<std::uint32_t, double> loops;
  double all = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (data.accesses[i] == 0) continue;
    loops[c.places.loop_of(i)] += c.accesses[i].executed;
    all += c.accesses[i].executed;
  }
  double shared = 0;
  for (const auto& [loop, executed] : loops) {
    const bool in_order =
        loop == read::kNoIndex || serial.contains(loop) || CarriedValues(c, loop).in_order();
    if (!in_order) shared += executed;
  }
  return shared >= kMinSharedLoopShare * all;
}

// Whether a block can keep this much more in shared memory.
bool fits(const Case& c, double bytes) {
  machine::KernelNeeds needs = c.needs;
  needs.shared += static_cast<std::uint64_t>(bytes);
  const Result<machine::Occupancy> after = machine::occupancy(c.machine, needs);
  const auto resident =
      std::min<double>(static_cast<double>(c.occupancy.blocks),
                       std::max(1.0, static_cast<double>(c.grid.total()) / c.machine.sm.count));
  return after && static_cast<double>(after->blocks) >= kMinResidentShare * resident;
}

std::string verb(const OwnData& data) {
  if (data.loads && data.stores) return "loads and stores";
  return data.loads ? "loads" : "stores";
}

// The text for moving data into shared memory, out of it, or both.
std::string moved_text(const OwnData& data, std::string_view in, std::string_view out) {
  std::string text;
  if (data.loads) text = fmt::format(" {}", in);
  if (data.stores) text += fmt::format(" {}", out);
  return text;
}

// Whether the accesses of a thread are near its previous ones, for most of them: it walks along
// data of its own.
bool walks(const Case& c, const OwnData& data) {
  const timing::BlockTrace& trace = c.study->traced().reference;
  const Origins origins(c.kernel);
  std::map<std::set<std::uint32_t>, std::uint64_t> last;  // by array
  double steps = 0;
  double near = 0;
  for (const timing::TraceStep& step : trace.warps.front()) {
    if (step.request == timing::kNoRequest || data.accesses[step.instruction] == 0) continue;
    const std::uint64_t address = trace.requests[step.request].first_address;
    const auto [before, first] =
        last.try_emplace(origins.address_parameters(step.instruction), address);
    if (first) continue;
    const std::uint64_t apart =
        std::max(address, before->second) - std::min(address, before->second);
    before->second = address;
    ++steps;
    near += apart <= kMaxStepBytes ? 1 : 0;
  }
  return near >= kMinNearShare * steps;
}

// Without accesses that a thread makes only once.
OwnData in_loops(const Case& c, OwnData data) {
  data.loads = data.stores = false;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (data.accesses[i] == 0 || c.places.loop_of(i) == read::kNoIndex) continue;
    (c.at(i).opcode->stores ? data.stores : data.loads) = true;
  }
  return data;
}

// Whether a loop around the access may end earlier for some lanes of a warp than for others.
bool ends_by_lane(const Case& c, const Origins& origins, std::uint32_t access) {
  constexpr Origins::Mask kOfLane =
      Origins::kThreadX | Origins::kThreadY | Origins::kThreadZ | Origins::kLoadedByLane;
  for (std::uint32_t l = c.places.loop_of(access); l != read::kNoIndex;
       l = c.kernel.loops[l].parent) {
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!c.places.in_loop(i, l) || !c.at(i).known() || (origins.of(i) & kOfLane) == 0) continue;
      if (c.at(i).opcode->flow == read::Opcode::kExit) return true;
      if (c.at(i).opcode->flow != read::Opcode::kBranch) continue;
      const std::vector<read::Edge>& ways = c.kernel.blocks[c.kernel.block_of[i]].successors;
      const bool leaves = std::ranges::any_of(ways, [&](const read::Edge& way) {
        return !c.places.in_loop(c.kernel.blocks[way.block].first, l);
      });
      if (leaves) return true;
    }
  }
  return false;
}

// Bytes of a thread's row in shared memory: an odd number of the units in which it is read, so that
// no banks conflict. A unit is a word, or a wider element.
struct RowInShared {
  std::uint32_t unit = 4;   // bytes
  std::uint64_t bytes = 0;  // from row to row
};
RowInShared row_in_shared(const Case& c, const OwnData& data) {
  RowInShared row;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (data.accesses[i] != 0) row.unit = std::max(row.unit, read::access_bytes(c.at(i)));
  }
  const auto units = static_cast<std::uint64_t>(std::ceil(data.thread_bytes / row.unit));
  row.bytes = (units | 1) * row.unit;
  return row;
}

// Two digits of a mean.
std::string about_bytes(double value) {
  const double step = std::pow(10, std::floor(std::log10(std::max(value, 1.0))) - 1);
  return "about " + whole(std::round(value / step) * step);
}

// Neither adjacent lanes nor successive accesses of a thread are near each other.
LaneMapping wrong_index(const Case& c, std::uint32_t access, std::uint64_t stride) {
  LaneMapping mapping{.check = shape_options(c.grid, c.block)};
  const bool store = c.at(access).opcode->stores;
  mapping.hint = fmt::format(
      "The elements{} that adjacent lanes {} at {} are {} bytes apart, and those that a thread {} "
      "one after the other are not adjacent either. Change the order of the array's indices, so "
      "that the index that differs "
      "from lane to lane is the last one: in the kernel that {} the array, or by a transposition "
      "of the whole array {} this launch. Or let adjacent threads differ in the index that is the "
      "last one now, if the other arrays of the loop do not need their order.",
      argument_text(c, Origins(c.kernel), access), store ? "store" : "load",
      place_name(c.kernel, access), stride, store ? "stores" : "loads", store ? "reads" : "writes",
      store ? "after" : "before");
  return mapping;
}

}  // namespace

LaneMapping own_rows(const Case& c, std::uint32_t access, std::uint64_t stride) {
  const OwnData data = own_data(c, stride);
  if (!walks(c, data)) return wrong_index(c, access, stride);
  LaneMapping mapping{.check = shape_options(c.grid, c.block)};
  const bool by_lane = ends_by_lane(c, Origins(c.kernel), access);
  mapping.hint =
      fmt::format("Each thread {} {} bytes of its own at {}, {} bytes from those of the next lane.",
                  verb(data), by_lane ? about_bytes(data.thread_bytes) : whole(data.thread_bytes),
                  place_name(c.kernel, access), with_commas(stride));
  const unsigned element = read::access_bytes(c.at(access));
  const bool together = data.thread_bytes >= kMinOwnShare * static_cast<double>(stride);
  if (together && fits(c, data.block_bytes)) {
    const RowInShared row = row_in_shared(c, data);
    mapping.hint += fmt::format(
        " The block's {:.0f} KB fit in shared memory, with {} bytes from each thread's row to the "
        "next, so that no banks conflict.",
        data.block_bytes / 1024, with_commas(row.bytes));
    const auto needed = static_cast<double>(row.bytes * c.block.total());
    add_dynamic_shared(c, needed, mapping.hint, mapping.check);
    const std::uint32_t at_once = stride % row.unit == 0 ? row.unit : element;
    mapping.hint += moved_text(
        data,
        fmt::format(
            "Copy them there first, {} at a time (rows at that distance are aligned to no more), "
            "adjacent lanes adjacent elements of the same row; __syncthreads(); then each "
            "thread reads its own row from there.",
            count_of(at_once, "byte")),
        "Let each thread write its results there; __syncthreads(); then store them with adjacent "
        "lanes at adjacent elements of the same row.");
    return mapping;
  }
  const bool few = data.thread_bytes * kItemsPerBlock <= c.machine.limit.shared / 2;
  if (data.uses >= kMinUses && few && has_loop_to_share(c, data)) {
    const launch::Dims block{kOneWarpBlock * kItemsPerBlock, 1, 1};
    const auto blocks = (c.grid.total() * c.block.total() + kItemsPerBlock - 1) / kItemsPerBlock;
    mapping.hint += fmt::format(
        " It uses each element {} times, and the {:.0f} KB of a block of {} do not fit in "
        "shared memory with those of other blocks. Let a warp process the data of one thread, "
        "kept in shared memory: item = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = "
        "threadIdx.x % 32. The lanes copy the item there, adjacent lanes adjacent elements. Of the "
        "loops inside, one whose iterations do not need each other's results is shared among the "
        "lanes (it begins at its first index + lane and advances by 32), with __syncwarp() before "
        "results are read that other lanes have written; the loop around it stays in order. At the "
        "end the lanes store the results, adjacent elements again. Launch {} of {}.",
        whole(data.uses), data.block_bytes / 1024, c.block.total(), count_of(blocks, "block"),
        block.x);
    mapping.check = shape_options({static_cast<std::uint32_t>(blocks), 1, 1}, block);
    return mapping;
  }
  mapping.hint +=
      " Let each warp move tiles of 32 rows × 32 elements through `__shared__` memory, "
      "33 elements apart so that no banks conflict.";
  const double warps = std::ceil(static_cast<double>(c.block.total()) / kOneWarpBlock);
  add_dynamic_shared(c, warps * kTileElements * element, mapping.hint, mapping.check);
  mapping.hint += moved_text(
      in_loops(c, data),
      "For each tile: lane l loads element l of each of the 32 rows in turn; __syncwarp(); then "
      "each lane reads the elements of its own row from there, in order; __syncwarp().",
      "Each lane writes its results of 32 iterations there; __syncwarp(); then lane l stores "
      "element l of each of the 32 rows in turn; __syncwarp().");
  mapping.hint +=
      by_lane
          ? " All 32 lanes take part until the longest row of the warp has ended, since each of "
            "them moves elements of all rows: a lane whose own row has ended, or lies past the "
            "last one, only skips the computation. No access goes past the end of a row."
          : " No lane may return early, since each of them moves elements of all rows: guard "
            "the accesses of rows past the last one.";
  return mapping;
}

}  // namespace burin::advise
