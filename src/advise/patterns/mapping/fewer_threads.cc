#include "advise/patterns/mapping/fewer_threads.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/loaded_conditions.h"
#include "advise/patterns/code/loop_values.h"
#include "emulate/values/lanes.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

// Less arithmetic fits into the waits for memory if the remaining blocks fill the GPU.
constexpr double kMinArithmetic = 0.25;  // of the issued instructions

bool is_of_element(const Case& c, const FewerThreads& change, std::uint32_t i) {
  return c.at(i).known() && change.once[i] == 0 && !touches_global(c.at(i)) &&
         c.at(i).opcode->flow != read::Opcode::kExit;
}

// Whether the compiler can interleave the elements of a thread: no loop and no branch is repeated
// for each of them.
bool interleaves(const Case& c, const FewerThreads& change) {
  const read::InstructionSet after = after_loaded_branch(c, Origins(c.kernel));
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.executed(i) || !is_of_element(c, change, i)) continue;
    if (after[i] != 0 || c.places.loop_of(i) != read::kNoIndex || c.places.function_of(i) != 0)
      return false;
  }
  return true;
}

// The busiest unit of the schedulers that have warps.
double busy_share(const Case& c, const FewerThreads& change, const timing::Prediction& p) {
  double most = 0;
  for (const machine::Resource r :
       {machine::Resource::kIssue, machine::Resource::kFma, machine::Resource::kAlu,
        machine::Resource::kFp64, machine::Resource::kXu, machine::Resource::kUniform}) {
    most = std::max(most, p.busy[static_cast<std::size_t>(r)]);
  }
  const double blocks =
      std::min(std::ceil(static_cast<double>(change.grid.total()) / c.machine.sm.count),
               static_cast<double>(std::max<std::uint64_t>(1, c.occupancy.blocks)));
  const double warps =
      blocks * std::ceil(static_cast<double>(change.block.total()) / emulate::kWarpLanes);
  const double schedulers = c.machine.sm.schedulers;
  return std::min(1.0, most * schedulers / std::min(schedulers, warps));
}

}  // namespace

double time_with_fewer_threads(const Case& c, const FewerThreads& change,
                               std::span<const analyze::Edit> edits) {
  analyze::Edit elements{.kind = analyze::Edit::Kind::kSkipped,
                         .instructions = read::InstructionSet(c.size())};
  analyze::Edit rest = elements;
  analyze::Edit everything = elements;
  double arithmetic = 0;
  double all = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.at(i).known()) continue;
    const bool of_element = is_of_element(c, change, i);
    elements.instructions[i] = of_element ? 1 : 0;
    everything.instructions[i] = c.at(i).opcode->flow == read::Opcode::kExit ? 0 : 1;
    rest.instructions[i] = of_element ? 0 : everything.instructions[i];
    all += c.study->base().costs[i].issued;
    arithmetic += of_element ? c.study->base().costs[i].issued : 0;
  }
  const double resident = static_cast<double>(c.occupancy.blocks) * c.machine.sm.count;
  const bool fills = static_cast<double>(change.grid.total()) >= resident;
  if (fills && arithmetic < kMinArithmetic * all) return 0;
  launch::Launch smaller = c.study->launch();
  smaller.grid = change.grid;
  smaller.block = change.block;
  if (!launch::check_launch(smaller, *c.kernel.function)) return 0;
  const Result<std::unique_ptr<analyze::Study>> study =
      analyze::Study::open(c.study->kernel(), smaller, c.machine, c.study->options());
  if (!study) return 0;
  std::vector<analyze::Edit> moving(edits.begin(), edits.end());
  moving.push_back(std::move(elements));
  const double memory_us = c.study->with_edits(moving).time_us;
  const timing::Prediction computing = (*study)->with_edits({&rest, 1});
  const double empty_us = (*study)->with_edits({&everything, 1}).time_us;
  const double times = interleaves(c, change)
                           ? std::max(1.0, change.together * busy_share(c, change, computing))
                           : change.together;
  const double element_us = std::max(0.0, computing.time_us - empty_us);
  const double moving_us = std::max(0.0, memory_us - empty_us);
  // In a single wave all blocks load, then compute, then store.
  const double waves = std::max(1.0, (*study)->base().waves);
  const double together_us = empty_us + std::max(times * element_us, moving_us) +
                             std::min(times * element_us, moving_us) / waves;
  // Each thread does at least what one does now. If no other blocks use the time in which it waits,
  // the other elements come on top.
  const double others_us = fills ? 0 : (times - 1) * element_us;
  return std::max(together_us, (*study)->base().time_us + others_us);
}

double time_of_part(const Case& c, double share) {
  launch::Launch part = c.study->launch();
  part.grid.x =
      std::max(1u, static_cast<std::uint32_t>(std::ceil(share * static_cast<double>(c.grid.x))));
  if (!launch::check_launch(part, *c.kernel.function)) return 0;
  const Result<timing::Prediction> p =
      timing::predict(c.study->kernel(), part, c.machine, c.study->options());
  return p ? p->time_us : 0;
}

}  // namespace burin::advise
