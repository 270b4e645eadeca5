#include "advise/patterns/reductions/short_rows.h"

#include <algorithm>
#include <cmath>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/slack.h"
#include "advise/patterns/reductions/carried.h"
#include "base/format.h"
#include "emulate/values/lanes.h"
#include "emulate/values/sector.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMaxRounds = 1.5;  // iterations of the loop: a row is finished in one
constexpr double kAllLanes = 0.95;  // of the lanes take part in the shuffles

// The lanes that combine their values: twice the largest distance of the shuffles that all lanes
// execute. 0: there are none, or threads also meet at barriers.
unsigned lanes_of_row(const Case& c, const std::vector<LaneMean>& lanes) {
  std::int64_t farthest = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const read::Instruction& at = c.at(i);
    if (!at.known() || lanes[i].executions <= 0) continue;
    if (read::sync_of(at) == read::Sync::kBlockBarrier) return 0;
    const std::string_view mode = at.modifier("mode");
    if (!read::has(at, read::Trait::kCrossLane) || (mode != "DOWN" && mode != "BFLY")) continue;
    if (lanes[i].active < kAllLanes * emulate::kWarpLanes) return 0;
    std::vector<std::int64_t> numbers;  // the distance, and the width of the group
    for (const read::Operand& o : at.operands()) {
      if (o.kind == read::Operand::Kind::kImmediate) numbers.push_back(o.value);
    }
    if (numbers.size() != 2) return 0;
    farthest = std::max(farthest, numbers[0]);
  }
  return farthest > 0 && farthest <= emulate::kWarpLanes / 2 ? 2 * static_cast<unsigned>(farthest)
                                                             : 0;
}

// A load of the loop by which adjacent lanes have adjacent elements; kNoIndex: there is none.
std::uint32_t row_load(const Case& c, const Requests& requests, std::uint32_t loop) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!touches_global(c.at(i)) || !c.at(i).opcode->loads || !c.executed(i)) continue;
    const RequestShape& shape = requests.of(i);
    // A row begins anywhere in a sector.
    const bool adjacent =
        shape.lanes > 1 &&
        shape.sectors <= 1 + shape.lanes * read::access_bytes(c.at(i)) / emulate::kSectorBytes;
    if (adjacent && c.places.loop_of(i) == loop) return i;
  }
  return read::kNoIndex;
}

// The same number of threads, of which fewer share a row.
void choose_launch(const Case& c, ShortRows& rows) {
  const unsigned ratio = rows.lanes / rows.fewer;
  rows.grid = c.grid;
  rows.block = c.block;
  if (c.block.x == rows.lanes && c.block.y > 1) {  // a row for each threadIdx.y
    rows.block.x = rows.fewer;
    rows.block.y *= ratio;
  }
  std::uint32_t& blocks =
      c.block.x == rows.lanes && c.grid.x < c.grid.y ? rows.grid.y : rows.grid.x;
  blocks = (blocks + ratio - 1) / ratio;
}

}  // namespace

std::optional<ShortRows> short_rows(const Case& c, const std::vector<LaneMean>& lanes) {
  if (c.study == nullptr) return std::nullopt;
  ShortRows rows{.lanes = lanes_of_row(c, lanes)};
  if (rows.lanes < 2 || c.block.total() % emulate::kWarpLanes != 0) return std::nullopt;
  const Requests requests(*c.study);
  const Slack slack(c);
  const Origins origins(c.kernel);
  double most = 0;
  for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
    if (c.kernel.loops[loop].parent != read::kNoIndex) continue;
    const std::uint32_t load = row_load(c, requests, loop);
    if (load == read::kNoIndex || lanes[load].executions <= most) continue;
    const CarriedValues carried(c, loop);
    if (!carried.any() || !carried.only_reductions() || slack.trips(loop) > kMaxRounds) continue;
    most = lanes[load].executions;
    rows.loop = loop;
    rows.elements = lanes[load].active * slack.trips(loop) * rows.lanes / emulate::kWarpLanes;
  }
  if (rows.loop == read::kNoIndex || rows.elements < 1) return std::nullopt;
  // Which lanes have an element must depend on their number in the row.
  const std::uint32_t load = row_load(c, requests, rows.loop);
  if ((origins.of_address(load) & (Origins::kThreadX | Origins::kThreadY)) == 0)
    return std::nullopt;
  rows.fewer = 1u << static_cast<unsigned>(std::lround(std::log2(rows.elements)));
  if (rows.fewer >= rows.lanes) return std::nullopt;
  choose_launch(c, rows);
  return rows;
}

std::string short_rows_text(const Case& c, const ShortRows& rows) {
  return fmt::format(
      "{} lanes share a row that has {:.1f} elements on average: the {} runs {:.1f} of {} lanes, "
      "and the shuffles after it combine the values of one row for each group of {} lanes.",
      rows.lanes, rows.elements, loop_name(c, rows.loop), rows.elements, rows.lanes, rows.lanes);
}

std::string short_rows_hint(const Case& c, const ShortRows& rows) {
  const unsigned threads_per_row = rows.fewer;
  const launch::Dims& g = rows.grid;
  const launch::Dims& b = rows.block;
  if (threads_per_row == 1) {
    return fmt::format(
        "Let each thread process a row of its own, with a loop over all of its elements and "
        "without shuffles. Launch a grid of dim3({}, {}, {}) with blocks of dim3({}, {}, {}).",
        g.x, g.y, g.z, b.x, b.y, b.z);
  }
  std::vector<unsigned> distances;
  for (unsigned d = threads_per_row / 2; d > 0; d /= 2) distances.push_back(d);
  const launch::Dims thread_grid{(g.x + threads_per_row - 1) / threads_per_row, g.y, g.z};
  std::string text = fmt::format(
      "Let {0} lanes share a row, so that a warp has {1} rows: the row's number is the thread's "
      "number / {0} and its lane is the thread's number % {0}; the {2} begins at the lane and "
      "advances by {0}; and __shfl_down_sync(0xffffffff, v, d, {0}) combines the lanes, d = {3}. "
      "All lanes of a warp must reach the shuffles: guard the accesses of rows past the end, "
      "without an early return. Launch a grid of dim3({4}, {5}, {6}) with blocks of dim3({7}, {8}, "
      "{9}).",
      threads_per_row, emulate::kWarpLanes / threads_per_row, loop_name(c, rows.loop),
      fmt::join(distances, ", "), g.x, g.y, g.z, b.x, b.y, b.z);
  if (b.x == c.block.x && g.x != c.grid.x) {
    text += fmt::format(
        " Or let each thread process a row of its own, with a loop over all of its elements and "
        "without shuffles: dim3({}, {}, {}).",
        thread_grid.x, thread_grid.y, thread_grid.z);
  }
  return text;
}

}  // namespace burin::advise
