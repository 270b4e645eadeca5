#include "advise/case/fewer_accesses.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "advise/case/origin.h"
#include "advise/case/requests.h"

namespace burin::advise {

namespace {

constexpr double kSteps = 8;  // shares are rounded to 1/8, so that there are few edits

// The share of an access's executions that still moves data if wide accesses move the rest.
double moving_share(const Case& c, std::uint32_t access) {
  const timing::InstructionCost& cost = c.study->base().costs[access];
  if (cost.sectors <= 0) return 0;
  if (c.at(access).opcode->stores)
    return std::min(1.0, c.accesses[access].ideal_sectors / std::max(1.0, cost.sectors));
  return std::max(0.0, 1 - cost.l1_hits / cost.sectors);
}

}  // namespace

void share_accesses(const Case& c, const read::InstructionSet& accesses, double once,
                    std::vector<analyze::Edit>& edits) {
  std::map<double, read::InstructionSet> by_share;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (accesses[i] == 0) continue;
    const double moving = c.study == nullptr ? 0 : moving_share(c, i);
    const double left = std::max(once, std::round(moving * kSteps) / kSteps);
    if (left >= 1) continue;
    read::InstructionSet& set = by_share[left];
    set.resize(c.size());
    set[i] = 1;
  }
  for (auto& [left, set] : by_share) {
    edits.push_back(
        {.kind = analyze::Edit::Kind::kShare, .instructions = std::move(set), .value = left});
  }
}

read::InstructionSet index_code(const Case& c) {
  const Origins origins(c.kernel);
  read::InstructionSet set(c.size());
  bool loads = false;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    loads |= touches_global(c.at(i)) && c.at(i).opcode->loads && !read::is_atomic(c.at(i));
  }
  if (!loads) return set;  // without loads, computing with the thread index is the work itself
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const read::Instruction& at = c.at(i);
    const bool memory = touches_global(at) || touches_shared(at);
    set[i] = at.known() && !memory && (origins.of(i) & Origins::kLoaded) == 0 &&
             machine::timing_class(at) != machine::TimingClass::kBarrier &&
             c.places.loop_of(i) == read::kNoIndex;
  }
  return set;
}

}  // namespace burin::advise
