// A few blocks more than a multiple of the SMs: most SMs are idle while the last blocks run.
//
// Smaller blocks are distributed more evenly. The speedup is the ratio of the imbalance now to the
// imbalance with smaller blocks, where imbalance is the blocks of the busiest SM over the mean.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "advise/patterns/mapping/launch_shape.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"

namespace burin::advise {

namespace {

constexpr double kMinUneven = 1.1;
constexpr std::uint64_t kSmallBlock = 128;  // threads; smaller blocks are not advised
constexpr std::uint64_t kMaxParts = 4;

double unevenness(double blocks, double sms) {
  return std::ceil(blocks / sms) / (blocks / sms);
}

class TailEffect final : public Rule {
  std::string_view id() const override { return "tail-effect"; }
  std::string_view summary() const override { return "a partial last wave of blocks"; }
  bool needs_launch_shape() const override { return true; }

  std::vector<Match> match(const Case& c) const override {
    const double sms = c.machine.sm.count;
    const auto blocks = static_cast<double>(c.grid.total());
    if (blocks <= sms || unevenness(blocks, sms) < kMinUneven) return {};
    if (c.study != nullptr && !c.study->traced().works.even()) return {};  // left to sm-balance
    std::uint64_t parts = 1;
    while (parts < kMaxParts && c.block.total() / (2 * parts) >= kSmallBlock) parts *= 2;
    const double now = unevenness(blocks, sms);
    const double then = parts > 1 ? unevenness(blocks * static_cast<double>(parts), sms) : 1;
    if (then >= now) return {};
    Match match;
    match.estimator = Estimator::kGiven;
    match.speedup = without_launch(c, now / then);
    match.evens_sms = true;
    const double last = blocks - std::floor(blocks / sms) * sms;
    match.text =
        fmt::format("{} blocks on {:.0f} SMs: {} execute {}, the others only {} and then idle.",
                    whole(blocks), sms, count_of(static_cast<std::uint64_t>(last), "SM"),
                    count_of(static_cast<std::uint64_t>(std::ceil(blocks / sms)), "block"),
                    whole(std::floor(blocks / sms)));
    if (parts > 1) {
      const LaunchShape shape(c);
      const std::optional<launch::Launch> smaller = in_parts(c, shape, parts);
      match.hint = smaller_blocks(c, shape, smaller, parts);
      if (smaller) match.check = shape_options(smaller->grid, smaller->block);
      if (!smaller) match.toll = kDefaultToll;
    } else {
      match.toll = kDefaultToll;
      match.hint = fmt::format(
          "Divide the work into smaller pieces: one per block, or fetched one after the other by "
          "{:.0f} persistent blocks (as many as fit on the SMs).",
          sms * static_cast<double>(std::max<std::uint64_t>(1, c.occupancy.blocks)));
    }
    return {std::move(match)};
  }

  static std::string smaller_blocks(const Case& c, const LaunchShape& shape,
                                    const std::optional<launch::Launch>& smaller,
                                    std::uint64_t parts) {
    if (smaller) {
      return fmt::format("Launch smaller blocks: {} of {}.",
                         count_of(smaller->grid.total(), "block"),
                         count_of(smaller->block.total(), "thread"));
    }
    return fmt::format(
        "{} With {} blocks of {} threads in place of each, each with a part of its work, the SMs "
        "are loaded more evenly.",
        shape.obstacle("Smaller blocks"), parts, c.block.total() / parts);
  }

  // Halves the block along an axis that the reshape proof allows.
  static std::optional<launch::Launch> in_parts(const Case& c, const LaunchShape& shape,
                                                std::uint64_t parts) {
    for (std::uint32_t launch::Dims::* side :
         {&launch::Dims::z, &launch::Dims::y, &launch::Dims::x}) {
      launch::Dims block = c.block;
      if (block.*side % parts != 0) continue;
      block.*side = static_cast<std::uint32_t>(block.*side / parts);
      if (std::optional<launch::Launch> smaller = shape.with_block(block)) return smaller;
    }
    return std::nullopt;
  }

  // The cost of starting and ending the kernel stays the same.
  static double without_launch(const Case& c, double speedup) {
    if (c.study == nullptr) return speedup;
    const double fixed = c.study->base().launch_cycles / c.study->base().cycles;
    return 1 / (fixed + (1 - fixed) / speedup);
  }
};

}  // namespace

const Rule* tail_effect() {
  static const TailEffect rule;
  return &rule;
}

}  // namespace burin::advise
