#include "advise/patterns/code/guarded_code.h"

#include <algorithm>

#include "advise/case/origin.h"
#include "read/isa/traits.h"
#include "timing/code/timed_code.h"

namespace burin::advise {

namespace {

// Whether lanes that do not need the instruction can execute it: it stores nothing, and a load
// does not take its index from loaded data, which the branch may guard.
bool is_harmless(const Case& c, const Origins& origins, std::uint32_t instruction) {
  const read::Instruction& at = c.at(instruction);
  if (at.opcode->stores || read::is_atomic(at)) return false;
  return !at.opcode->loads || (origins.of_address(instruction) & Origins::kLoaded) == 0;
}

}  // namespace

std::optional<GuardedCode> guarded_code(const Case& c, const std::vector<LaneMean>& lanes,
                                        const std::vector<double>& wasted, const Split& split) {
  if (split.branch == read::kNoIndex || split.loop != read::kNoIndex) return std::nullopt;
  const Origins origins(c.kernel);
  if ((origins.of(split.branch) & Origins::kMemory) == 0) return std::nullopt;
  const std::uint32_t loop = c.places.loop_of(split.branch);
  GuardedCode code;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (wasted[i] <= 0 || !c.at(i).known()) continue;
    const std::uint32_t of = splitting_branch(c, lanes, i);
    if (of == read::kNoIndex || c.places.loop_of(of) != loop) continue;
    const bool inside = loop == read::kNoIndex || c.places.in_loop(i, loop);
    if (inside && (c.places.loop_of(i) != loop || !is_harmless(c, origins, i))) return std::nullopt;
    code.branches.insert(of);
    code.body[i] = of;
  }
  return code;
}

double executed_by_all_us(const Case& c, const GuardedCode& code) {
  const std::vector<timing::TimedOp> ops = timing::timed_code(c.kernel, c.machine);
  const std::vector<timing::InstructionCost>& costs = c.study->base().costs;
  std::map<machine::Resource, double> cycles;
  for (const auto& [i, branch] : code.body) {
    const double more = std::max(0.0, costs[branch].issued - costs[i].issued);
    cycles[machine::Resource::kIssue] += more;
    if (ops[i].resource != machine::Resource::kIssue) cycles[ops[i].resource] += more * ops[i].gap;
  }
  std::set<std::uint32_t> results;
  for (const read::Dependence& d : c.kernel.dependences) {
    const auto producer = code.body.find(d.producer);
    const bool leaves = d.kind == read::Dependence::Kind::kRegister &&
                        producer != code.body.end() && !code.body.contains(d.consumer);
    if (leaves && results.insert(d.producer).second)
      cycles[machine::Resource::kIssue] += costs[producer->second].issued;
  }
  double most = 0;
  for (const auto& [unit, of_unit] : cycles) most = std::max(most, of_unit);
  return c.machine.seconds(most / c.machine.sm.schedulers / c.machine.sm.count) * 1e6;
}

}  // namespace burin::advise
