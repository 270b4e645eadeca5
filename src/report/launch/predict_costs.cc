// The sums of predict.h: over the instructions of a line, of a loop.
#include <algorithm>
#include <map>
#include <tuple>

#include "report/launch/predict.h"

namespace burin::report {
namespace {

void add(CostSum& sum, const timing::InstructionCost& cost) {
  sum.issued += cost.issued;
  sum.warp_cycles += cost.issued;
  sum.unknown += cost.unknown;
  sum.sectors += cost.sectors;
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    sum.stalls[s] += cost.stalls[s].sum();
    sum.warp_cycles += cost.stalls[s].sum();
  }
}

}  // namespace

std::optional<launch::Stall> CostSum::top_stall() const {
  const auto top = std::ranges::max_element(stalls);
  if (*top <= 0) return std::nullopt;
  return static_cast<launch::Stall>(top - stalls.begin());
}

double sms_in_use(const PredictReport& report) {
  return std::min(static_cast<double>(report.launch.grid.total()), report.machine.sm.count);
}

double theoretical_occupancy(const PredictReport& report) {
  return static_cast<double>(report.prediction.occupancy.warps) / report.machine.limit.warps;
}

double achieved_occupancy(const PredictReport& report) {
  const timing::Prediction& p = report.prediction;
  const double cycles = p.cycles - p.launch_cycles;
  if (cycles <= 0) return 0;
  const double share = p.warp_cycles / (cycles * sms_in_use(report) * report.machine.limit.warps);
  return std::min(share, theoretical_occupancy(report));
}

std::vector<LineCost> costs_by_line(const PredictReport& report) {
  const read::Image& image = *report.kernel.image;
  std::map<std::pair<std::string_view, std::uint32_t>, LineCost> sums;
  read::LineWalk walk(*report.kernel.function);
  for (std::size_t i = 0; i < report.prediction.costs.size(); ++i) {
    const auto chain = read::call_chain(image, walk.at(report.kernel.instructions[i].offset));
    if (report.prediction.costs[i].issued == 0) continue;
    std::pair<std::string_view, std::uint32_t> place{};
    if (!chain.empty()) place = {read::path_of(image, *chain.front()), chain.front()->line};
    LineCost& sum = sums[place];
    std::tie(sum.file, sum.line) = place;
    add(sum, report.prediction.costs[i]);
  }
  std::vector<LineCost> lines;
  for (const auto& [place, sum] : sums) lines.push_back(sum);
  std::ranges::sort(lines, [](const LineCost& a, const LineCost& b) {
    if (a.warp_cycles != b.warp_cycles) return a.warp_cycles > b.warp_cycles;
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  });
  return lines;
}

std::vector<LoopCost> costs_by_loop(const PredictReport& report) {
  std::vector<LoopCost> loops;
  for (std::uint32_t k = 0; k < report.kernel.loops.size(); ++k) {
    LoopCost sum;
    sum.loop = k;
    for (const std::uint32_t index : report.kernel.loops[k].blocks) {
      const read::BasicBlock& block = report.kernel.blocks[index];
      for (std::uint32_t i = block.first; i <= block.last; ++i) {
        if (i < report.prediction.costs.size()) add(sum, report.prediction.costs[i]);
      }
    }
    if (sum.issued > 0) loops.push_back(sum);
  }
  return loops;
}

}  // namespace burin::report
