#include "advise/patterns/mapping/updates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "advise/case/requests.h"
#include "advise/case/rule.h"
#include "advise/patterns/code/lanes.h"
#include "advise/patterns/code/likely_contents.h"
#include "advise/patterns/reductions/merging.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kSameWords = 1.5;  // lines of all traced blocks over those of one block, at most
constexpr auto kSharedRoom = static_cast<double>(kStaticShared);

bool updates_global(const Case& c, std::uint32_t i) {
  return read::is_atomic(c.at(i)) && read::may_be_global(c.at(i)) && c.executed(i);
}

// Whether all threads of the launch have the same address, according to the code.
bool is_one_word(const Origins& origins, const read::InstructionSet& set) {
  constexpr Origins::Mask kDiffers = Origins::kThreadX | Origins::kThreadY | Origins::kThreadZ |
                                     Origins::kBlock | Origins::kMemory;
  for (std::uint32_t i = 0; i < set.size(); ++i) {
    if (set[i] != 0 && (origins.of_address(i) & kDiffers) != 0) return false;
  }
  return true;
}

// The memory that updates go to. Bytes are whole sectors where no buffer is known to be smaller.
struct Extent {
  double bytes = 0;
  double words = 0;
};
struct Extents {
  Extent touched{};  // by one block
  Extent buffers{};  // 0: a buffer is unknown
};
Extents extents_of(const Case& c, const Origins& origins, const read::InstructionSet& set,
                   const Requests& requests) {
  std::map<std::set<std::uint32_t>, read::InstructionSet> updates;  // by their pointers
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (set[i] == 0) continue;
    updates.try_emplace(origins.address_parameters(i), c.size()).first->second[i] = 1;
  }
  Extents all;
  std::set<std::uint32_t> counted;
  for (const auto& [pointers, of] : updates) {
    unsigned width = 4;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (of[i] != 0) width = std::max(width, read::access_bytes(c.at(i)));
    }
    double known = 0;
    for (const std::uint32_t pointer : pointers) {
      const double bytes = buffer_bytes(c.study->launch(), *c.kernel.function, pointer);
      known += bytes;
      if (!counted.insert(pointer).second) continue;
      all.buffers.bytes += bytes;
      all.buffers.words += bytes / width;
    }
    const double sectors = requests.bytes(of);
    const double bytes = known > 0 ? std::min(sectors, known) : sectors;
    all.touched.bytes += bytes;
    all.touched.words += bytes / width;
  }
  return all;
}

// Whether blocks update different words: one block has few of the lines of all traced blocks. A
// single block is not conclusive if data or blockIdx determine the address.
bool differ_by_block(const Case& c, const Origins& origins, const read::InstructionSet& set) {
  constexpr Origins::Mask kDecides = Origins::kBlock | Origins::kMemory;
  bool decides = false;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    decides |= set[i] != 0 && (origins.of_address(i) & kDecides) != 0;
  }
  if (!decides) return false;
  const timing::TracedLaunch& traced = c.study->traced();
  std::set<std::uint64_t> all;
  const auto lines_of = [&](const timing::BlockTrace& trace) {
    std::set<std::uint64_t> lines;
    for (const auto& warp : trace.warps) {
      for (const timing::TraceStep& step : warp) {
        if (step.request == timing::kNoRequest || set[step.instruction] == 0) continue;
        for (const timing::LineUse& use : trace.lines_of(trace.requests[step.request])) {
          lines.insert(use.line());
        }
      }
    }
    all.insert(lines.begin(), lines.end());
    return lines.size();
  };
  std::size_t most = lines_of(traced.reference);
  std::size_t blocks = 1;
  for (const timing::TracedWindow& window : traced.windows) {
    for (const timing::BlockTrace& trace : window.traces) {
      most = std::max(most, lines_of(trace));
      ++blocks;
    }
  }
  if (blocks > 1) return static_cast<double>(all.size()) > kSameWords * static_cast<double>(most);
  // One block represents all; the strides give the words of the others.
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const timing::Strides& of = traced.strides.of[i];
    const bool moves = of.x != 0 || of.y != 0 || of.z != 0;
    const bool same = of.kind == timing::Strides::Kind::kSame ||
                      (of.kind == timing::Strides::Kind::kAffine && !moves);
    if (set[i] != 0 && !same) return true;
  }
  return false;
}

bool is_by_data(const Origins& origins, const read::InstructionSet& set) {
  for (std::uint32_t i = 0; i < set.size(); ++i) {
    if (set[i] != 0 && (origins.of_address(i) & Origins::kLoaded) != 0) return true;
  }
  return false;
}

// If the traced block has no updates: the mean of the launch, with one pass each.
void count_few(const Case& c, Updates& updates) {
  const std::vector<LaneMean> lanes = lanes_of(*c.study);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (updates.set[i] == 0) continue;
    const double of_block = c.study->base().costs[i].issued / static_cast<double>(c.grid.total());
    updates.requests += of_block;
    updates.passes += of_block;
    updates.together += of_block * lanes[i].active;
  }
}

void count_requests(const Case& c, const Origins& origins, Updates& updates) {
  const Requests requests(*c.study);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (updates.set[i] == 0) continue;
    const RequestShape& shape = requests.of(i);
    updates.requests += shape.requests;
    updates.passes += shape.requests * std::max(shape.sectors, shape.collisions);
    updates.together += shape.requests * shape.collisions;
  }
  if (updates.requests <= 0) count_few(c, updates);
  if (updates.requests <= 0) return;
  updates.together /= updates.requests;
  if (updates.words == 1) return;
  const auto [touched, buffers] = extents_of(c, origins, updates.set, requests);
  // One block does not update all words of data-dependent addresses.
  const bool by_data = is_by_data(origins, updates.set) && buffers.bytes <= kSharedRoom;
  const bool all =
      touched.bytes > kSharedRoom || by_data || differ_by_block(c, origins, updates.set);
  const bool larger = buffers.bytes > touched.bytes;
  const Extent& used = all && buffers.bytes > 0 && (by_data || larger) ? buffers : touched;
  updates.bytes = used.bytes;
  updates.words = used.words;
  updates.whole_buffers = used.bytes == buffers.bytes;
}

// Whether the updates of one word by two operations have an order that matters.
bool mixes(const Case& c, const Origins& origins, std::uint32_t a, std::uint32_t b) {
  const std::string_view one = c.at(a).modifier("operation");
  const std::string_view other = c.at(b).modifier("operation");
  return one != other && origins.address_parameters(a) == origins.address_parameters(b) &&
         read::address_of(c.at(a))->value == read::address_of(c.at(b))->value;
}

// Whether the updates of the atomic can be merged before they reach memory. The old value of a sum
// is that of the merged update plus the thread's own part of it; other old values are not.
bool can_merge(const Case& c, const Origins& origins, std::uint32_t i) {
  const Merging* merging = merging_of(c.at(i));
  if (merging == nullptr || (read::is_returning_atomic(c.at(i)) && !merging->adds())) return false;
  for (std::uint32_t other = 0; other < c.size(); ++other) {
    if (updates_global(c, other) && mixes(c, origins, i, other)) return false;
  }
  return true;
}

}  // namespace

std::optional<Updates> updates_of(const Case& c, const Origins& origins, bool returning) {
  Updates updates{.set = read::InstructionSet(c.size())};
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!updates_global(c, i) || read::is_returning_atomic(c.at(i)) != returning ||
        !can_merge(c, origins, i)) {
      continue;
    }
    updates.set[i] = 1;
    const auto cost = [&](std::uint32_t at) {
      return c.blamed.blamed_on(at) + c.blamed.issued[at];
    };
    if (updates.hottest == read::kNoIndex || cost(i) > cost(updates.hottest)) updates.hottest = i;
  }
  if (updates.hottest == read::kNoIndex) return std::nullopt;
  if (is_one_word(origins, updates.set)) {
    updates.words = 1;
    updates.bytes = read::access_bytes(c.at(updates.hottest));
  }
  if (c.study != nullptr) count_requests(c, origins, updates);
  return updates;
}

}  // namespace burin::advise
