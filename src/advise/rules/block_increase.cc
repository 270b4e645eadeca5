// A grid with fewer blocks than the GPU has SMs.
//
// The same work in more blocks: where the kernel strides by gridDim, more blocks of the same size;
// else smaller blocks, where no barrier ties the threads of one together. Factor f: the SMs that
// are put to work, over those that C_W counts already.
#include <algorithm>
#include <cmath>

#include "advise/estimate.h"
#include "advise/rules/all.h"
#include "base/format.h"

namespace burin {

namespace {

// Where the constant bank holds gridDim, sm_80 to sm_90 (docs/run.md).
constexpr std::int64_t kGridFirst = 0xc;
constexpr std::int64_t kGridEnd = 0x18;

bool reads_grid(const Case& c) {
  const int sm = static_cast<int>(c.machine.arch.sm);
  if (sm < 80 || sm > 90) return false;
  return std::ranges::any_of(c.kernel.instructions, [](const Instruction& i) {
    return std::ranges::any_of(i.operands(), [](const Operand& o) {
      return o.kind == Operand::Kind::kConstant && o.bank == 0 && o.value >= kGridFirst &&
             o.value < kGridEnd;
    });
  });
}

bool ties_threads(const Case& c) {
  return c.needs.shared > 0 || std::ranges::any_of(c.kernel.instructions, [](const Instruction& i) {
           return i.mnemonic() == "BAR";
         });
}

// Half the block, of its longest side; warps stay whole.
Dims halved(Dims block) {
  std::uint32_t& side = block.z > 1 && block.z % 2 == 0   ? block.z
                        : block.y > 1 && block.y % 2 == 0 ? block.y
                                                          : block.x;
  side /= 2;
  return block;
}

class BlockIncrease final : public Rule {
  std::string_view id() const override { return "block-increase"; }
  std::string_view summary() const override { return "fewer blocks than SMs"; }

  std::vector<Match> match(const Case& c) const override {
    const double sms = c.machine.sm.count;
    const auto blocks = static_cast<double>(c.grid.total());
    if (blocks >= sms || blocks == 0) return {};
    const double warps = warps_per_scheduler(c);
    Match match;
    match.estimator = Estimator::kParallel;
    match.text =
        fmt::format("The grid has {} {} for {:.0f} SMs: {:.0f} of them have nothing to do.",
                    c.grid.total(), blocks == 1 ? "block" : "blocks", sms, sms - blocks);
    const Dims smaller = fitting(c, sms);
    if (reads_grid(c)) {
      stride(c, sms, match);
    } else if (!ties_threads(c) && smaller != c.block) {
      match.warps = warps * blocks / sms;
      match.what_if = fmt::format("block={},{},{}", smaller.x, smaller.y, smaller.z);
      match.hint =
          fmt::format("Launch blocks of {} threads in place of {}: {} of them.", smaller.total(),
                      c.block.total(), c.grid.total() * c.block.total() / smaller.total());
    } else {
      match.warps = warps * blocks / sms;
      match.hint = fmt::format("Split the work of a block: {} or more, each with less to do.",
                               static_cast<std::uint64_t>(sms));
    }
    return {std::move(match)};
  }

  // As many blocks as the SMs hold, or fewer where that is faster, each with a part of the
  // iterations.
  static void stride(const Case& c, double sms, Match& match) {
    const double warps = warps_per_scheduler(c);
    const auto blocks = static_cast<double>(c.grid.total());
    const auto times = static_cast<std::uint32_t>(
        std::max(1.0, sms * static_cast<double>(c.occupancy.blocks) / blocks));
    const Dims grid{c.grid.x * times, c.grid.y, c.grid.z};
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
        "Its loop strides by gridDim, so the grid is free: launch {} blocks in "
        "place of {}.",
        grid.total(), c.grid.total());
  }

  // The largest block with which there is one for every SM.
  static Dims fitting(const Case& c, double sms) {
    Dims block = c.block;
    const auto threads = static_cast<double>(c.grid.total() * c.block.total());
    while (threads / static_cast<double>(block.total()) < sms && block.total() % 64 == 0) {
      block = halved(block);
    }
    return block;
  }
};

}  // namespace

const Rule* block_increase() {
  static const BlockIncrease rule;
  return &rule;
}

}  // namespace burin
