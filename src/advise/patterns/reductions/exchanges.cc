#include "advise/patterns/reductions/exchanges.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/reductions/combining.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMinShareAfter = 0.5;  // of the launch's time, after the first barrier

// Whether a value stored to shared memory depends on one that was loaded from it.
bool passes_shared_on(const Case& c) {
  std::vector<std::uint32_t> open;
  read::InstructionSet seen(c.size());
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (touches_shared(c.at(i)) && c.at(i).opcode->loads && c.executed(i)) open.push_back(i);
  }
  const std::vector<std::vector<std::uint32_t>> consumers = consumers_of(c.kernel);
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const std::uint32_t next : consumers[at]) {
      if (seen[next] != 0) continue;
      seen[next] = 1;
      const bool stores = touches_shared(c.at(next)) && c.at(next).opcode->stores;
      if (stores && c.executed(next)) return true;
      open.push_back(next);
    }
  }
  return false;
}

}  // namespace

double exchange_steps(const Case& c, bool sweeps) {
  if (c.study == nullptr) return 0;
  std::uint32_t first = read::kNoIndex;
  double barriers = 0;  // of all warps of a block; the prediction need not replay every step
  const timing::BlockTrace& trace = c.study->traced().reference;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (read::sync_of(c.at(i)) != read::Sync::kBlockBarrier || !c.executed(i)) continue;
    if (first == read::kNoIndex) first = i;
    if (i < trace.lanes.size()) barriers += static_cast<double>(trace.lanes[i].executions);
  }
  const double steps = barriers / std::ceil(static_cast<double>(c.block.total()) / 32);
  if (sweeps) return steps;
  if (first == read::kNoIndex || !passes_shared_on(c)) return 0;
  const read::InstructionSet combining = combining_code(c, Origins(c.kernel));
  if (std::ranges::find(combining, 1) != combining.end()) return 0;
  const std::uint32_t from = c.kernel.block_of[first];
  double after = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const std::uint32_t block = c.kernel.block_of[i];
    if (block == from ? i >= first : c.kernel.dominates(from, block)) after += c.blamed.total_of(i);
  }
  return after < kMinShareAfter * c.blamed.total ? 0 : steps;
}

}  // namespace burin::advise
