// A grid with fewer blocks than the GPU has SMs, or, for grid-stride loops, than its SMs have room
// for.
//
// The same work in more blocks. The advice depends on the code:
//   it strides by gridDim              more blocks of the same size
//   the block shape is proved free     smaller blocks (smaller_blocks.h)
//   it reads blockDim                  smaller blocks, if their emulation does not repeat work
//   a loop strides by blockDim         the loop split over an axis of the grid that is not in use
//   a long loop runs in each thread    its iterations split over the grid (grid_split.h)
//   it contains its block size         smaller blocks, if proved free with blockDim instead
//   else                               what stands in the way, and a design in general terms
// Factor f: SMs with work after the change, over those that C_W already counts. A launch that needs
// changed code cannot be emulated; its estimate is the equation alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "advise/case/estimate.h"
#include "advise/case/rework.h"
#include "advise/case/trust.h"
#include "advise/patterns/code/sweeps.h"
#include "advise/patterns/mapping/grid_split.h"
#include "advise/patterns/mapping/launch_shape.h"
#include "advise/patterns/mapping/smaller_blocks.h"
#include "advise/patterns/mapping/strided_loops.h"
#include "advise/patterns/reductions/exchanges.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/text.h"
#include "read/isa/traits.h"
#include "read/program/launch_size.h"

namespace burin::advise {

namespace {

constexpr double kMinSplitGain = 1.3;  // speedup over more blocks of unchanged code
constexpr double kMinLoopShare = 0.5;  // of the launch's time, in what is split
constexpr double kMaxFilled = 0.5;     // of the blocks that the SMs have room for

class BlockIncrease final : public Rule {
  std::string_view id() const override { return "block-increase"; }
  std::string_view summary() const override { return "fewer blocks than SMs"; }
  bool needs_launch_shape() const override { return true; }

  std::vector<Match> match(const Case& c) const override {
    std::vector<Match> found;
    if (std::optional<Match> more = more_blocks(c)) found.push_back(std::move(*more));
    std::optional<Match> split = split_over_grid(c);
    if (!split) return found;
    if (!found.empty()) {
      Match& more = found.front();
      if (more.launch && !more.emulated && emulation_trust(c).yes) {
        more.emulated = reshaped(c, more);
      }
      if (split->speedup < kMinSplitGain * more.emulated.value_or(1)) return found;
      if (!more.launch) found.clear();  // another way to divide the same work
    }
    found.insert(found.begin(), std::move(*split));
    return found;
  }

  // The iterations of a long loop split over the grid, which has that many times as many blocks.
  static std::optional<Match> split_over_grid(const Case& c) {
    // Loops that stride by the grid or block need only more blocks or another stride.
    if (knows_sizes(c) && read::reads_grid_size(c.kernel)) return std::nullopt;
    if (block_stride_loop(c) != read::kNoIndex) return std::nullopt;
    const std::optional<GridSplit> split = grid_split(c);
    if (!split) return std::nullopt;
    Match match;
    match.stalls = stalls_where(
        c, [&](const BlamedStall& s) { return c.places.in_loop(s.waits, split->loop); });
    set_rework(c, split_work(c, *split), match);
    match.where = c.kernel.blocks[c.kernel.loops[split->loop].latches.front()].last;
    const auto sms = static_cast<std::uint64_t>(c.machine.sm.count);
    match.text = fmt::format(
        "The grid has {} of {} for {} SMs: {:.1f} of {:.0f} warps per SM, while each "
        "thread runs through the {} alone.",
        count_of(c.grid.total(), "block"), count_of(c.block.total(), "thread"), sms,
        split->warps_per_sm, c.machine.limit.warps, c.places.loop_name(split->loop));
    const bool in_y = c.grid.y == 1;
    match.hint = fmt::format(
        "Split the iterations of the {} over the grid: launch {} times as many blocks "
        "(gridDim.{} = {}) and let the blocks with blockIdx.{} = b run the b-th of {} equal parts "
        "of the iterations.{}",
        c.places.loop_name(split->loop), split->parts, in_y ? 'y' : 'z', split->parts,
        in_y ? 'y' : 'z', split->parts,
        split->chooses
            ? " Each block stores the best value of its part, with the index, and a second, small "
              "kernel takes the best of these, with the smallest index among equal ones."
        : split->reduces
            ? " Each block adds its partial results to the output with atomicAdd (clear the output "
              "before). If the kernel computes further with the whole sum, let each block store "
              "its "
              "part for a second, small kernel that does so."
            : "");
    match.check =
        fmt::format("--grid {},{},{} --block {},{},{}", c.grid.x, in_y ? split->parts : c.grid.y,
                    in_y ? c.grid.z : c.grid.z * split->parts, c.block.x, c.block.y, c.block.z);
    return match;
  }

  // No part takes less than its share of what a block takes now: a block alone on its SM does not
  // get faster by other blocks.
  static Reworked split_work(const Case& c, const GridSplit& split) {
    Reworked after = rework(c, work_of(c));
    const timing::Prediction& p = c.study->base();
    const double launch_us = c.machine.seconds(p.launch_cycles) * 1e6;
    const double part_us = launch_us + (p.time_us - launch_us) / split.parts;
    if (part_us > after.time_us) after = {.time_us = part_us, .limit = "the longest part"};
    return after;
  }

  // A grid-stride loop whose grid fills less than half of the GPU, though each SM has a block: it
  // gains by emulation, or not at all.
  static std::optional<Match> more_per_sm(const Case& c) {
    const double sms = c.machine.sm.count;
    const double room = sms * static_cast<double>(c.occupancy.blocks);
    if (static_cast<double>(c.grid.total()) > kMaxFilled * room || c.study == nullptr) return {};
    if (!knows_sizes(c) || !read::reads_grid_size(c.kernel)) return {};
    if (share_of_sweeps(c) >= kMinLoopShare || !emulation_trust(c).yes) return {};
    const std::uint32_t axis = grid_stride_axis(c);
    if (axis == read::kNoIndex || stored_partial_result(c) != read::kNoIndex) return {};
    Match match;
    match.estimator = Estimator::kParallel;
    match.text = fmt::format(
        "The grid has {} of {} for {:.0f} SMs: {:.0f} of {:.0f} warps per SM hide little latency.",
        count_of(c.grid.total(), "block"), count_of(c.block.total(), "thread"), sms,
        warps_per_scheduler(c) * c.machine.sm.schedulers, c.machine.limit.warps);
    stride(c, sms, axis, match);
    return match;
  }

  static std::optional<Match> more_blocks(const Case& c) {
    const double sms = c.machine.sm.count;
    const auto blocks = static_cast<double>(c.grid.total());
    if (blocks == 0) return std::nullopt;
    if (blocks >= sms) return more_per_sm(c);
    Match match;
    match.estimator = Estimator::kParallel;
    match.text = fmt::format(
        "The grid has {} for {:.0f} SMs: {} idle.", count_of(c.grid.total(), "block"), sms,
        sms - blocks == 1 ? "one is" : fmt::format("{:.0f} SMs are", sms - blocks));
    match.more_sms = sms / blocks;
    const bool sweeps = share_of_sweeps(c) >= kMinLoopShare;
    if (knows_sizes(c) && read::reads_grid_size(c.kernel)) {
      if (sweeps) return std::nullopt;  // the loop within a sweep may stride by the grid
      const std::uint32_t axis = grid_stride_axis(c);
      if (axis != read::kNoIndex) {
        stride(c, sms, axis, match);
      } else {
        divide_otherwise(c, sms, match);
      }
      return match;
    }
    const LaunchShape shape(c);
    match.warps = warps_per_scheduler(c) * blocks / sms;
    const bool known =
        (!sweeps && (launch_smaller(c, shape, match) || try_smaller(c, shape, match) ||
                     split_loop(c, match) || edit_smaller(c, shape, match))) ||
        other_design(c, shape, sms, sweeps, match);
    return known ? std::optional(std::move(match)) : std::nullopt;
  }

  // As many blocks as the SMs hold, or fewer if that is faster, each with a part of the iterations.
  static void stride(const Case& c, double sms, std::uint32_t axis, Match& match) {
    const double warps = warps_per_scheduler(c);
    const auto blocks = static_cast<double>(c.grid.total());
    // The grid grows along the axis that the loop strides by; the other axes select the blocks'
    // data.
    constexpr std::array kAxes{&launch::Dims::x, &launch::Dims::y, &launch::Dims::z};
    const auto grid_of = [&](double per_sm) {
      launch::Dims grid = c.grid;
      std::uint32_t& side = grid.*kAxes[axis];
      side = std::max(side, static_cast<std::uint32_t>(sms * per_sm / blocks * side));
      return grid;
    };
    launch::Dims grid = grid_of(static_cast<double>(c.occupancy.blocks));
    const double resident =
        std::min(static_cast<double>(c.occupancy.blocks), static_cast<double>(grid.total()) / sms);
    match.warps =
        resident * std::ceil(static_cast<double>(c.block.total()) / 32) / c.machine.sm.schedulers;
    match.factor = std::max(1.0, sms / blocks) * match.warps / warps;
    const std::uint32_t partial = stored_partial_result(c);
    if (partial != read::kNoIndex) {
      match.hint = fmt::format(
          "The kernel uses a grid-stride loop and stores what each thread adds up ({}): launch {} "
          "blocks instead of {}, with room for the results of as many threads.",
          place_name(c.kernel, partial), with_commas(grid.total()), with_commas(c.grid.total()));
      return;  // the buffers are too small to emulate it
    }
    if (c.study != nullptr) {
      match.launch = c.study->launch();
      match.launch->grid = grid;
      launch::Launch fewer = c.study->launch();
      fewer.grid = grid_of(1);
      if (fewer.grid != grid) take_faster(c, fewer, match);
      grid = match.launch->grid;
    }
    const std::string side =
        axis > 0 ? fmt::format(" (gridDim.{} = {})", analyze::kAxisNames[axis], grid.*kAxes[axis])
                 : "";
    match.hint = fmt::format(
        "The kernel uses a grid-stride loop, so the grid size is free: launch {} instead of "
        "{}{}.{}",
        count_of(grid.total(), "block"), with_commas(c.grid.total()), side,
        adds_floats(c) ? " Float sums are then added in another order." : "");
  }

  static bool adds_floats(const Case& c) {
    return std::ranges::any_of(c.kernel.instructions, [](const read::Instruction& i) {
      return read::is_atomic(i) && i.modifier("type").find('F') != std::string_view::npos;
    });
  }

  // The time if that share of the launch takes as many times less, and a part stays.
  static double time_of_parts(const Case& c, double share, double parts, double added_us) {
    const timing::Prediction& p = c.study->base();
    const double launch_us = launch_us_of(c);
    const double work_us = std::max(0.0, p.time_us - launch_us);
    return launch_us + work_us * (1 - share + share / parts) + added_us;
  }
  static double launch_us_of(const Case& c) {
    return c.machine.seconds(c.study->base().launch_cycles) * 1e6;
  }

  // Splits block-stride loops: blocks of the same size, each with a part of the iterations. Where
  // blockIdx selects what a block works on, the parts get an axis of the grid that is not in use.
  static bool split_loop(const Case& c, Match& match) {
    const std::optional<BlockLoops> loops = block_loops(c);
    if (!loops || c.block.y > 1 || c.block.z > 1) return false;
    const std::array<bool, analyze::kAxes> read = read::block_indices_read(c.kernel);
    const bool whole_grid = c.grid.total() == 1 && !read[0];
    const unsigned axis = whole_grid                  ? 0
                          : c.grid.y == 1 && !read[1] ? 1
                          : c.grid.z == 1 && !read[2] ? 2
                                                      : analyze::kAxes;
    if (axis == analyze::kAxes || loops->share < kMinLoopShare) return false;
    const auto grid = static_cast<double>(c.grid.total());
    const double blocks = std::floor(grid * rounds_of(c, c.kernel.loops[loops->hottest]));
    if (blocks <= grid) return false;
    const double used = std::min<double>(c.machine.sm.count, blocks);
    const auto parts = static_cast<std::uint32_t>(std::ceil(used / grid));
    match.more_sms = match.factor = used / grid;
    match.warps = warps_per_scheduler(c);
    match.where = c.kernel.blocks[c.kernel.loops[loops->hottest].latches.front()].last;
    if (c.study != nullptr) {
      match.estimator = Estimator::kGiven;
      const double second_us = loops->continues ? launch_us_of(c) : 0;
      match.speedup =
          c.study->base().time_us / time_of_parts(c, loops->share, match.more_sms, second_us);
    }
    const char a = analyze::kAxisNames[axis];
    // A step that is a number stays one: the compiler unrolls such loops.
    const std::string how =
        loops->by_number
            ? fmt::format(
                  "let the blocks with blockIdx.{} = b run the b-th of gridDim.{} equal "
                  "parts of the iterations, with the same step",
                  a, a)
            : fmt::format(
                  "start at blockIdx.{} * blockDim.x + threadIdx.x and step by gridDim.{} "
                  "* blockDim.x",
                  a, a);
    match.hint = fmt::format(
        "Split the {} over the grid: {}{}.", loops->names, how,
        whole_grid ? ""
                   : fmt::format(", while blockIdx.{} goes on selecting the block's data",
                                 read[0]   ? "x"
                                 : read[1] ? "y"
                                           : "z"));
    if (loops->continues) {
      match.hint +=
          " Code after a loop that needs its result over all parts must move to a second kernel, "
          "launched when the parts are combined.";
    } else if (loops->reduces) {
      match.hint += loops->by_atomics
                        ? " The atomics then combine the results of all blocks."
                        : " Then combine the blocks' results (an atomic, or a second launch).";
    }
    match.hint += whole_grid ? fmt::format(" Launch {:.0f} or more blocks.", used)
                             : fmt::format(" Launch with gridDim.{} = {} or more.", a, parts);
    if (!loops->continues) {  // else there are two launches to check
      match.check = shape_options({axis == 0 ? parts : c.grid.x, axis == 1 ? parts : c.grid.y,
                                   axis == 2 ? parts : c.grid.z},
                                  c.block);
    }
    return true;
  }

  // Another grid gives other results: the code computes its threads' shares from gridDim.
  static void divide_otherwise(const Case& c, double sms, Match& match) {
    const double blocks = static_cast<double>(c.grid.total());
    match.warps = warps_per_scheduler(c);
    match.factor = sms / blocks;
    if (c.study != nullptr) {
      match.estimator = Estimator::kGiven;
      match.speedup = c.study->base().time_us / time_of_parts(c, 1, sms / blocks, 0);
    }
    match.where = first_grid_size(c);
    match.hint = fmt::format(
        "A larger grid changes the results: no loop steps by gridDim, which is used at {}. If the "
        "work can be divided among more threads, let a loop with stride gridDim.x * blockDim.x do "
        "so, or compute each thread's part such that all parts cover the data for any grid, and "
        "make room for the results of all threads. Then {:.0f} or more blocks use all SMs.",
        place_name(c.kernel, match.where), sms);
  }

  static std::uint32_t first_grid_size(const Case& c) {
    constexpr std::int64_t kGrid = 12, kEnd = 24;  // in constant bank 0 (docs/run.md)
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      for (const read::Operand& o : c.at(i).operands()) {
        if (o.kind == read::Operand::Kind::kConstant && o.bank == 0 && o.value >= kGrid &&
            o.value < kEnd) {
          return i;
        }
      }
    }
    return 0;
  }

  // What the code does not allow as it is, with the design that would. False: it would gain
  // nothing.
  static bool other_design(const Case& c, const LaunchShape& shape, double sms, bool sweeps,
                           Match& match) {
    match.where = shape.longest().instruction;
    const std::string obstacle = shape.obstacle("Smaller blocks");
    if (sweeps && c.study == nullptr) return false;  // the number of sweeps is unknown
    const double steps = exchange_steps(c, sweeps);
    if (steps < 1) {
      match.hint = fmt::format(
          "{}{}Divide the work into {:.0f} or more parts, one per block, such as smaller tiles.",
          obstacle, obstacle.empty() ? "" : " ", sms);
      return true;
    }
    const double time_us = c.study->base().time_us / estimate(c, match) + steps * launch_us_of(c);
    match.estimator = Estimator::kGiven;
    match.speedup = c.study->base().time_us / time_us;
    if (match.speedup <= 1) return false;
    match.hint = fmt::format(
        "{} Its threads {} in {:.0f} steps, so more blocks have to wait for each other as often: "
        "one launch per step, or grid.sync() of a cooperative launch, with the values in global "
        "memory.",
        obstacle,
        sweeps ? "may read what others stored to global memory before the last barrier"
               : "pass values on through shared memory",
        steps);
    return true;
  }
};

}  // namespace

const Rule* block_increase() {
  static const BlockIncrease rule;
  return &rule;
}

}  // namespace burin::advise
