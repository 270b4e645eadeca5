#include "advise/patterns/mapping/row_text.h"

#include <algorithm>
#include <cmath>

#include "advise/case/origin.h"
#include "advise/case/rule.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/slack.h"
#include "advise/patterns/mapping/one_thread.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"

namespace burin::advise {

namespace {

// Of a row, covered by one loop; more counts as the whole row.
constexpr double kMaxStretchShare = 0.6;

std::uint64_t blocks_of(const Case& c, const RowWalk& walk) {
  return (c.grid.total() * c.block.total() * walk.lanes + kRowBlock - 1) / kRowBlock;
}

std::string lanes_text(const RowWalk& walk) {
  if (walk.lanes > kRowWarp) return fmt::format("a block of {} threads", walk.lanes);
  if (walk.lanes == kRowWarp) return "the 32 lanes of a warp";
  return fmt::format("{} adjacent lanes", walk.lanes);
}

// "row = blockIdx.x, lane = threadIdx.x"
std::string ids_text(const Case& c, const RowWalk& walk) {
  if (walk.rows_loop != read::kNoIndex) {
    return fmt::format(
        "with lane = threadIdx.x % {}, the {} begins at row threadIdx.x / {} and advances by "
        "blockDim.x / {}",
        walk.lanes, c.places.loop_name(walk.rows_loop), walk.lanes, walk.lanes);
  }
  if (walk.lanes > kRowWarp) return "row = blockIdx.x, lane = threadIdx.x";
  return fmt::format("row = (blockIdx.x * blockDim.x + threadIdx.x) / {}, lane = threadIdx.x % {}",
                     walk.lanes, walk.lanes);
}

// "the loop at a.cu:5 and the loop at a.cu:7"; "the loop over the row" if it is unrolled.
std::string loops_text(const Case& c, const RowWalk& walk) {
  std::vector<std::string> loops;
  for (const std::uint32_t loop : walk.passes) loops.push_back("the " + c.places.loop_name(loop));
  const std::uint32_t own = c.places.loop_of(walk.example);
  if (loops.empty() && own != read::kNoIndex) loops.push_back("the " + c.places.loop_name(own));
  return loops.empty() ? "the loop over the row" : list_of(loops, loops.size());
}

// "48 elements, 192 bytes from lane to lane". The length of rows that are not all traversed is a
// mean.
std::string row_size(const RowWalk& walk) {
  const bool exact = !walk.unequal && walk.elements == std::floor(walk.elements);
  const std::string elements = exact ? fmt::format("{} elements", whole(walk.elements))
                                     : fmt::format("{:.1f} elements on average", walk.elements);
  if (walk.unequal) return elements + ", of unequal length";
  if (!walk.stride) return elements + ", at unequal distances from lane to lane";
  return fmt::format("{}, {} from lane to lane", elements, count_of(*walk.stride, "byte"));
}

// Whether the row is read several times for one result, by a loop around the walk.
bool rereads_row(const RowWalk& walk) {
  return walk.reuse >= kMinElementReuse && !walk.reduces && !walk.stores;
}

// A row traversed by two nested loops: the outer loop, and the number of lanes for the part that
// the inner loop covers. kNoIndex: the inner loop covers the whole row.
struct NestedWalk {
  std::uint32_t outer = read::kNoIndex;
  double inner_lanes = 0;
};
NestedWalk nested_walk(const Case& c, const RowWalk& walk) {
  const std::uint32_t own = c.places.loop_of(walk.example);
  if (own == read::kNoIndex || walk.passes.size() > 1) return {};
  const double inner = source_iterations(c, Slack(c), own);
  const std::uint32_t outer = c.kernel.loops[own].parent;
  if (outer == read::kNoIndex || outer == walk.rows_loop || inner < walk.wide) return {};
  if (inner > kMaxStretchShare * walk.elements || inner >= walk.lanes * walk.wide) return {};
  return {outer, inner / walk.wide};
}

std::string share_text(const Case& c, const RowWalk& walk) {
  const std::string_view what = walk.wide == 1            ? "element"
                                : walk.element_bytes == 4 ? "float4"
                                                          : "16-byte vector";
  if (rereads_row(walk)) {
    const std::uint32_t own = c.places.loop_of(walk.example);
    const std::uint32_t outer = own == read::kNoIndex ? own : c.kernel.loops[own].parent;
    return fmt::format(
        "They copy the row to __shared__ memory first, since a thread reads it {} times. "
        "Then the {} begins at `lane` and advances by {}, and reads the row from there",
        whole(walk.reuse),
        outer == read::kNoIndex ? std::string("outer loop") : c.places.loop_name(outer),
        walk.lanes);
  }
  if (const NestedWalk nested = nested_walk(c, walk); nested.outer != read::kNoIndex) {
    const double each = std::max(1.0, std::floor(nested.inner_lanes));
    const double at_once = std::max(1.0, std::floor(walk.lanes / each));
    return fmt::format(
        "The {} and the loop inside it traverse the row together. Let {:.0f} lanes take one "
        "iteration of the outer loop: it begins at lane / {:.0f} and advances by {:.0f}, and "
        "instead of the inner loop, each lane takes {} number lane % {:.0f} of that part",
        c.places.loop_name(nested.outer), each, each, at_once, what, each);
  }
  if (walk.elements <= walk.lanes * walk.wide) {
    return fmt::format("Instead of {}, each lane takes {} number `lane` of its row",
                       loops_text(c, walk), what);
  }
  return fmt::format("Let {} begin at {} number `lane` of the row and advance by {} {}s",
                     loops_text(c, walk), what, walk.lanes, what);
}

std::string combine_text(const RowWalk& walk) {
  const bool block = walk.lanes > kRowWarp;
  if (walk.scans) {
    return fmt::format(
        " Each lane scans what it loads, the lanes scan their totals ({}), each lane adds the "
        "total of the lanes before it, and the last lane's total is carried to the next {} "
        "elements.",
        block ? "cub::BlockScan" : "cub::WarpScan", walk.lanes * walk.wide);
  }
  if (!walk.reduces && !walk.stores) {
    return fmt::format(
        " Each lane then has the result of its own elements (a count, the best one and its index): "
        "combine these after the loop with __shfl_down_sync(0xffffffff, value, d, {}) for d = {}, "
        "…, 1, preferring the smaller index of equal values. Lane 0 stores the result.",
        std::min(walk.lanes, kRowWarp), std::min(walk.lanes, kRowWarp) / 2);
  }
  if (!walk.reduces && walk.reuse < kMinElementReuse) {
    const double row_bytes = walk.elements * walk.element_bytes;
    const bool dense = walk.stride && row_bytes == static_cast<double>(*walk.stride);
    return dense ? " No result needs more than one element: a loop over the elements i = "
                   "blockIdx.x * blockDim.x + threadIdx.x, i + gridDim.x * blockDim.x, … does the "
                   "same."
                 : " Each lane stores the results of its own elements: there is nothing to "
                   "combine.";
  }
  if (!walk.reduces) return "";
  const unsigned lanes = std::min(walk.lanes, kRowWarp);
  return fmt::format(
      " Each lane then has a partial result. Combine them after the loop: for (int d = {}; d > 0; "
      "d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d, {}), with max() instead of + if the "
      "loop computes a maximum{}. Lane 0 has the result{}.{}",
      lanes / 2, lanes,
      block ? "; then the results of the warps the same way, through `__shared__ float "
              "part[32]` and __syncthreads()"
            : "",
      walk.passes.size() > 1
          ? (block
                 ? " and passes it on in __shared__ memory"
                 : fmt::format(" and passes it on with __shfl_sync(0xffffffff, sum, 0, {})", lanes))
          : " and stores it",
      walk.rows_loop == read::kNoIndex
          ? " All lanes must reach the shuffles: guard the accesses of rows past the end, without "
            "an early return."
          : "");
}

std::string passes_text(const Case& c, const RowWalk& walk) {
  if (walk.passes.size() < 2) return "";
  const double vectors = std::ceil(walk.elements / (walk.lanes * walk.wide));
  return fmt::format(
      " The row is loaded in {}: load it once into {:.0f} registers per {} and let all of them "
      "use these.",
      loops_text(c, walk), vectors * walk.wide, walk.lanes > kRowWarp ? "thread" : "lane");
}

}  // namespace

std::string row_hint(const Case& c, const RowWalk& walk) {
  const std::string where = place_name(c.kernel, walk.example);
  if (walk.in_registers) {
    return fmt::format(
        "Each thread loads the same {} adjacent elements {} times at {}, {} bytes from "
        "those of the next lane. Load them once into registers before the loop ({:.0f} {}), in a "
        "loop that is unrolled completely (#pragma unroll, with the length as a constant), and "
        "compute from these.",
        whole(walk.elements), whole(walk.reuse), where, with_commas(walk.stride.value_or(0)),
        std::ceil(walk.elements / walk.wide), walk.wide > 1 ? "float4 loads" : "loads");
  }
  const std::string row = row_size(walk);
  if (walk.results_loop != read::kNoIndex) {
    return fmt::format(
        "Each thread traverses its own row at {} ({}), once for each result in the {}, whose "
        "iterations access adjacent elements. Let {} share a row: {}. Let that loop "
        "begin at `lane` and advance by {}: each lane traverses the row for its own results, "
        "with nothing to combine, and adjacent lanes access adjacent memory. Launch {} threads per "
        "row: {} of {}.",
        where, row, c.places.loop_name(walk.results_loop), lanes_text(walk), ids_text(c, walk),
        walk.lanes, walk.lanes, count_of(blocks_of(c, walk), "block"), kRowBlock);
  }
  std::string text = fmt::format(
      "Each thread walks along a row of its own{} at {} ({}). Let {} share a row: {}. {}, so that "
      "adjacent lanes access adjacent memory.",
      argument_text(c, Origins(c.kernel), walk.example), where, row, lanes_text(walk),
      ids_text(c, walk), share_text(c, walk));
  text += combine_text(walk);
  if (walk.reuse >= kMinElementReuse && !rereads_row(walk)) {
    text += fmt::format(
        " A thread uses each element {} times: what other lanes of the row need goes through "
        "__shared__ memory, and each lane computes 1/{} of the row's results.",
        whole(walk.reuse), walk.lanes);
  }
  text += passes_text(c, walk);
  if (walk.rows_loop != read::kNoIndex) return text + " The launch stays as it is.";
  text += fmt::format(" Launch {} threads per row: {} of {}.", walk.lanes,
                      count_of(blocks_of(c, walk), "block"), kRowBlock);
  return text;
}

std::string row_launch(const Case& c, const RowWalk& walk) {
  if (walk.in_registers || walk.rows_loop != read::kNoIndex) return shape_options(c.grid, c.block);
  return fmt::format("--grid {} --block {}", blocks_of(c, walk), kRowBlock);
}

}  // namespace burin::advise
