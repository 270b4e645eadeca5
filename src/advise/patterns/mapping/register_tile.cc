#include "advise/patterns/mapping/register_tile.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/reductions/carried.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMinPart = 0.25;  // of the loop's loads, for rows and for columns
constexpr double kSide = 16;       // threads along each side of a block
constexpr double kWords = 4;       // per load from shared memory
constexpr double kElementBytes = 4;
// Elements loaded per multiply-add, from which a thread has only one result: with two results, one
// of the elements is loaded once for both.
constexpr double kOneResult = 1.75;
constexpr double kMinTiledShare = 0.5;  // of the warp instructions, in the loop

struct Loads {
  read::InstructionSet rows;     // loads that do not depend on x
  read::InstructionSet columns;  // loads that do not depend on y
  double of_rows = 0;
  double of_columns = 0;
  double all = 0;
};

constexpr Origins::Mask kAcross = Origins::kThreadX | Origins::kBlockX;
constexpr Origins::Mask kDown = Origins::kThreadY | Origins::kBlockY;

Loads loads_of(const Case& c, const Origins& origins, std::uint32_t loop) {
  Loads loads{.rows = read::InstructionSet(c.size()), .columns = read::InstructionSet(c.size())};
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool load = (touches_global(c.at(i)) || touches_shared(c.at(i))) &&
                      !c.at(i).opcode->stores && c.places.loop_of(i) == loop;
    if (!load) continue;
    const Origins::Mask mask = origins.of_address(i);
    const double issued = c.blamed.issued[i];
    loads.all += issued;
    if ((mask & Origins::kLoaded) != 0) continue;
    if ((mask & kAcross) == 0 && (mask & kDown) != 0) {
      loads.rows[i] = 1;
      loads.of_rows += issued;
    } else if ((mask & kDown) == 0 && (mask & kAcross) != 0) {
      loads.columns[i] = 1;
      loads.of_columns += issued;
    }
  }
  return loads;
}

// Whether a block fills shared memory with elements of its own, which depend on its position along
// both axes. The blocks beside it then have other rows and columns, and no larger tile shares them.
bool has_own_tile(const Case& c, const Origins& origins) {
  const auto of_block = [&](Origins::Mask mask) {
    return (mask & Origins::kBlockX) != 0 && (mask & Origins::kBlockY) != 0;
  };
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.at(i).known() || !c.executed(i)) continue;
    const read::Opcode& opcode = *c.at(i).opcode;
    const bool copies = opcode.loads && opcode.stores && !read::is_atomic(c.at(i));
    const bool stores = touches_shared(c.at(i)) && opcode.stores;
    if ((stores || copies) && of_block(origins.of(i))) return true;
  }
  return false;
}

// Elements that are loaded for each multiply-add of a sum: two, if a thread has one result. Wide
// loads load several. Empty if the loop has no such sum.
std::optional<double> loaded_per_product(const Case& c, const Loads& loads,
                                         const CarriedValues& carried, std::uint32_t loop) {
  double elements = 0;
  double products = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.places.in_loop(i, loop)) continue;
    if (loads.rows[i] != 0 || loads.columns[i] != 0) {
      elements += c.blamed.issued[i] * std::max(1.0, read::access_bytes(c.at(i)) / kElementBytes);
    }
    const bool product = read::arithmetic_of(c.at(i)) == read::Arithmetic::kMultiplyAdd &&
                         read::float_operations(c.at(i)) > 0;
    if (product && carried.values[i] != 0) products += c.blamed.issued[i];
  }
  if (products <= 0) return std::nullopt;
  return elements / products;
}

// The busiest SM has a whole number of blocks.
double unevenness(double blocks, double sms) {
  return std::ceil(blocks / sms) * sms / blocks;
}

Work tiled_work(const Case& c, const Origins& origins, const Loads& loads, std::uint32_t loop,
                const RegisterTile& tile) {
  Work work = work_of(c);
  double products = 0;  // lanes
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.places.in_loop(i, loop)) continue;
    const bool row = loads.rows[i] != 0;
    const double bytes = work.issued[i] * 32 * read::access_bytes(c.at(i));
    if (row || loads.columns[i] != 0) {
      const double times = row ? tile.across : tile.down;
      work.issued[i] /= times * kWords;
      // The lanes of a half-warp read the same row element, and different column elements.
      work.passes[i] = work.issued[i] * (row ? 1 : 2);
      work.l2_bytes[i] = std::min(work.l2_bytes[i], bytes / (kSide * times));
      work.l2_requests[i] = kAdjacentSectors;
      continue;
    }
    if (read::float_operations(c.at(i)) > 0) {
      products += 32 * work.issued[i];
      continue;
    }
    const Origins::Mask mask = origins.of(i);
    if ((mask & kAcross) == 0) work.issued[i] /= tile.across;
    if ((mask & kDown) == 0) work.issued[i] /= tile.down;
    work.passes[i] = std::min(work.passes[i], 2 * work.issued[i]);
  }
  // Filling the tiles: one load and one store per four words.
  const double sides = tile.across + tile.down;
  work.more_issued = products * 2 * sides / (32 * kWords * kSide * tile.across * tile.down);
  return work;
}

}  // namespace

std::optional<RegisterTile> register_tile(const Case& c) {
  if (c.study == nullptr) return std::nullopt;
  const Origins origins(c.kernel);
  double all = 0;
  for (const double issued : c.blamed.issued) all += issued;
  const auto threads = static_cast<double>(c.grid.total() * c.block.total());
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l) {
    const Loads loads = loads_of(c, origins, l);
    double inside = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (c.places.in_loop(i, l)) inside += c.blamed.issued[i];
    }
    if (inside < kMinTiledShare * all || loads.of_rows < kMinPart * loads.all ||
        loads.of_columns < kMinPart * loads.all) {
      continue;
    }
    const CarriedValues carried(c, l);
    if (!carried.any() || !carried.only_reductions()) continue;
    const std::optional<double> loaded = loaded_per_product(c, loads, carried, l);
    if (loaded && *loaded < kOneResult) continue;
    RegisterTile best;
    constexpr std::array<std::array<unsigned, 2>, 4> kTiles{{{8, 8}, {8, 4}, {4, 4}, {4, 2}}};
    for (const auto& [across, down] : kTiles) {
      RegisterTile tile{.loop = l, .across = across, .down = down};
      tile.blocks = std::ceil(threads / (kSide * kSide * across * down));
      if (tile.blocks < c.machine.sm.count / 2) continue;
      tile.after = rework(c, tiled_work(c, origins, loads, l, tile), kTileReach);
      tile.after.time_us *= unevenness(tile.blocks, c.machine.sm.count);
      if (best.loop == read::kNoIndex || tile.after.time_us < best.after.time_us) best = tile;
    }
    if (best.loop == read::kNoIndex) continue;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (loads.rows[i] == 0) continue;
      const bool first = best.load == read::kNoIndex;
      if (first || c.blamed.issued[i] > c.blamed.issued[best.load]) best.load = i;
    }
    if (best.load == read::kNoIndex) {  // nothing is loaded along the rows
      best.loop = read::kNoIndex;
      continue;
    }
    best.staged = touches_shared(c.at(best.load));
    if (best.staged && has_own_tile(c, origins)) return std::nullopt;
    return best;
  }
  return std::nullopt;
}

}  // namespace burin::advise
