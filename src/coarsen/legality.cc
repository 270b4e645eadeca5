#include "coarsen/legality.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "base/format.h"
#include "read/ptx/roles.h"

namespace burin::coarsen {
namespace {

using read::kNoIndex;
using namespace read::ptx;

Error at_line(Position position, const std::string& reason) {
  return Error{fmt::format("line {}: {}", position.line, reason)};
}

constexpr std::array<std::string_view, 12> kIndexRegisters = {
    "%tid.x",   "%tid.y",   "%tid.z",   "%ntid.x",   "%ntid.y",   "%ntid.z",
    "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"};
constexpr std::array<std::string_view, 6> kLaneRegisters = {
    kLaneId, "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt"};

bool is_special_register(std::string_view name) {
  return name.starts_with('%');
}
bool is_index_register(std::string_view name) {
  return std::ranges::find(kIndexRegisters, name) != kIndexRegisters.end();
}
bool reads_32_bits(const Instruction& instruction) {
  return instruction.opcode.find("32") != std::string_view::npos;
}
bool is_lane_register(std::string_view name) {
  return std::ranges::find(kLaneRegisters, name) != kLaneRegisters.end();
}

bool reads_lane(const Operation& operation) {
  return std::ranges::any_of(operation.names, [](const NameUse& use) {
    return use.number == kNoIndex && is_lane_register(use.text);
  });
}

bool reads_lane_mask(const Operation& operation) {
  return std::ranges::any_of(operation.names, [](const NameUse& use) {
    return use.number == kNoIndex && use.text != kLaneId && is_lane_register(use.text);
  });
}

// The name that a call calls; empty for an indirect one.
std::string_view callee_of(const Instruction& call) {
  for (const Operand& operand : call.operands) {
    if (operand.kind == Operand::Kind::kName) return operand.name;
  }
  return {};
}

// A function may be called once for each copy if it does nothing that must happen once for all of
// them. What it reads of a copy's own things is noted in the plan: emit() makes a function of it
// for each copy.
class Callees {
 public:
  explicit Callees(Plan& plan) : plan_(plan) {}

  // What the called function and those that it calls do.
  Result<Treatments> check(const Instruction& call) {
    const std::string_view name = callee_of(call);
    const Function* function = plan_.module.find_function(name);
    if (function == nullptr || !function->has_body) {
      return at_line(call.position,
                     name.starts_with('%') || name.empty()
                         ? "an indirect call"
                         : fmt::format("it calls {}, whose code is elsewhere", name));
    }
    const auto [known, first] = done_by_.try_emplace(name);
    if (!first) {
      if (known->second) return *known->second;
      return at_line(call.position, fmt::format("the function {} calls itself", name));
    }
    plan_.callees.emplace(name, std::set<std::string_view>{});
    Treatments all = 0;
    bool branches = false;
    for (const Statement& statement : function->body) {
      const auto* instruction = std::get_if<Instruction>(&statement);
      if (instruction == nullptr) continue;
      const Result<Treatment> treatment = treatment_of(*instruction);
      if (!treatment) return treatment.error();
      all |= bit(*treatment);
      branches = branches || instruction->base() == "bra";
      if (*treatment == Treatment::kCall) {
        const Result<Treatments> inner = check(*instruction);
        if (!inner) return inner;
        all |= *inner;
      }
      if (*treatment == Treatment::kBarrier || *treatment == Treatment::kWarp) {
        return at_line(instruction->position,
                       fmt::format("{} in the function {}", instruction->opcode, name));
      }
      if (Result<void> fine = note_names(*instruction, *function); !fine) return fine.error();
    }
    if (branches && (all & (bit(Treatment::kAtomic) | bit(Treatment::kFence))) != 0) {
      return at_line(call.position,
                     fmt::format("it calls {}, which has branches and atomic operations "
                                 "or fences: it may wait for another thread",
                                 name));
    }
    done_by_[name] = all;
    return all;
  }

  // Each function also uses what those that it calls use.
  void close() {
    for (bool grew = true; grew;) {
      grew = false;
      for (auto& [function, names] : plan_.callees) {
        for (const auto& [other, used] : plan_.callees) {
          if (!names.contains(other)) continue;
          const std::size_t before = names.size();
          names.insert(used.begin(), used.end());
          grew = grew || names.size() > before;
        }
      }
    }
  }

 private:
  static bool declares(const Function& function, std::string_view name) {
    const std::string_view group = name.substr(0, name.find_last_not_of("0123456789") + 1);
    return std::ranges::any_of(function.body, [&](const Statement& statement) {
      const auto* declaration = std::get_if<Declaration>(&statement);
      return declaration != nullptr &&
             declaration->name == (declaration->count ? group : name.substr(0, name.find('.')));
    });
  }

  Result<void> note_names(const Instruction& instruction, const Function& function) {
    std::set<std::string_view>& names = plan_.callees[function.name];
    Result<void> fine;
    visit_names(instruction, [&](const Operand& operand, bool) {
      const std::string_view name = operand.name;
      if (names.contains(name) || declares(function, name)) return;
      if (!is_special_register(name) || is_index_register(name)) {
        names.insert(name);
        if (!is_special_register(name) || reads_32_bits(instruction)) return;
      }
      if (fine) {
        fine = at_line(
            instruction.position,
            fmt::format("{} in the function {}, which is not inlined", name, function.name));
      }
    });
    return fine;
  }

  Plan& plan_;
  // What each function does that was looked at; nothing as long as that goes on.
  std::map<std::string_view, std::optional<Treatments>> done_by_;
};

std::vector<std::uint32_t> operations_of_blocks(const Body& body,
                                                const std::vector<std::uint32_t>& blocks) {
  std::vector<std::uint32_t> operations;
  for (const std::uint32_t b : blocks) {
    for (std::uint32_t i = body.blocks[b].first; i < body.blocks[b].end; ++i) {
      operations.push_back(i);
    }
  }
  return operations;
}

}  // namespace

Result<void> check_operations(Plan& plan) {
  plan.treatments.assign(plan.body.operations.size(), 0);
  Callees callees(plan);
  for (std::uint32_t i = 0; i < plan.body.operations.size(); ++i) {
    const Operation& operation = plan.body.operations[i];
    for (const Instruction* instruction : operation.instructions) {
      const Result<Treatment> treatment = treatment_of(*instruction);
      if (!treatment) return treatment.error();
      plan.treatments[i] |= bit(*treatment);
      if (*treatment != Treatment::kCall) continue;
      const Result<Treatments> inside = callees.check(*instruction);
      if (!inside) return inside.error();
      plan.treatments[i] |= *inside & (bit(Treatment::kAtomic) | bit(Treatment::kFence));
    }
    for (const NameUse& use : operation.names) {
      if (use.number != kNoIndex || !is_special_register(use.text)) continue;
      if (is_index_register(use.text)) {
        if (!reads_32_bits(*operation.instructions.front())) {
          return at_line(operation.position,
                         fmt::format("{} is read with another type than 32 bits", use.text));
        }
      } else if (!is_lane_register(use.text)) {
        return at_line(
            operation.position,
            fmt::format("{} depends on how the kernel is launched or scheduled", use.text));
      }
    }
    if (plan.has(i, bit(Treatment::kBarrier)) && operation.instructions.size() > 1) {
      return at_line(operation.position, "a barrier within inline assembly");
    }
  }
  callees.close();
  return {};
}

bool keeps_warps_whole(const Coarsening& how, const LaunchShape& launch) {
  if (how.level == Level::kBlock) return true;
  std::array<std::uint32_t, 3> block = launch.block;
  block[how.axis] /= how.factor;
  const auto original = [&](std::uint32_t thread, std::uint32_t copy) {
    std::array<std::uint32_t, 3> id = {thread % block[0], thread / block[0] % block[1],
                                       thread / block[0] / block[1]};
    const std::uint32_t t = id[how.axis];
    id[how.axis] = t / how.stride * how.factor * how.stride + t % how.stride + copy * how.stride;
    return id[0] + launch.block[0] * (id[1] + launch.block[1] * id[2]);
  };
  for (std::uint32_t thread = 0; thread < block[0] * block[1] * block[2]; ++thread) {
    const std::uint32_t lane = thread % 32;
    for (std::uint32_t k = 0; k < how.factor; ++k) {
      const std::uint32_t first = original(thread - lane, k);
      if (first % 32 != 0 || original(thread, k) != first + lane) return false;
    }
  }
  return true;
}

Result<void> check_warps(Plan& plan) {
  if (keeps_warps_whole(plan.how, plan.launch)) return {};
  for (std::uint32_t i = 0; i < plan.body.operations.size(); ++i) {
    const Operation& operation = plan.body.operations[i];
    if (plan.has(i, bit(Treatment::kWarp)) || reads_lane_mask(operation)) {
      return at_line(
          operation.position,
          fmt::format("{} works on whole warps, and a copy of a warp would not be one; a "
                      "stride that is a multiple of 32 keeps warps whole where it "
                      "divides the new block size",
                      operation.instructions.front()->opcode));
    }
    // Where nothing is exchanged, the lane is a mere number.
    plan.counts_lanes = plan.counts_lanes || reads_lane(operation);
  }
  return {};
}

Result<void> check_barriers(const Plan& plan) {
  const auto barrier_in = [&](const std::vector<std::uint32_t>& region) -> const Operation* {
    for (const std::uint32_t i : operations_of_blocks(plan.body, region)) {
      if (plan.has(i, bit(Treatment::kBarrier))) return &plan.body.operations[i];
    }
    return nullptr;
  };
  const auto refuse = [&](const Operation& barrier, std::uint32_t block) {
    return at_line(barrier.position,
                   fmt::format("{} in flow that diverges between the threads of a block, at the "
                               "branch in line {}",
                               barrier.instructions.front()->opcode,
                               plan.body.blocks[block].branch.instruction->position.line));
  };
  for (std::uint32_t i = 0; i < plan.body.operations.size(); ++i) {
    if (plan.has(i, bit(Treatment::kBarrier)) && plan.divergence.operations[i]) {
      return at_line(plan.body.operations[i].position,
                     "a barrier whose number differs between threads");
    }
  }
  if (plan.how.level == Level::kThread) {
    for (const auto& [block, region] : plan.divergence.branches) {
      if (const Operation* barrier = barrier_in(region)) return refuse(*barrier, block);
    }
    return {};
  }
  // Copies of a block may reach a barrier one after the other, provided that all threads do.
  std::vector<std::uint32_t> all(plan.body.blocks.size());
  for (std::uint32_t b = 0; b < all.size(); ++b) all[b] = b;
  if (barrier_in(all) == nullptr) return {};
  std::uint32_t index = 0;
  const Divergence threads = find_divergence(plan.flow, [&](const Operation& operation) {
    return plan.has(index++, bit(Treatment::kAtomic)) || reads_lane(operation) ||
           plan.uses(operation, [](std::string_view name) { return name.starts_with("%tid."); });
  });
  for (const auto& [block, region] : threads.branches) {
    if (const Operation* barrier = barrier_in(region)) return refuse(*barrier, block);
  }
  return {};
}

}  // namespace burin::coarsen
