#include "advise/patterns/mapping/smaller_blocks.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "advise/case/estimate.h"
#include "advise/case/trust.h"
#include "advise/patterns/mapping/strided_loops.h"
#include "base/format.h"
#include "base/text.h"
#include "read/program/launch_size.h"

namespace burin::advise {

namespace {

constexpr double kMinShapeGain = 1.1;   // speedup from which the second of two launches is taken
constexpr double kMaxWorkFactor = 1.5;  // limit on executed instructions, over those of the launch

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

// The largest block size that gives every SM a block, and the next larger one, which may be
// faster if it leaves only few SMs idle.
struct Smaller {
  launch::Dims block{};
  std::optional<launch::Dims> larger{};
};
std::optional<Smaller> smaller_blocks(const Case& c) {
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

bool repeats_work(const Case& c, Match& match) {
  const std::optional<timing::Prediction> p = predict_match(c, match);
  if (!p) return true;
  match.emulated = c.study->base().time_us / p->time_us;
  return p->instructions > kMaxWorkFactor * c.study->base().instructions;
}

}  // namespace

void take_faster(const Case& c, const launch::Launch& launch, Match& match) {
  if (!emulation_trust(c).yes) return;
  match.emulated = reshaped(c, match);
  Match other = match;
  other.launch = launch;
  other.emulated = reshaped(c, other);
  if (other.emulated.value_or(0) > kMinShapeGain * match.emulated.value_or(0)) {
    match = std::move(other);
  }
}

bool launch_smaller(const Case& c, const LaunchShape& shape, Match& match) {
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

bool edit_smaller(const Case& c, const LaunchShape& shape, Match& match) {
  const std::optional<Smaller> smaller = smaller_blocks(c);
  if (!smaller) return false;
  const std::optional<LaunchShape::Edited> edited = shape.after_edit(smaller->block);
  if (!edited) return false;
  match.where = shape.longest().instruction;
  match.hint = fmt::format("{}. Then launch blocks of {} instead of {}: {}.", edited->edit,
                           count_of(edited->launch.block.total(), "thread"), c.block.total(),
                           count_of(edited->launch.grid.total(), "block"));
  match.check = shape_options(edited->launch.grid, edited->launch.block);
  return true;
}

bool try_smaller(const Case& c, const LaunchShape& shape, Match& match) {
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

}  // namespace burin::advise
