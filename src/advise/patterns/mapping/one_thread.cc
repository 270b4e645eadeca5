#include "advise/patterns/mapping/one_thread.h"

#include <algorithm>
#include <cmath>

#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/reductions/carried.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMinIterations = 32;  // fewer take no longer than combining the lanes of a warp
// Consecutive waits for shared memory when a block combines its threads' values: five shuffles in
// each warp; a store, a barrier and a load; five shuffles over the warps' results; and a barrier.
constexpr double kCombiningWaits = 14;
constexpr double kCombiningCode = 30;  // instructions of each warp for combining
// Overhead instructions of an iteration: index, address, test and branch. A loop with a constant
// step is unrolled; a loop shared by threads is not.
constexpr double kLoopCode = 4;

void count_warps(const timing::BlockTrace& trace, std::vector<double>& most) {
  std::vector<double> warps(most.size());
  std::vector<std::size_t> seen(most.size());
  for (std::size_t w = 0; w < trace.warps.size(); ++w) {
    for (const timing::TraceStep& step : trace.warps[w]) {
      if (seen[step.instruction] == w + 1) continue;
      seen[step.instruction] = w + 1;
      ++warps[step.instruction];
    }
  }
  for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], warps[i]);
}

// The time that combining adds to the launch: its waits once per wave of blocks, and its
// instructions for every block.
double combining_us(const Case& c, double loops, double iterations) {
  const double resident = static_cast<double>(c.occupancy.blocks) * c.machine.sm.count;
  const double waves = std::ceil(static_cast<double>(c.grid.total()) / std::max(1.0, resident));
  const auto threads = static_cast<double>(c.block.total());
  const double warps = static_cast<double>(c.grid.total()) * std::ceil(threads / 32);
  const double issued = warps * (loops * kCombiningCode + iterations / threads * kLoopCode);
  const double cycles = loops * kCombiningWaits * c.machine.shared.latency * waves +
                        issued / c.machine.sm.schedulers / c.machine.sm.count;
  return c.machine.seconds(cycles) * 1e6;
}

// Whether each iteration stores a running result of the previous iterations.
bool stores_running(const Case& c, const Slack& slack, std::uint32_t loop) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!read::is_plain_store(c.at(i)) || !c.places.in_loop(i, loop)) continue;
    for (const read::Dependence& d : c.kernel.dependences_of(i)) {
      const bool value = d.kind == read::Dependence::Kind::kRegister &&
                         !read::feeds_address(c.at(i), d) && c.places.in_loop(d.producer, loop);
      if (value && slack.recurrent(d.producer, loop)) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<double> warps_at(const Case& c) {
  std::vector<double> most(c.size());
  const timing::TracedLaunch& traced = c.study->traced();
  count_warps(traced.reference, most);
  for (const timing::TracedWindow& window : traced.windows) {
    for (const timing::BlockTrace& trace : window.traces) count_warps(trace, most);
  }
  return most;
}

double source_iterations(const Case& c, const Slack& slack, std::uint32_t loop) {
  unsigned copies = 1;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool access = touches_global(c.at(i)) || touches_shared(c.at(i));
    if (access && c.places.loop_of(i) == loop) copies = std::max(copies, slack.copies(i, loop));
  }
  return slack.trips(loop) * copies;
}

OneThreadLoops one_thread_loops(const Case& c, const std::vector<LaneMean>& lanes) {
  OneThreadLoops found{.instructions = read::InstructionSet(c.size())};
  if (static_cast<double>(c.block.total()) <= kMinIterations) return found;
  const std::vector<double> warps = warps_at(c);
  const Slack slack(c);
  double iterations = 0;  // summed over these loops
  for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
    const std::uint32_t first = c.kernel.blocks[c.kernel.loops[loop].header].first;
    const bool alone = lanes[first].executions > 0 && lanes[first].active < kOneLane &&
                       warps[first] == 1 && !slack.has_barrier(loop);
    if (!alone || source_iterations(c, slack, loop) < kMinIterations) continue;
    if (CarriedValues(c, loop).in_order()) continue;  // threads would wait for each other
    const read::InstructionSet inside = c.places.instructions_of_loop(loop);
    for (std::uint32_t i = 0; i < c.size(); ++i) found.instructions[i] |= inside[i];
    iterations += source_iterations(c, slack, loop);
    found.scans = found.scans || stores_running(c, slack, loop);
    const std::string name = loop_name(c, loop);
    if (std::ranges::find(found.names, name) == found.names.end()) found.names.push_back(name);
  }
  found.combining_us = combining_us(c, static_cast<double>(found.names.size()), iterations);
  return found;
}

}  // namespace burin::advise
