#include "advise/patterns/mapping/search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/mapping/strided_loops.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr unsigned kMinSteps = 4;  // of an unrolled search

using Consumers = std::vector<std::vector<const read::Dependence*>>;

Consumers consumers_by_register(const read::Kernel& kernel) {
  Consumers consumers(kernel.instructions.size());
  for (const read::Dependence& d : kernel.dependences) {
    if (d.kind == read::Dependence::Kind::kRegister) consumers[d.producer].push_back(&d);
  }
  return consumers;
}

// Whether the load's value reaches the load's own address within the loop, optionally also through
// conditions.
bool leads_itself(const Case& c, const Consumers& consumers, std::uint32_t load, std::uint32_t loop,
                  bool by_conditions) {
  std::vector<std::uint32_t> open{load};
  read::InstructionSet seen(c.size());
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const read::Dependence* d : consumers[at]) {
      if (d->consumer == load && read::feeds_address(c.at(load), *d)) return true;
      const bool condition = d->file == read::RegisterFile::kPredicate;
      if ((condition && !by_conditions) || seen[d->consumer] != 0) continue;
      // Values of another load belong to another search.
      if (d->consumer == load || !c.places.in_loop(d->consumer, loop)) continue;
      seen[d->consumer] = 1;
      open.push_back(d->consumer);
    }
  }
  return false;
}

// The loads of the same array whose values lead to the load's address.
std::vector<std::uint32_t> loads_before(const Case& c, const Origins& origins, std::uint32_t load) {
  const std::set<std::uint32_t> array = origins.address_parameters(load);
  std::vector<std::uint32_t> found;
  std::vector<std::uint32_t> open;
  read::InstructionSet seen(c.size());
  const auto visit = [&](const read::Dependence& d) {
    if (d.kind != read::Dependence::Kind::kRegister || seen[d.producer] != 0) return;
    seen[d.producer] = 1;
    if (!touches_global(c.at(d.producer))) {
      open.push_back(d.producer);
    } else if (origins.address_parameters(d.producer) == array) {
      found.push_back(d.producer);
    }
  };
  for (const read::Dependence& d : c.kernel.dependences_of(load)) {
    if (read::feeds_address(c.at(load), d)) visit(d);
  }
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const read::Dependence& d : c.kernel.dependences_of(at)) visit(d);
  }
  return found;
}

// Loads outside of loops that are the steps of an unrolled search.
void add_unrolled(const Case& c, read::InstructionSet& loads) {
  const Origins origins(c.kernel);
  std::vector<unsigned> steps(c.size());  // loads on the way to this one, and itself
  std::map<std::set<std::uint32_t>, unsigned> most;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool load = touches_global(c.at(i)) && !c.at(i).opcode->stores && c.executed(i);
    if (!load || c.places.loop_of(i) != read::kNoIndex) continue;
    for (const std::uint32_t before : loads_before(c, origins, i))
      steps[i] = std::max(steps[i], before < i ? steps[before] : 0);
    unsigned& of_array = most[origins.address_parameters(i)];
    of_array = std::max(of_array, ++steps[i]);
  }
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (steps[i] > 0 && most[origins.address_parameters(i)] >= kMinSteps) loads[i] = 1;
  }
}

}  // namespace

Searches::Searches(const Case& c) : loads(c.size()) {
  add_unrolled(c, loads);
  const Consumers consumers = consumers_by_register(c.kernel);
  double most = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const std::uint32_t loop = c.places.loop_of(i);
    const bool load = touches_global(c.at(i)) && !c.at(i).opcode->stores && c.executed(i);
    if (!load || loop == read::kNoIndex || !leads_itself(c, consumers, i, loop, true)) continue;
    loads[i] = 1;
    if (c.accesses.empty() || c.accesses[i].sectors <= most) continue;
    if (leads_itself(c, consumers, i, loop, false)) continue;  // a list
    most = c.accesses[i].sectors;
    halving_ = i;
  }
}

unsigned levels_in(unsigned element_bytes, double bytes) {
  return static_cast<unsigned>(std::log2(std::max(1.0, bytes / element_bytes)));
}

double sectors_of_levels(const Case& c, std::uint32_t load, unsigned levels) {
  const timing::BlockTrace& trace = c.study->traced().reference;
  const double rounds = rounds_of(c, c.kernel.loops[c.places.loop_of(load)]);
  const auto steps = static_cast<std::uint64_t>(std::max(1.0, std::round(rounds)));
  double all = 0;
  double first = 0;
  for (const auto& warp : trace.warps) {
    std::uint64_t step_of_search = 0;
    for (const timing::TraceStep& step : warp) {
      if (step.instruction != load || step.request == timing::kNoRequest) continue;
      double sectors = 0;
      for (const timing::LineUse& use : trace.lines_of(trace.requests[step.request]))
        sectors += std::popcount(use.sectors());
      all += sectors;
      first += step_of_search++ % steps < levels ? sectors : 0;
    }
  }
  return all > 0 ? first / all : 0;
}

}  // namespace burin::advise
