#include "advise/patterns/mapping/lane_mapping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/rule.h"
#include "advise/patterns/mapping/flat_index.h"
#include "advise/patterns/mapping/own_rows.h"
#include "base/format.h"
#include "base/text.h"
#include "emulate/values/sector.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr std::uint32_t kTileSide = 32;
constexpr std::uint32_t kTileRows = 8;  // thread rows; each thread has 4 elements of a 32 × 32 tile
constexpr std::uint32_t kDefaultBlock = 256;  // threads, if blocks have less than a warp
constexpr std::uint32_t kMaxGridSide = 65535;
constexpr std::uint64_t kMaxTileElements = 8;  // per thread, in a loop over a tile
// Of the scattered sectors that an exchange must make adjacent.
constexpr double kMinMendedShare = 0.8;
constexpr std::uint64_t kFieldReach = 64;  // bytes between fields of a structure, at most
constexpr double kDramLimits = 0.8;        // busy share of DRAM
constexpr double kAllFields = 0.9;         // of a structure's bytes

std::uint32_t blocks_for(std::uint64_t extent, std::uint32_t size) {
  return static_cast<std::uint32_t>((extent + size - 1) / size);
}

// An axis of the launch other than x: y, z, or rows that the kernel derives from the thread index.
struct LaunchAxis {
  char name = 'y';           // 'r': rows
  std::uint64_t along = 1;   // threads along x
  std::uint64_t across = 1;  // threads along this axis
};

std::vector<LaunchAxis> axes_of(const Case& c) {
  const std::uint64_t along = std::uint64_t{c.grid.x} * c.block.x;
  std::vector<LaunchAxis> axes;
  for (const char name : {'y', 'z'}) {
    const std::uint64_t across =
        name == 'y' ? std::uint64_t{c.grid.y} * c.block.y : std::uint64_t{c.grid.z} * c.block.z;
    if (across > 1) axes.push_back({.name = name, .along = along, .across = across});
  }
  return axes;
}

// Bytes between adjacent threads along x and along the other axis, for indices of the form
// blockIdx * blockDim + threadIdx. Empty if addresses are not affine in these indices.
struct ThreadSteps {
  std::uint64_t x = 0;
  std::uint64_t other = 0;
};
std::optional<ThreadSteps> thread_steps(const Case& c, const Requests& requests,
                                        std::uint32_t access, const LaunchAxis& axis) {
  const timing::Strides& of = c.study->traced().strides.of[access];
  if (of.kind != timing::Strides::Kind::kAffine) return std::nullopt;
  const auto per_thread = [](std::int64_t bytes, std::uint32_t threads) {
    return static_cast<std::uint64_t>(std::abs(bytes)) / threads;
  };
  const std::uint64_t seen = requests.of(access).stride.value_or(0);
  const std::uint64_t x = c.grid.x > 1 ? per_thread(of.x, c.block.x) : seen;
  if (axis.name == 'y') return ThreadSteps{x, per_thread(of.y, c.block.y)};
  return ThreadSteps{x, per_thread(of.z, c.block.z)};
}

// The number of adjacent elements of a thread along the other axis; 0: they are not adjacent.
std::uint64_t elements_of(const ThreadSteps& steps, unsigned bytes) {
  const std::uint64_t elements = steps.other / bytes;
  return steps.other % bytes == 0 && elements <= kMaxTileElements ? elements : 0;
}

// The effect on the kernel's accesses if lanes follow the other axis.
struct AxisUse {
  double scattered = 0;  // sectors of accesses with scattered lanes
  double mended = 0;     // those of them that would become adjacent
  double spoiled = 0;    // sectors of adjacent accesses that would become scattered
  bool in_loop = false;  // a mended or spoiled access is in a loop
  // Scattered accesses are only loads or only stores, and spoiled ones are of the other kind.
  bool transposes = true;
};
AxisUse use_of(const Case& c, const Requests& requests, const LaunchAxis& axis,
               std::uint32_t access) {
  AxisUse use;
  const bool stores = c.at(access).opcode->stores;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const AccessCount& count = c.accesses[i];
    if (!touches_global(c.at(i)) || count.ideal_sectors <= 0) continue;
    const unsigned bytes = read::access_bytes(c.at(i));
    const std::optional<ThreadSteps> steps = thread_steps(c, requests, i, axis);
    const bool alike = c.at(i).opcode->stores == stores;
    if (count.scattered()) {
      use.scattered += count.sectors;
      use.transposes &= alike;
      if (!steps || elements_of(*steps, bytes) == 0 || steps->x == bytes) continue;
      use.mended += count.sectors;
      use.in_loop |= c.places.loop_of(i) != read::kNoIndex;
    } else if (steps && steps->x == bytes && steps->other != bytes && steps->other != 0) {
      use.spoiled += count.sectors;
      use.transposes &= !alike;
      use.in_loop |= c.places.loop_of(i) != read::kNoIndex;
    }
  }
  return use;
}

std::string dim3_text(const launch::Dims& d) {
  return d.z > 1 ? fmt::format("dim3({}, {}, {})", d.x, d.y, d.z)
                 : fmt::format("dim3({}, {})", d.x, d.y);
}

bool can_launch(const launch::Dims& grid) {
  return std::max(grid.y, grid.z) <= kMaxGridSide;
}

std::optional<LaneMapping> exchanged(const Case& c, std::uint32_t access, const LaunchAxis& axis,
                                     std::uint64_t lane_stride) {
  if (c.needs.shared > 0) return std::nullopt;
  const auto threads = static_cast<std::uint32_t>(c.block.total());
  const launch::Dims block{kTileSide, (threads < kTileSide ? kDefaultBlock : threads) / kTileSide,
                           1};
  const auto z = std::uint64_t{c.grid.z} * c.block.z;
  const auto y = std::uint64_t{c.grid.y} * c.block.y;
  const launch::Dims grid{blocks_for(axis.across, block.x),
                          blocks_for(axis.name == 'y' ? axis.along : y, block.y),
                          static_cast<std::uint32_t>(axis.name == 'y' ? z : axis.along)};
  if (!can_launch(grid)) return std::nullopt;
  const char a = axis.name;
  LaneMapping mapping;
  mapping.hint = fmt::format(
      "Adjacent lanes are {} bytes apart at {}: threadIdx.x runs along the wrong index, and "
      "threadIdx.{} along adjacent elements. Exchange the two: write blockIdx.{} * blockDim.{} + "
      "threadIdx.{} where the kernel has blockIdx.x * blockDim.x + threadIdx.x, and the other way "
      "round. Launch a grid of {} with blocks of {}, and keep the bounds checks.",
      with_commas(lane_stride), place_name(c.kernel, access), a, a, a, a, dim3_text(grid),
      dim3_text(block));
  mapping.check = shape_options(grid, block);
  mapping.exchanged = {.axis = axis.name == 'y' ? 1u : 2u, .grid = grid, .block = block};
  mapping.staged = false;
  return mapping;
}

std::string_view element_type(unsigned bytes) {
  switch (bytes) {
    case 1:
      return "char";
    case 2:
      return "short";
    case 8:
      return "double";
    case 16:
      return "float4";
    default:
      return "float";
  }
}

std::optional<LaneMapping> transposed(const Case& c, std::uint32_t access, const LaunchAxis& axis,
                                      std::uint64_t lane_stride) {
  const char a = axis.name == 'r' ? 'y' : axis.name;
  launch::Dims block{kTileSide, 1, 1};
  launch::Dims grid{blocks_for(axis.along, kTileSide), c.grid.y * c.block.y, c.grid.z * c.block.z};
  (a == 'y' ? block.y : block.z) = kTileRows;
  (a == 'y' ? grid.y : grid.z) = blocks_for(axis.across, kTileSide);
  if (!can_launch(grid)) return std::nullopt;
  const bool store = c.at(access).opcode->stores;
  const std::string straight = fmt::format(
      "element x = blockIdx.x * 32 + threadIdx.x, {} = blockIdx.{} * 32 + threadIdx.{} + j", a, a,
      a);
  const std::string turned = fmt::format(
      "element x = blockIdx.x * 32 + threadIdx.{} + j, {} = blockIdx.{} * 32 + threadIdx.x", a, a,
      a);
  const std::string straight_tile = fmt::format("tile[threadIdx.{} + j][threadIdx.x]", a);
  const std::string turned_tile = fmt::format("tile[threadIdx.x][threadIdx.{} + j]", a);
  LaneMapping mapping;
  mapping.hint = fmt::format(
      "Adjacent lanes are {} bytes apart at {}, and adjacent where it is {}: a transposition. "
      "Transpose a tile of 32 × 32 elements per block in shared memory: `__shared__ {} "
      "tile[32][33]` (33 columns, so that no banks conflict). Launch a grid of {} with blocks of "
      "{}; each thread moves 4 elements, j = 0, 8, 16, 24. First load {} into {}. Then "
      "__syncthreads(). Then store {} to {}. The indices of the {} are exchanged, so that "
      "threadIdx.x runs along adjacent elements in both arrays. Test the bounds of each access by "
      "its own x and {}.{}{}",
      with_commas(lane_stride), place_name(c.kernel, access), store ? "loaded" : "stored",
      element_type(read::access_bytes(c.at(access))), dim3_text(grid), dim3_text(block),
      store ? straight : turned, store ? straight_tile : turned_tile,
      store ? turned_tile : straight_tile, store ? turned : straight, store ? "store" : "load", a,
      axis.name == 'r' ? fmt::format(" Here x and y are i % {} and i / {} of the thread index i.",
                                     axis.along, axis.along)
                       : "",
      c.places.loop_of(access) != read::kNoIndex ? " The loop over the grid is no longer needed."
                                                 : "");
  mapping.check = shape_options(grid, block);
  mapping.threads = std::min(1.0, static_cast<double>(grid.total() * block.total()) /
                                      static_cast<double>(c.grid.total() * c.block.total()));
  return mapping;
}

// The kernel computes two indices from the thread's number, and all of its accesses want them the
// other way round.
LaneMapping split_otherwise(const Case& c, std::uint32_t access, const FlatIndex& flat) {
  return {.hint = fmt::format(
              "Adjacent lanes are {0} bytes apart at {1}: the kernel splits the number i of its "
              "thread into i % {2} and i / {2}, and uses the first, which differs from lane to "
              "lane, as the index of a row of {3} elements. Split it the other way: i / {3} is "
              "the row, and i % {3} the element in it. The launch stays the same.",
              flat.pitch * read::access_bytes(c.at(access)), place_name(c.kernel, access),
              flat.width, flat.pitch),
          .check = shape_options(c.grid, c.block)};
}

// Threads numbered along x only: adjacent loads and stores one row apart, or the reverse, are a
// transposition. If all accesses are a row apart, the kernel splits the number the wrong way.
std::optional<LaneMapping> by_rows(const Case& c, std::uint32_t access) {
  if (c.needs.shared > 0) return std::nullopt;
  const std::optional<FlatIndex> flat = flat_index(c, access);
  if (!flat) return std::nullopt;
  const bool stores = c.at(access).opcode->stores;
  bool straight = false;  // some accesses are of adjacent elements
  bool other_side = false;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const AccessCount& count = c.accesses[i];
    if (!touches_global(c.at(i)) || count.ideal_sectors <= 0) continue;
    if (count.scattered() && flat_index(c, i) != flat) return std::nullopt;
    straight |= !count.scattered();
    other_side |= count.scattered() != (c.at(i).opcode->stores == stores);
  }
  if (!straight) return split_otherwise(c, access, *flat);
  if (other_side) return std::nullopt;
  return transposed(c, access, {.name = 'r', .along = flat->width, .across = flat->pitch},
                    flat->pitch * read::access_bytes(c.at(access)));
}

std::optional<LaneMapping> by_axis(const Case& c, const Requests& requests, std::uint32_t access,
                                   std::uint64_t lane_stride) {
  for (LaunchAxis axis : axes_of(c)) {
    const std::optional<ThreadSteps> steps = thread_steps(c, requests, access, axis);
    const std::uint64_t elements =
        steps ? elements_of(*steps, read::access_bytes(c.at(access))) : 0;
    if (elements == 0) continue;
    const AxisUse use = use_of(c, requests, axis, access);
    if (use.mended < kMinMendedShare * use.scattered) continue;
    if (use.spoiled <= 0 && elements == 1) return exchanged(c, access, axis, lane_stride);
    axis.across *= elements;
    if (use.spoiled > 0 && use.transposes && (!use.in_loop || elements > 1) && c.needs.shared == 0)
      return transposed(c, access, axis, lane_stride);
  }
  return std::nullopt;
}

// Whether a block accesses all bytes of the sectors that it touches with accesses to this array.
bool block_needs_whole(const Case& c, const Requests& requests, std::uint32_t access) {
  const Origins origins(c.kernel);
  const std::set<std::uint32_t> array = origins.address_parameters(access);
  read::InstructionSet same(c.size());
  double accessed = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!touches_global(c.at(i)) || c.at(i).opcode->stores != c.at(access).opcode->stores) continue;
    if (!c.executed(i) || origins.address_parameters(i) != array) continue;
    same[i] = 1;
    accessed += requests.of(i).requests * requests.of(i).lanes * read::access_bytes(c.at(i));
  }
  return accessed >= kMinMendedShare * requests.bytes(same);
}

bool dram_limits(const Case& c) {
  return c.study->base().busy[static_cast<std::size_t>(machine::Resource::kDram)] >= kDramLimits;
}

// Accesses in which each lane has its own structure, adjacent to that of the next lane; in a tile,
// to that of the next lane in its row. Their stride is empty for other accesses.
class Structures {
 public:
  Structures(const Case& c, const Requests& requests)
      : c_(c), requests_(requests), shared_(requests.shared_sectors()) {}

  double used_share(std::uint32_t access, std::uint64_t stride) const;
  std::optional<std::uint64_t> structure_stride(std::uint32_t access) const {
    const RequestShape& shape = requests_.of(access);
    const unsigned bytes = read::access_bytes(c_.at(access));
    const auto holds_more = [&](std::uint64_t stride) {
      return stride > bytes && stride < timing::kLineBytes;
    };
    if (shape.stride) return holds_more(*shape.stride) ? shape.stride : std::nullopt;
    // Several lanes share a line, and the warp accesses the rest of the line as well.
    if (shape.lines > shape.lanes / 2 || shared_[access] < kMinMendedShare || !has_fields(access))
      return std::nullopt;
    const double apart = shape.sectors < shape.lanes
                             ? shape.sectors * emulate::kSectorBytes / shape.lanes
                             : shape.lines * timing::kLineBytes / shape.lanes;
    const std::uint64_t stride = bytes * static_cast<std::uint64_t>(std::lround(apart / bytes));
    return holds_more(stride) ? std::optional(stride) : std::nullopt;
  }

  LaneMapping mapping(std::uint32_t access) const;

 private:
  bool has_fields(std::uint32_t access) const;

  const Case& c_;
  const Requests& requests_;
  std::vector<double> shared_;
};

// Whether each thread accesses other bytes near those of the access, with another instruction:
// other fields of its structure, not other rows of a tile.
bool Structures::has_fields(std::uint32_t access) const {
  const timing::BlockTrace& trace = c_.study->traced().reference;
  const bool stores = c_.at(access).opcode->stores;
  std::set<std::uint64_t> others;
  std::vector<std::uint64_t> own;
  for (const timing::TraceStep& step : trace.warps.front()) {
    if (step.request == timing::kNoRequest || !touches_global(c_.at(step.instruction))) continue;
    if (c_.at(step.instruction).opcode->stores != stores) continue;
    const std::uint64_t address = trace.requests[step.request].first_address;
    if (step.instruction == access) {
      own.push_back(address);
    } else {
      others.insert(address);
    }
  }
  const auto beside = std::ranges::count_if(own, [&](std::uint64_t address) {
    auto next = others.lower_bound(address - std::min(address, kFieldReach));
    if (next != others.end() && *next == address) ++next;
    return next != others.end() && *next < address + kFieldReach;
  });
  return static_cast<double>(beside) >= kMinMendedShare * static_cast<double>(own.size());
}

// The share of its structure's bytes that a thread accesses.
double Structures::used_share(std::uint32_t access, std::uint64_t stride) const {
  const timing::BlockTrace& trace = c_.study->traced().reference;
  std::map<std::uint64_t, unsigned> bytes;  // of the first lane's accesses, by address
  std::optional<std::uint64_t> own;
  for (const timing::TraceStep& step : trace.warps.front()) {
    if (step.request == timing::kNoRequest || !touches_global(c_.at(step.instruction))) continue;
    const std::uint64_t address = trace.requests[step.request].first_address;
    bytes[address] = read::access_bytes(c_.at(step.instruction));
    if (step.instruction == access && !own) own = address;
  }
  if (!own) return 0;
  const auto used_from = [&](std::uint64_t begin) {
    std::uint64_t used = 0;
    for (auto at = bytes.lower_bound(begin); at != bytes.end() && at->first < begin + stride; ++at)
      used += at->second;
    return static_cast<double>(used);
  };
  double most = 0;
  for (auto at = bytes.lower_bound(*own - std::min(*own, stride)); at->first < *own; ++at)
    most = std::max(most, used_from(at->first));
  most = std::max(most, used_from(*own));
  return most / static_cast<double>(stride);
}

LaneMapping Structures::mapping(std::uint32_t access) const {
  std::uint64_t bytes = 0;
  std::array<std::string, 2> places;  // of loads, of stores
  for (std::uint32_t i = 0; i < c_.size(); ++i) {
    if (!touches_global(c_.at(i)) || !c_.accesses[i].scattered()) continue;
    const std::optional<std::uint64_t> own = structure_stride(i);
    if (!own) continue;
    bytes = std::max(bytes, *own);
    std::string& of = places[c_.at(i).opcode->stores ? 1 : 0];
    if (of.empty()) of = place_name(c_.kernel, i);
  }
  const bool loads = !places[0].empty();
  const bool stores = !places[1].empty();
  LaneMapping mapping{.check = shape_options(c_.grid, c_.block)};
  mapping.hint = fmt::format(
      "Adjacent lanes are in structures of {} bytes side by side where the thread {}{}{}, and use "
      "{} bytes "
      "at a time. If the caller can change the layout, use a structure of arrays: the same field "
      "of all elements side by side.",
      bytes, loads ? "loads at " + places[0] : "", loads && stores ? " and " : "",
      stores ? "stores at " + places[1] : "", read::access_bytes(c_.at(access)));
  if (dram_limits(c_) && used_share(access, bytes) < kAllFields) {
    mapping.hint +=
        " Nothing else helps much: DRAM limits the kernel, and as long as the fields that are not "
        "used lie in the same sectors, they are moved as well, also on a way through shared "
        "memory.";
    mapping.staged = false;
    return mapping;
  }
  mapping.hint += used_share(access, bytes) < kAllFields
                      ? " Otherwise go through shared memory, which gains less: the fields that "
                        "are not used are still moved to the SM."
                      : " Otherwise go through shared memory.";
  if (loads) {
    mapping.hint +=
        " Copy the structures that the block loads there with adjacent lanes at adjacent words; "
        "__syncthreads(); then read the fields from there.";
  }
  if (stores) {
    mapping.hint +=
        " Write the fields to be stored there; __syncthreads(); then store them with adjacent "
        "lanes at adjacent words.";
  }
  if (loads && stores) mapping.hint += " Do both: the estimate counts loads and stores.";
  return mapping;
}

}  // namespace

LaneStructure lane_structure(const Case& c, std::uint32_t access) {
  const Requests requests(*c.study);
  const Structures structures(c, requests);
  const std::optional<std::uint64_t> bytes = structures.structure_stride(access);
  if (!bytes) return {};
  return {.bytes = *bytes, .used_share = structures.used_share(access, *bytes)};
}

read::InstructionSet in_structures(const Case& c) {
  const Requests requests(*c.study);
  const Structures structures(c, requests);
  read::InstructionSet found(c.size());
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool apart = touches_global(c.at(i)) && c.accesses[i].scattered();
    found[i] = apart && structures.structure_stride(i) ? 1 : 0;
  }
  return found;
}

LaneMapping unordered_mapping(const Case& c, std::uint32_t access, const Unordered& unordered) {
  LaneMapping mapping{.check = shape_options(c.grid, c.block),
                      .staged = unordered.fits[access] != 0};
  const bool store = c.at(access).opcode->stores;
  mapping.hint = fmt::format("Lanes {} scattered addresses at {}, which depend on loaded values.",
                             store ? "store to" : "load from", place_name(c.kernel, access));
  if (unordered.fits[access] != 0) {
    mapping.hint +=
        " The range that a block accesses there fits in shared memory, and the block loads more "
        "bytes than it has: copy the range there with adjacent lanes; __syncthreads(); then look "
        "up "
        "the values there.";
  }
  if (unordered.sortable[access] != 0) {
    mapping.hint += fmt::format(
        " {} that determine them beforehand, so that adjacent threads access the same or adjacent "
        "elements: many threads of the launch access each sector. The estimate does not include "
        "the sorting.",
        unordered.fits[access] != 0 ? "Or sort the elements" : "Sort the elements");
  }
  return mapping;
}

LaneMapping lane_mapping(const Case& c, std::uint32_t access) {
  const std::string where = place_name(c.kernel, access);
  const bool store = c.at(access).opcode->stores;
  std::optional<Requests> requests;
  if (c.study != nullptr) requests.emplace(*c.study);
  const std::optional<std::uint64_t> stride = requests ? requests->of(access).stride : std::nullopt;
  if (stride) {
    if (const std::optional<LaneMapping> mapping = by_rows(c, access)) return *mapping;
  }
  if (requests) {
    const Structures structures(c, *requests);
    if (structures.structure_stride(access)) return structures.mapping(access);
  }
  if (stride) {
    if (const std::optional<LaneMapping> mapping = by_axis(c, *requests, access, *stride))
      return *mapping;
    if (c.places.loop_of(access) != read::kNoIndex) return own_rows(c, access, *stride);
    return {.hint = fmt::format(
                "Adjacent lanes are {} bytes apart at {}. Map threadIdx.x to the contiguous index, "
                "or {}.",
                with_commas(*stride), where,
                store ? "write the results to shared memory, __syncthreads(), and store rows from "
                        "there with adjacent lanes"
                      : "load rows into shared memory and read the columns from there")};
  }
  // Only what a block accesses completely can be moved between global and shared memory by adjacent
  // lanes.
  const bool moved_whole = requests && block_needs_whole(c, *requests, access);
  const std::string_view through =
      !moved_whole ? ""
      : store
          ? ", or collect the block's results in shared memory, __syncthreads(), and store them "
            "from there with adjacent lanes"
          : ", or load what a block needs into shared memory with adjacent lanes, "
            "__syncthreads(), and read it from there";
  return {.hint = fmt::format(
              "Lanes {} scattered addresses at {}. Let adjacent threads access adjacent "
              "elements{}.",
              store ? "store to" : "load from", where, through),
          .staged = moved_whole};
}

}  // namespace burin::advise
