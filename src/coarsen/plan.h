// One axis coarsened: what may differ between copies, what is kept once for each of them, and where
// they stay together. Internal to coarsen/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "coarsen/coarsen.h"
#include "read/ptx/divergence.h"

namespace burin::coarsen {

// Bits of the treatments of an operation's instructions.
using Treatments = std::uint32_t;

struct Plan {
  Plan(const read::ptx::Module& of, const read::ptx::Function& kernel, const Coarsening& coarsening,
       const LaunchShape& before, read::ptx::Body made);
  Plan(const Plan&) = delete;  // `flow` refers to `body`

  const read::ptx::Module& module;
  const read::ptx::Function& function;
  Coarsening how;      // with its stride filled in
  LaunchShape launch;  // before
  read::ptx::Body body;
  read::ptx::Flow flow;
  std::vector<Treatments> treatments{};  // per operation
  // The functions that are called, directly or not, and the names of variables, index registers and
  // functions that each uses, directly or not.
  std::map<std::string_view, std::set<std::string_view>> callees{};
  read::ptx::Divergence divergence{};
  read::ptx::RegisterSet replicated{};  // registers of which every copy has its own
  // Branches that may differ and at which the copies stay together if they agree. At the others
  // each copy goes its own way at once.
  std::set<std::uint32_t> merged{};
  // Variables of which every copy has its own, and dynamic shared memory, whose copies lie one
  // after the other.
  std::vector<const read::ptx::Declaration*> variables{};
  std::vector<const read::ptx::Declaration*> dynamic_shared{};
  std::uint32_t shared_bytes_per_copy = 0;
  // The lane of each copy is computed from its index, as its warp is not kept whole.
  bool counts_lanes = false;

  // The code in which the copies of an axis coarsened before go alone. It is rarely executed, so
  // that no attempt is made to stay together in it.
  bool is_cold(std::uint32_t block) const;
  bool has(std::uint32_t operation, std::uint32_t treatments_asked) const {
    return (treatments[operation] & treatments_asked) != 0;
  }
  // Whether an operation, or a function that it calls, uses a name that is no ordinary register.
  template <typename Wanted>
  bool uses(const read::ptx::Operation& operation, Wanted wanted) const {
    return std::ranges::any_of(operation.names, [&](const read::ptx::NameUse& use) {
      if (use.number != read::kNoIndex) return false;
      const auto called = callees.find(use.text);
      return wanted(use.text) ||
             (called != callees.end() && std::ranges::any_of(called->second, wanted));
    });
  }
  // Executed once while the copies are together.
  bool is_shared(std::uint32_t operation) const;
};

// Labels of cold code start with this.
inline constexpr std::string_view kColdLabel = "$Lcold";

inline constexpr std::string_view kLaneId = "%laneid";

// "%tid.x" or "%ctaid.x": what tells the copies apart.
std::string_view index_register(const Coarsening& how);
// "%ntid.x" or "%nctaid.x".
std::string_view extent_register(const Coarsening& how);

// An Error if the kernel cannot be coarsened in this way.
Result<std::unique_ptr<Plan>> make_plan(const read::ptx::Module& module,
                                        const read::ptx::Function& function, const Coarsening& how,
                                        const LaunchShape& launch);

}  // namespace burin::coarsen
