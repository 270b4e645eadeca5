#include "coarsen/coarsen.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/format.h"
#include "coarsen/emit.h"
#include "coarsen/flatten.h"
#include "coarsen/plan.h"
#include "read/ptx/parse.h"
#include "read/ptx/print.h"

namespace burin::coarsen {
namespace {

using namespace read::ptx;

Result<const Function*> entry_of(const Module& module, const std::string& kernel) {
  for (const Function* entry : module.entries()) {
    if (entry->name == kernel) return entry;
  }
  return Error{fmt::format("there is no kernel '{}' in the PTX", kernel)};
}

std::string replaced(const Module& module, Span span, std::string text) {
  const Replacement replacement{span, std::move(text)};
  return print(module, std::span(&replacement, 1));
}

// Blocks beyond the end of a grid that does not divide by the factor return at once. Seen by the
// analysis like any other branch that differs between blocks.
std::string with_guard(const Module& module, const Function& kernel, const Coarsening& how,
                       std::uint32_t grid) {
  std::string name = fmt::format("%beyond_{}", "xyz"[how.axis]);
  while (module.text_of(kernel.span).find(name) != std::string_view::npos) name += '_';
  const std::string guard = fmt::format(
      "{{\n\t.reg .u32 {0}0;\n\t.reg .pred {0}1;\n\tmov.u32 {0}0, {1};\n"
      "\tsetp.ge.u32 {0}1, {0}0, {2};\n\t@{0}1 ret;\n",
      name, index_register(how), grid);
  return replaced(module, {kernel.body_span.begin, kernel.body_span.begin + 1}, guard);
}

Result<void> apply(Coarsened& now, const std::string& kernel, const Coarsening& how) {
  Result<Module> module = parse(std::move(now.ptx));
  if (!module) return module.error();
  Result<const Function*> entry = entry_of(*module, kernel);
  if (!entry) return entry.error();
  if (std::optional<std::string> flat = flattened(*module, **entry)) {
    module = parse(std::move(*flat));
    if (!module) return module.error();
    entry = entry_of(*module, kernel);
    if (!entry) return entry.error();
  }
  std::uint32_t& grid = now.launch.grid[how.axis];
  const bool uneven = how.level == Level::kBlock && grid % how.factor != 0;
  if (uneven) {
    now.specialised_grid = true;
    module = parse(with_guard(*module, **entry, how, grid));
    if (!module) return module.error();
    entry = entry_of(*module, kernel);
    if (!entry) return entry.error();
  }
  const Result<std::unique_ptr<Plan>> plan = make_plan(*module, **entry, how, now.launch);
  if (!plan) return plan.error();
  now.ptx = replaced(*module, (*entry)->span, emit(**plan));
  if (how.level == Level::kThread) {
    now.launch.block[how.axis] /= how.factor;
  } else {
    grid = (grid + how.factor - 1) / how.factor;
    if ((*plan)->shared_bytes_per_copy > 0) {
      now.launch.shared_bytes = how.factor * (*plan)->shared_bytes_per_copy;
    }
  }
  return {};
}

}  // namespace

std::string describe(const Coarsening& coarsening) {
  const char axis = "xyz"[coarsening.axis];
  if (coarsening.level == Level::kBlock) return fmt::format("block {}={}", axis, coarsening.factor);
  if (coarsening.stride == 0) return fmt::format("thread {}={}", axis, coarsening.factor);
  return fmt::format("thread {}={}, stride {}", axis, coarsening.factor, coarsening.stride);
}

Result<Coarsened> coarsen(std::string ptx, const std::string& kernel, const LaunchShape& launch,
                          std::span<const Coarsening> coarsenings) {
  Coarsened now{.ptx = std::move(ptx), .launch = launch};
  std::set<std::pair<Level, unsigned>> seen;
  for (const Coarsening& how : coarsenings) {
    if (!seen.emplace(how.level, how.axis).second) {
      return Error{fmt::format("{} is coarsened twice", describe(how)), Exit::kUsage};
    }
    if (how.factor < 2) continue;
    if (Result<void> done = apply(now, kernel, how); !done) {
      return done.error().within(fmt::format("{} cannot be coarsened ({})", kernel, describe(how)));
    }
  }
  return now;
}

}  // namespace burin::coarsen
