// A grid with fewer blocks than the GPU has SMs.
//
// The same work in more blocks. The advice depends on the code:
//   it strides by gridDim              more blocks of the same size
//   the block shape is proved free     smaller blocks (analyze/reshape.h)
//   it reads blockDim                  smaller blocks, if their emulation does not repeat work
//   a loop strides by blockDim         the loop split over the grid, after a code change
//   a long loop runs in each thread    its iterations split over the grid (patterns/grid_split.h)
//   else                               smaller blocks, after a code change
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
#include "advise/patterns/mapping/grid_split.h"
#include "advise/patterns/mapping/launch_shape.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/text.h"
#include "read/isa/traits.h"
#include "read/program/launch_size.h"

namespace burin::advise {

namespace {

constexpr int kOldestSm = 80, kNewestSm = 90;  // with known constants, see launch_size.h
constexpr double kMinShapeGain = 1.1;   // speedup from which the second of two launches is taken
constexpr double kMinSplitGain = 1.3;   // speedup over more blocks of unchanged code
constexpr double kMaxWorkFactor = 1.5;  // limit on executed instructions, over those of the launch

bool knows_sizes(const Case& c) {
  const int sm = static_cast<int>(c.machine.arch.sm);
  return sm >= kOldestSm && sm <= kNewestSm;
}

// Halves the block along its last axis with an even size, so that warps stay whole.
launch::Dims halved(launch::Dims block) {
  std::uint32_t& side = block.z > 1 && block.z % 2 == 0   ? block.z
                        : block.y > 1 && block.y % 2 == 0 ? block.y
                                                          : block.x;
  side /= 2;
  return block;
}

// The same threads in blocks of this shape, whether or not the code supports it.
launch::Launch cut_into(const Case& c, launch::Dims block) {
  launch::Launch launch = c.study->launch();
  const auto blocks = [](std::uint32_t grid, std::uint32_t old_side, std::uint32_t side) {
    return static_cast<std::uint32_t>((std::uint64_t{grid} * old_side + side - 1) / side);
  };
  launch.grid = {blocks(c.grid.x, c.block.x, block.x), blocks(c.grid.y, c.block.y, block.y),
                 blocks(c.grid.z, c.block.z, block.z)};
  launch.block = block;
  return launch;
}

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

  static std::optional<Match> more_blocks(const Case& c) {
    const double sms = c.machine.sm.count;
    const auto blocks = static_cast<double>(c.grid.total());
    if (blocks >= sms || blocks == 0) return std::nullopt;
    Match match;
    match.estimator = Estimator::kParallel;
    match.text = fmt::format(
        "The grid has {} for {:.0f} SMs: {} idle.", count_of(c.grid.total(), "block"), sms,
        sms - blocks == 1 ? "one is" : fmt::format("{:.0f} SMs are", sms - blocks));
    match.more_sms = sms / blocks;
    if (knows_sizes(c) && read::reads_grid_size(c.kernel)) {
      stride(c, sms, match);
      return match;
    }
    const LaunchShape shape(c);
    match.warps = warps_per_scheduler(c) * blocks / sms;
    if (launch_smaller(c, shape, match) || try_smaller(c, shape, match) ||
        split_loop(c, shape, match)) {
      return match;
    }
    match.where = shape.longest().instruction;
    match.hint = fmt::format("Split the work into {} or more smaller blocks. {}",
                             static_cast<std::uint64_t>(sms), shape.what_must_change());
    return match;
  }

  // As many blocks as the SMs hold, or fewer if that is faster, each with a part of the iterations.
  static void stride(const Case& c, double sms, Match& match) {
    const double warps = warps_per_scheduler(c);
    const auto blocks = static_cast<double>(c.grid.total());
    // The grid grows along the axis that the loop strides by; the other axes select the blocks'
    // data.
    const std::array<bool, 3> strides = read::grid_sizes_read(c.kernel);
    constexpr std::array kAxes{&launch::Dims::x, &launch::Dims::y, &launch::Dims::z};
    const auto axis = static_cast<std::size_t>(std::ranges::find(strides, true) - strides.begin());
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
    match.factor = sms / blocks * match.warps / warps;
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

  // The largest block size that gives every SM a block, and the next larger one, which may be
  // faster if it leaves only few SMs idle.
  struct Smaller {
    launch::Dims block{};
    std::optional<launch::Dims> larger{};
  };
  static std::optional<Smaller> smaller_blocks(const Case& c) {
    const auto threads = static_cast<double>(c.grid.total() * c.block.total());
    const auto enough = [&](const launch::Dims& block) {
      return threads / static_cast<double>(block.total()) >= c.machine.sm.count;
    };
    Smaller smaller{.block = c.block};
    while (!enough(smaller.block) && smaller.block.total() % 64 == 0) {
      const launch::Dims half = halved(smaller.block);
      if (smaller.block != c.block) smaller.larger = smaller.block;
      smaller.block = half;
    }
    return smaller.block == c.block ? std::nullopt : std::optional(smaller);
  }

  static bool launch_smaller(const Case& c, const LaunchShape& shape, Match& match) {
    const std::optional<Smaller> smaller = smaller_blocks(c);
    if (!smaller) return false;
    std::optional<launch::Launch> launch = shape.with_block(smaller->block);
    if (!launch) return false;
    std::uint64_t blocks = launch->grid.total();
    std::uint64_t threads = launch->block.total();
    if (c.study != nullptr) {
      match.launch = std::move(launch);
      const std::optional<launch::Launch> larger =
          smaller->larger ? shape.with_block(*smaller->larger) : std::nullopt;
      if (larger) take_faster(c, *larger, match);
      blocks = match.launch->grid.total();
      threads = match.launch->block.total();
    }
    match.hint = fmt::format("Launch blocks of {} instead of {}: {}.", count_of(threads, "thread"),
                             c.block.total(), count_of(blocks, "block"));
    return true;
  }

  // Takes this launch for the match if it is clearly faster than the match's own.
  static void take_faster(const Case& c, const launch::Launch& launch, Match& match) {
    if (!emulation_trust(c).yes) return;
    match.emulated = reshaped(c, match);
    Match other = match;
    other.launch = launch;
    other.emulated = reshaped(c, other);
    if (other.emulated.value_or(0) > kMinShapeGain * match.emulated.value_or(0)) {
      match = std::move(other);
    }
  }

  // Smaller blocks for code whose threads cooperate and which reads blockDim, as tiles of the block
  // size do. They are emulated, and rejected if they repeat work.
  static bool try_smaller(const Case& c, const LaunchShape& shape, Match& match) {
    const std::optional<Smaller> smaller = smaller_blocks(c);
    if (c.kernel.function->required_block || !smaller || !shape.cooperates()) return false;
    if (!knows_sizes(c) || !read::reads_block_size(c.kernel)) return false;
    if (block_stride_loop(c) != read::kNoIndex && c.grid.total() == 1) return false;
    launch::Dims block = smaller->block;
    if (c.study != nullptr) {
      Match tried = match;
      tried.launch = cut_into(c, block);
      if (repeats_work(c, tried)) return false;
      if (smaller->larger) take_faster(c, cut_into(c, *smaller->larger), tried);
      block = tried.launch->block;
      match = std::move(tried);
    }
    match.hint = fmt::format(
        "Launch blocks of {} instead of {}, after checking that the code supports them: it "
        "reads blockDim, but {}.",
        count_of(block.total(), "thread"), c.block.total(), shape.why_fixed());
    return true;
  }

  static bool repeats_work(const Case& c, Match& match) {
    const std::optional<timing::Prediction> p = predict_match(c, match);
    if (!p) return true;
    match.emulated = c.study->base().time_us / p->time_us;
    return p->instructions > kMaxWorkFactor * c.study->base().instructions;
  }

  // Splits a block-stride loop: blocks of the same size, each with a part of the iterations.
  static bool split_loop(const Case& c, const LaunchShape& shape, Match& match) {
    const std::uint32_t l = block_stride_loop(c);
    if (l == read::kNoIndex) return false;
    const double rounds = rounds_of(c, c.kernel.loops[l]);
    const double blocks = std::floor(static_cast<double>(c.grid.total()) * rounds);
    if (blocks <= static_cast<double>(c.grid.total())) return false;
    const double used = std::min<double>(c.machine.sm.count, blocks);
    match.more_sms = match.factor = used / static_cast<double>(c.grid.total());
    match.warps = warps_per_scheduler(c);
    match.where = c.kernel.blocks[c.kernel.loops[l].latches.front()].last;
    match.hint = fmt::format(
        "Split the {} over the grid: start at blockIdx.x * blockDim.x + threadIdx.x and step by "
        "gridDim.x * blockDim.x{}. Then launch {:.0f} or more blocks.",
        c.places.loop_name(l),
        shape.cooperates() ? ", then combine the blocks' results (an atomic, or a second launch)"
                           : "",
        used);
    return true;
  }
};

}  // namespace

const Rule* block_increase() {
  static const BlockIncrease rule;
  return &rule;
}

}  // namespace burin::advise
