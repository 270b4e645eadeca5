// A grid with fewer blocks than the GPU has SMs.
//
// The same work in more blocks: where the kernel strides by gridDim, more blocks of the same size;
// else smaller blocks, where the kernel takes them. Factor f: the SMs that are put to work, over
// those that C_W counts already.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "advise/case/estimate.h"
#include "advise/case/trust.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "read/isa/traits.h"
#include "read/program/launch_size.h"

namespace burin::advise {

namespace {

constexpr int kOldest = 80, kNewest = 90;  // whose constants are known, see launch_size.h

bool knows_sizes(const Case& c) {
  const int sm = static_cast<int>(c.machine.arch.sm);
  return sm >= kOldest && sm <= kNewest;
}

// Whether the kernel can be launched in smaller blocks as it is: it asks how large they are, or no
// thread needs another of its block.
bool takes_any_block(const Case& c) {
  if (c.kernel.function->required_block) return false;
  if (knows_sizes(c) && read::reads_block_size(c.kernel)) return true;
  return c.needs.shared == 0 &&
         std::ranges::none_of(c.kernel.instructions, [](const read::Instruction& i) {
           return read::sync_of(i) == read::Sync::kBlockBarrier;
         });
}

// Half the block, of its longest side; warps stay whole.
launch::Dims halved(launch::Dims block) {
  std::uint32_t& side = block.z > 1 && block.z % 2 == 0   ? block.z
                        : block.y > 1 && block.y % 2 == 0 ? block.y
                                                          : block.x;
  side /= 2;
  return block;
}

class BlockIncrease final : public Rule {
  std::string_view id() const override { return "block-increase"; }
  std::string_view summary() const override { return "fewer blocks than SMs"; }
  bool needs_launch_shape() const override { return true; }

  std::vector<Match> match(const Case& c) const override {
    const double sms = c.machine.sm.count;
    const auto blocks = static_cast<double>(c.grid.total());
    if (blocks >= sms || blocks == 0) return {};
    const double warps = warps_per_scheduler(c);
    Match match;
    match.estimator = Estimator::kParallel;
    match.text = fmt::format("The grid has {} {} for {:.0f} SMs: {:.0f} SMs are idle.",
                             c.grid.total(), blocks == 1 ? "block" : "blocks", sms, sms - blocks);
    match.more_sms = sms / blocks;
    if (knows_sizes(c) && read::reads_grid_size(c.kernel)) {
      stride(c, sms, match);
      return {std::move(match)};
    }
    match.warps = warps * blocks / sms;
    const std::optional<launch::Dims> smaller =
        takes_any_block(c) ? best_block(c, match) : std::nullopt;
    if (smaller) {
      match.hint =
          fmt::format("Launch blocks of {} threads instead of {}: {} blocks.", smaller->total(),
                      c.block.total(), c.grid.total() * c.block.total() / smaller->total());
    } else {
      match.hint = fmt::format("Split the work into {} or more smaller blocks.",
                               static_cast<std::uint64_t>(sms));
    }
    return {std::move(match)};
  }

  // As many blocks as the SMs hold, or fewer where that is faster, each with a part of the
  // iterations.
  static void stride(const Case& c, double sms, Match& match) {
    const double warps = warps_per_scheduler(c);
    const auto blocks = static_cast<double>(c.grid.total());
    // Of a grid with one side, as many for each SM.
    const double filled = sms * static_cast<double>(c.occupancy.blocks);
    const auto times = static_cast<std::uint32_t>(std::max(1.0, filled / blocks));
    const bool line = c.grid.y == 1 && c.grid.z == 1;
    const launch::Dims grid{line ? static_cast<std::uint32_t>(filled) : c.grid.x * times, c.grid.y,
                            c.grid.z};
    const double resident =
        std::min(static_cast<double>(c.occupancy.blocks), static_cast<double>(grid.total()) / sms);
    match.warps =
        resident * std::ceil(static_cast<double>(c.block.total()) / 32) / c.machine.sm.schedulers;
    match.factor = sms / blocks * match.warps / warps;
    if (c.study != nullptr) {
      match.launch = c.study->launch();
      match.launch->grid = grid;
    }
    match.hint = fmt::format(
        "The kernel uses a grid-stride loop, so the grid size is free: launch {} blocks instead of "
        "{}.",
        grid.total(), c.grid.total());
  }

  // The largest block with which there is one for every SM, or the next larger one where that is
  // faster: the SMs that then have nothing to do may be few.
  static std::optional<launch::Dims> best_block(const Case& c, Match& match) {
    const auto threads = static_cast<double>(c.grid.total() * c.block.total());
    const auto enough = [&](const launch::Dims& block) {
      return threads / static_cast<double>(block.total()) >= c.machine.sm.count;
    };
    launch::Dims block = c.block;
    launch::Dims larger = c.block;
    while (!enough(block) && block.total() % 64 == 0) larger = std::exchange(block, halved(block));
    if (block == c.block) return std::nullopt;
    const auto what_if = [](const launch::Dims& b) {
      return fmt::format("block={},{},{}", b.x, b.y, b.z);
    };
    match.what_if = what_if(block);
    if (larger == c.block || !belief_in_emulation(c).yes) return block;
    match.emulated = reshaped(c, match);
    Match other = match;
    other.what_if = what_if(larger);
    other.emulated = reshaped(c, other);
    if (other.emulated.value_or(0) <= match.emulated.value_or(0)) return block;
    match = std::move(other);
    return larger;
  }
};

}  // namespace

const Rule* block_increase() {
  static const BlockIncrease rule;
  return &rule;
}

}  // namespace burin::advise
