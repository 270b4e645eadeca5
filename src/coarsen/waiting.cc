// Loops that wait for other threads. A copy that waits for one that comes after it would wait for
// ever.
#include <algorithm>
#include <string>

#include "base/format.h"
#include "coarsen/legality.h"

namespace burin::coarsen {
namespace {

using read::Graph;
using read::kNoIndex;
using namespace read::ptx;

// The blocks of the innermost set that a block can leave and come back to; empty: it is in no loop.
std::vector<std::uint32_t> cycle_of(const Flow& flow, const Graph& reverse, std::uint32_t block) {
  const auto reached = [block](const Graph& graph) {
    std::vector<bool> seen(graph.size(), false);
    std::vector<std::uint32_t> work = {block};
    while (!work.empty()) {
      const std::uint32_t from = work.back();
      work.pop_back();
      for (const std::uint32_t to : graph.successors(from)) {
        if (!seen[to]) work.push_back(to);
        seen[to] = true;
      }
    }
    return seen;
  };
  const std::vector<bool> after = reached(flow.graph);
  const std::vector<bool> before = reached(reverse);
  std::vector<std::uint32_t> cycle;
  if (!after[block]) return cycle;
  for (std::uint32_t b = 0; b < flow.body.blocks.size(); ++b) {
    if (after[b] && before[b]) cycle.push_back(b);
  }
  return cycle;
}

class Loop {
 public:
  Loop(const Plan& plan, std::vector<std::uint32_t> blocks)
      : plan_(plan), blocks_(std::move(blocks)) {}

  // Registers that depend on results of an operation of the loop.
  RegisterSet depend_on(std::uint32_t source) const {
    RegisterSet found(plan_.body.registers.size());
    for (const Register r : plan_.body.operations[source].writes) found.insert(r);
    for (bool grew = true; grew;) {
      grew = false;
      visit([&](std::uint32_t i) {
        const Operation& operation = plan_.body.operations[i];
        if (std::ranges::none_of(operation.reads, [&](Register r) { return found.contains(r); })) {
          return;
        }
        for (const Register r : operation.writes) {
          grew = grew || !found.contains(r);
          found.insert(r);
        }
      });
    }
    return found;
  }

  template <typename Visit>
  void visit(Visit visit) const {
    for (const std::uint32_t b : blocks_) {
      const Block& block = plan_.body.blocks[b];
      for (std::uint32_t i = block.first; i < block.end; ++i) visit(i);
    }
  }

 private:
  const Plan& plan_;
  std::vector<std::uint32_t> blocks_;
};

// `atomicCAS` that is tried again with the value found, and counters that only go up: another
// thread may come in between, but none has to.
bool makes_progress(const Plan& plan, std::uint32_t i, const RegisterSet& dependent) {
  const Operation& operation = plan.body.operations[i];
  if (operation.instructions.size() != 1) return false;
  const Instruction& atomic = *operation.instructions.front();
  const std::vector<Operand>& operands = atomic.operands;
  if (atomic.has_modifier("cas") && operands.size() >= 4) {
    for (const NameUse& use : operation.names) {
      if (use.text == operands[2].name && use.number != kNoIndex) {
        return dependent.contains(use.number);
      }
    }
    return false;
  }
  return (atomic.has_modifier("add") || atomic.has_modifier("inc")) && operands.size() >= 3 &&
         operands[2].kind == Operand::Kind::kNumber && plan.module.text_of(operands[2].span) != "0";
}

}  // namespace

Result<void> check_waiting(const Plan& plan) {
  const Treatments watched = bit(Treatment::kAtomic) | bit(Treatment::kFence);
  if (std::ranges::none_of(plan.treatments, [&](Treatments t) { return (t & watched) != 0; })) {
    return {};
  }
  const Graph reverse = plan.flow.graph.reversed();
  for (std::uint32_t b = 0; b < plan.body.blocks.size(); ++b) {
    const Branch& branch = plan.body.blocks[b].branch;
    if (branch.predicate == kNoIndex) continue;
    const Loop loop(plan, cycle_of(plan.flow, reverse, b));
    bool fenced = false;
    loop.visit([&](std::uint32_t i) { fenced = fenced || plan.has(i, bit(Treatment::kFence)); });
    std::string reason;
    loop.visit([&](std::uint32_t i) {
      const bool atomic = plan.has(i, bit(Treatment::kAtomic));
      const bool polled = fenced && plan.has(i, bit(Treatment::kLoad));
      if ((!atomic && !polled) || !reason.empty()) return;
      const RegisterSet dependent = loop.depend_on(i);
      if (!dependent.contains(branch.predicate)) return;
      if (atomic && makes_progress(plan, i, dependent)) return;
      reason = fmt::format(
          "line {}: a loop that waits for another thread: it ends by the result of {}",
          branch.instruction->position.line, plan.body.operations[i].instructions.front()->opcode);
    });
    if (!reason.empty()) return Error{reason};
  }
  return {};
}

}  // namespace burin::coarsen
