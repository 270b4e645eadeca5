#include "timing/grid/replayed_window.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.h"

namespace burin::timing {

namespace {

// The index of each blame in the prediction's list.
using BlamePlaces = std::map<std::tuple<std::uint32_t, std::uint32_t, launch::Stall>, std::size_t>;

void add_costs(const ReplayedWindow& w, double by, double others, BlamePlaces& places,
               Prediction& p) {
  for (std::size_t i = 0; i < p.costs.size(); ++i) {
    const InstructionCost& from = w.account->costs()[i];
    InstructionCost& to = p.costs[i];
    to.issued += from.issued * by * others;
    for (std::size_t s = 0; s < launch::kStalls; ++s) {
      to.stalls[s] += {from.stalls[s].active * by * others, from.stalls[s].latency * by * others};
    }
    to.unknown += from.unknown * by * others;
    to.passes += from.passes * by * others;
    to.ideal_passes += from.ideal_passes * by * others;
    to.padded_passes += from.padded_passes * by * others;
    to.sectors += w.by_instruction[i].sectors * by * others;
    to.l1_hits += w.by_instruction[i].l1_hits * by * others;
    to.l2_hits += w.by_instruction[i].l2_hits * by * others;
  }
  for (Blame b : w.account->blames()) {
    b.cycles.active *= by * others;
    b.cycles.latency *= by * others;
    const auto [place, is_new] = places.try_emplace({b.waits, b.cause, b.stall}, p.blames.size());
    if (is_new) {
      p.blames.push_back(b);
    } else {
      p.blames[place->second].cycles += b.cycles;
    }
  }
}

}  // namespace

double ReplayedWindow::smooth_end() const {
  const double blocks = std::max(run.end, run.weighted);
  return blocks > 0 ? run.smooth_end * std::max(1.0, *std::ranges::max_element(busy) / blocks) : 0;
}

double ReplayedWindow::mean_duration() const {
  double sum = 0;
  for (const BlockTimes& times : run.blocks) sum += times.end - times.begin;
  return sum * stretch / static_cast<double>(std::max<std::uint64_t>(1, count));
}

double ReplayedWindow::step(std::uint64_t resident) const {
  const std::uint64_t waves = count / resident;
  if (waves < 2) return end() / static_cast<double>(count);
  // The work left in queues at the end counts as well, at peak throughput.
  const double least = *std::max_element(busy.begin(), busy.end()) / static_cast<double>(count);
  const std::uint64_t apart = std::max<std::uint64_t>(1, waves - 2);
  double sum = 0;
  for (std::uint64_t k = 0; k < resident; ++k) {
    const std::uint64_t i = count - 1 - k;
    sum += begin(i) - begin(i - apart * resident);
  }
  return std::max(least, sum / static_cast<double>(resident * apart * resident));
}

bool is_shared(machine::Resource resource) {
  return resource == machine::Resource::kL2 || resource == machine::Resource::kDram ||
         resource == machine::Resource::kDispatch;
}

double busiest(const std::vector<ReplayedWindow>& windows) {
  std::array<double, machine::kResources> cycles{};
  for (const ReplayedWindow& w : windows) {
    const double by = w.stands_for / static_cast<double>(w.count);
    for (std::size_t r = 0; r < machine::kResources; ++r) cycles[r] += w.busy[r] * by;
  }
  return *std::ranges::max_element(cycles);
}

void sum_up(const std::vector<ReplayedWindow>& windows, double others, double sms, double sm_cycles,
            Prediction& p) {
  double l1 = 0, l1_hits = 0, l2 = 0, l2_hits = 0;
  BlamePlaces places;
  for (const ReplayedWindow& w : windows) {
    p.costs.resize(w.account->costs().size());
    const double by = w.stands_for / static_cast<double>(w.count);
    add_costs(w, by, others, places, p);
    for (std::size_t r = 0; r < machine::kResources; ++r) p.busy[r] += w.busy[r] * by / sm_cycles;
    l1 += w.traffic.l1_sectors * by;
    l1_hits += w.traffic.l1_hits * by;
    l2 += w.traffic.all_l2_sectors * by;
    l2_hits += w.traffic.all_l2_hits * by;
    p.dram_read_bytes += w.traffic.dram_read * by;
    p.dram_write_bytes += w.traffic.dram_write * by;
    p.bulk_bytes += w.traffic.bulk * by * others;
    p.l2_atomic_cycles += w.traffic.atomic_cycles * by;
    p.replayed += w.run.replayed;
    if (w.run.released != 0) {
      p.notes.push_back(fmt::format(
          "{} barrier waits were skipped: their arrivals are not in the trace", w.run.released));
    }
  }
  std::sort(p.blames.begin(), p.blames.end());
  double unknown = 0;
  for (const InstructionCost& c : p.costs) {
    p.issued += c.issued;
    for (std::size_t s = 0; s < launch::kStalls; ++s) p.stalls[s] += c.stalls[s];
    unknown += c.unknown;
  }
  p.warp_cycles = p.issued;
  for (const launch::StallCycles& s : p.stalls) p.warp_cycles += s.sum();
  p.instructions = p.issued;
  p.unknown_share = p.warp_cycles > 0 ? unknown / p.warp_cycles : 0;
  p.ipc = p.instructions / sms / sm_cycles;
  p.l1_hit_rate = l1 > 0 ? l1_hits / l1 : 0;
  p.l2_hit_rate = l2 > 0 ? l2_hits / l2 : 0;
  p.l2_bytes = l2 * emulate::kSectorBytes;
}

}  // namespace burin::timing
