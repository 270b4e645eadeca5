#include "coarsen/plan.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/format.h"
#include "coarsen/legality.h"

namespace burin::coarsen {
namespace {

using read::kNoIndex;
using namespace read::ptx;

constexpr std::string_view kAxes = "xyz";

// Each copy of a thread has its own local memory, each copy of a block also its own shared memory.
void find_variables(Plan& plan) {
  std::unordered_map<std::string_view, const Declaration*> known;
  const auto note = [&](const Declaration& declaration) {
    if (declaration.space == "local" ||
        (declaration.space == "shared" && plan.how.level == Level::kBlock)) {
      known.emplace(declaration.name, &declaration);
    }
  };
  for (const Item& item : plan.module.items) {
    if (const auto* declaration = std::get_if<Declaration>(&item)) note(*declaration);
  }
  for (const Declaration* declaration : plan.body.declarations) note(*declaration);
  std::set<const Declaration*> used;
  for (const Operation& operation : plan.body.operations) {
    static_cast<void>(plan.uses(operation, [&](std::string_view name) {
      const auto found = known.find(name);
      if (found != known.end() && used.insert(found->second).second) {
        (found->second->bytes ? plan.variables : plan.dynamic_shared).push_back(found->second);
      }
      return false;
    }));
  }
  if (plan.dynamic_shared.empty()) return;
  std::uint32_t alignment = 16;
  for (const Declaration* declaration : plan.dynamic_shared) {
    alignment = std::max(alignment, declaration->alignment);
  }
  plan.shared_bytes_per_copy = (plan.launch.shared_bytes + alignment - 1) / alignment * alignment;
}

void find_differences(Plan& plan) {
  std::set<std::string_view> sources = {index_register(plan.how)};
  if (plan.counts_lanes) sources.insert(kLaneId);
  for (const Declaration* variable : plan.variables) sources.insert(variable->name);
  for (const Declaration* variable : plan.dynamic_shared) sources.insert(variable->name);
  std::uint32_t index = 0;
  plan.divergence = find_divergence(plan.flow, [&](const Operation& operation) {
    return plan.has(index++, bit(Treatment::kAtomic)) ||
           plan.uses(operation, [&](std::string_view name) { return sources.contains(name); });
  });
  // A register that a copy changes on its way alone must still hold the old value when the next
  // copy starts.
  plan.replicated = plan.divergence.registers;
  for (const auto& [block, region] : plan.divergence.branches) {
    plan.replicated.insert_common(written_in(plan.body, region), plan.flow.live_out[block]);
  }
  // What is done for each copy must not be done several times to a register that they share: an
  // operation that writes several registers, such as inline assembly, has none or all replicated.
  for (bool grew = true; grew;) {
    grew = false;
    for (const Operation& operation : plan.body.operations) {
      const auto is_replicated = [&](Register r) { return plan.replicated.contains(r); };
      if (std::ranges::none_of(operation.writes, is_replicated)) continue;
      for (const Register r : operation.writes) {
        grew = grew || !is_replicated(r);
        plan.replicated.insert(r);
      }
    }
  }
}

// Registers that depend on what a copy loads. A branch on them is taken by some lanes of a warp and
// not by others: merging would only add a third way.
RegisterSet data_dependent(const Plan& plan) {
  RegisterSet found(plan.body.registers.size());
  for (bool grew = true; grew;) {
    grew = false;
    for (std::uint32_t i = 0; i < plan.body.operations.size(); ++i) {
      const Operation& operation = plan.body.operations[i];
      const bool loads =
          plan.divergence.operations[i] &&
          plan.has(i, bit(Treatment::kLoad) | bit(Treatment::kAtomic) | bit(Treatment::kCall));
      if (!loads &&
          std::ranges::none_of(operation.reads, [&](Register r) { return found.contains(r); })) {
        continue;
      }
      for (const Register r : operation.writes) {
        grew = grew || !found.contains(r);
        found.insert(r);
      }
    }
  }
  return found;
}

// In total, the operations that merging at a branch may add to those that the kernel has.
constexpr std::size_t kMaxAddedOperations = 200'000;

void choose_merged(Plan& plan) {
  const RegisterSet data = data_dependent(plan);
  std::size_t added = 0;
  for (const auto& [block, region] : plan.divergence.branches) {
    if (data.contains(plan.body.blocks[block].branch.predicate) || plan.is_cold(block)) continue;
    std::size_t operations = 0;
    // The lanes of a warp would exchange values from two places in the code.
    bool exchanges = false;
    for (const std::uint32_t b : region) {
      for (std::uint32_t i = plan.body.blocks[b].first; i < plan.body.blocks[b].end; ++i) {
        ++operations;
        exchanges = exchanges || plan.has(i, bit(Treatment::kWarp));
      }
    }
    added += operations * plan.how.factor;
    if (!exchanges && added <= kMaxAddedOperations) plan.merged.insert(block);
  }
}

Result<void> check_launch(const Coarsening& how, const LaunchShape& launch,
                          const Function& function) {
  const char axis = kAxes[how.axis];
  for (const Attribute& attribute : function.attributes) {
    if (attribute.word == "explicitcluster" || attribute.word == "reqnctapercluster" ||
        attribute.word == "blocksareclusters" || attribute.word == "maxclusterrank") {
      return Error{fmt::format("it is launched in clusters of blocks (.{})", attribute.word)};
    }
    if (attribute.word != "reqntid") continue;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::uint64_t needed = a < attribute.values.size() ? attribute.values[a] : 1;
      if (needed != launch.block[a]) {
        return Error{fmt::format("it requires blocks of {} threads in {} (.reqntid), not {}",
                                 needed, kAxes[a], launch.block[a])};
      }
    }
  }
  if (how.level == Level::kBlock) return {};
  const std::uint32_t size = launch.block[how.axis];
  if (size % how.factor != 0) {
    return Error{
        fmt::format("blocks of {} threads in {} cannot be divided by {}", size, axis, how.factor)};
  }
  if (size / how.factor % how.stride != 0) {
    return Error{fmt::format("a stride of {} does not divide the {} threads that blocks keep in {}",
                             how.stride, size / how.factor, axis)};
  }
  return {};
}

}  // namespace

Plan::Plan(const Module& of, const Function& kernel, const Coarsening& coarsening,
           const LaunchShape& before, Body made)
    : module(of),
      function(kernel),
      how(coarsening),
      launch(before),
      body(std::move(made)),
      flow(body) {}

bool Plan::is_cold(std::uint32_t block) const {
  return block < body.blocks.size() && body.blocks[block].label.starts_with(kColdLabel);
}

bool Plan::is_shared(std::uint32_t operation) const {
  return !divergence.operations[operation] &&
         std::ranges::none_of(body.operations[operation].writes,
                              [&](Register r) { return replicated.contains(r); });
}

std::string_view index_register(const Coarsening& how) {
  constexpr std::array<std::string_view, 3> kThread = {"%tid.x", "%tid.y", "%tid.z"};
  constexpr std::array<std::string_view, 3> kBlock = {"%ctaid.x", "%ctaid.y", "%ctaid.z"};
  return how.level == Level::kThread ? kThread[how.axis] : kBlock[how.axis];
}

std::string_view extent_register(const Coarsening& how) {
  constexpr std::array<std::string_view, 3> kThread = {"%ntid.x", "%ntid.y", "%ntid.z"};
  constexpr std::array<std::string_view, 3> kBlock = {"%nctaid.x", "%nctaid.y", "%nctaid.z"};
  return how.level == Level::kThread ? kThread[how.axis] : kBlock[how.axis];
}

Result<std::unique_ptr<Plan>> make_plan(const Module& module, const Function& function,
                                        const Coarsening& asked, const LaunchShape& launch) {
  Coarsening how = asked;
  if (how.stride == 0) how.stride = std::max(1u, launch.block[how.axis] / how.factor);
  if (Result<void> fine = check_launch(how, launch, function); !fine) return fine.error();
  Result<Body> body = build_body(module, function);
  if (!body) return body.error();
  auto plan = std::make_unique<Plan>(module, function, how, launch, std::move(*body));
  for (const std::uint32_t b : plan->flow.order) {
    if (b != plan->body.exit() && plan->flow.post_dominator[b] == kNoIndex) {
      return Error{"it has a loop without an end"};
    }
  }
  if (Result<void> fine = check_operations(*plan); !fine) return fine.error();
  if (Result<void> fine = check_warps(*plan); !fine) return fine.error();
  find_variables(*plan);
  find_differences(*plan);
  if (Result<void> fine = check_barriers(*plan); !fine) return fine.error();
  if (Result<void> fine = check_waiting(*plan); !fine) return fine.error();
  choose_merged(*plan);
  return plan;
}

}  // namespace burin::coarsen
