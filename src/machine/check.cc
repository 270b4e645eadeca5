#include "machine/check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/format.h"
#include "base/text.h"
#include "machine/entries.h"

namespace burin::machine {
namespace {

// What must hold between two entries.
struct Relation {
  std::string_view left;
  enum Kind : std::uint8_t { kLess, kAtMost, kMultipleOf } kind;
  std::string_view right;
};
constexpr Relation kRelations[] = {
    {"l1.latency", Relation::kLess, "l2.latency"},
    {"l2.latency", Relation::kLess, "dram.latency"},
    {"shared.latency", Relation::kLess, "l2.latency"},
    {"l1.size", Relation::kLess, "l2.size"},
    {"l2.size", Relation::kLess, "dram.size"},
    {"dram.bandwidth", Relation::kAtMost, "l2.bandwidth"},
    {"limit.shared", Relation::kAtMost, "l1.size"},
    {"limit.shared_per_block", Relation::kAtMost, "limit.shared"},
    {"limit.blocks", Relation::kAtMost, "limit.warps"},
    {"limit.warps", Relation::kMultipleOf, "sm.schedulers"},
    {"limit.registers", Relation::kMultipleOf, "limit.register_granule"},
    {"limit.registers_per_block", Relation::kAtMost, "limit.registers"},
    {"limit.shared", Relation::kMultipleOf, "limit.shared_granule"},
    {"l2.slice_stretch", Relation::kMultipleOf, "l2.slice_interleave"},
    {"l2.max_partial", Relation::kAtMost, "l2.max_dirty"},
    {"fetch.l0", Relation::kAtMost, "fetch.l1"},
    {"constant.miss_latency", Relation::kAtMost, "constant.cold_latency"},
};

struct Words {
  std::string_view must_be;
  bool (*holds)(double left, double right);
};
// In the order of Relation::Kind.
constexpr Words kWords[] = {
    {"less than", [](double left, double right) { return left < right; }},
    {"at most", [](double left, double right) { return left <= right; }},
    {"a multiple of", [](double left, double right) { return std::fmod(left, right) == 0; }},
};

// TMA, clusters and warpgroup products came with Hopper; no machine of an architecture that has
// them may leave their entries out.
bool needed(const MachineEntry& entry, read::Architecture arch) {
  return entry.required || arch.sm == 90;
}

bool has(const Machine& machine, std::string_view name) {
  return machine.origins.contains(name);
}

double value_of(const Machine& machine, std::string_view name) {
  const auto entries = machine_entries();
  const auto found =
      std::ranges::find_if(entries, [&](const MachineEntry& entry) { return entry.name == name; });
  return found->in(machine);
}

void check_carve_outs(const Machine& machine, MachineCheck& found) {
  const std::vector<double>& sizes = machine.limit.carve_outs;
  if (sizes.empty()) {
    found.missing.emplace_back("carve_outs");
    return;
  }
  if (!std::ranges::is_sorted(sizes) || sizes.front() < 0)
    found.inconsistent.emplace_back("carve_outs must be sorted and start at 0 or above");
  if (has(machine, "limit.shared") && sizes.back() != machine.limit.shared) {
    found.inconsistent.push_back(
        fmt::format("the largest carve-out ({}) must equal limit.shared ({})", sizes.back(),
                    machine.limit.shared));
  }
}

}  // namespace

bool MachineCheck::ok() const {
  return missing.empty() && unknown.empty() && absurd.empty() && inconsistent.empty();
}

std::string MachineCheck::sentence() const {
  constexpr std::size_t kMax = 5;
  if (!missing.empty()) {
    return fmt::format(
        "{} missing: {}",
        missing.size() == 1 ? "1 entry is" : fmt::format("{} entries are", missing.size()),
        list_of(missing, kMax));
  }
  if (!unknown.empty()) return fmt::format("unknown entry {}", list_of(unknown, kMax));
  if (!absurd.empty()) return list_of(absurd, kMax);
  return list_of(inconsistent, kMax);
}

MachineCheck check_machine(const Machine& machine) {
  MachineCheck found;
  std::vector<std::string> names;
  for (const MachineEntry& entry : machine_entries()) {
    names.push_back(entry.name);
    const double value = entry.in(machine);
    if (!has(machine, entry.name)) {
      if (needed(entry, machine.arch)) found.missing.push_back(entry.name);
    } else if (!(value >= entry.least && value <= entry.most)) {
      found.absurd.push_back(fmt::format("{} is {}{}{}; plausible values are {} to {}", entry.name,
                                         value, entry.unit.empty() ? "" : " ", entry.unit,
                                         entry.least, entry.most));
    }
  }
  std::ranges::sort(names);
  for (const auto& [name, origin] : machine.origins) {
    if (!std::ranges::binary_search(names, name)) found.unknown.push_back(name);
  }
  check_carve_outs(machine, found);
  for (const Relation& relation : kRelations) {
    if (!has(machine, relation.left) || !has(machine, relation.right)) continue;
    const double left = value_of(machine, relation.left);
    const double right = value_of(machine, relation.right);
    const Words& words = kWords[relation.kind];
    if (words.holds(left, right)) continue;
    found.inconsistent.push_back(fmt::format("{} ({}) must be {} {} ({})", relation.left, left,
                                             words.must_be, relation.right, right));
  }
  return found;
}

}  // namespace burin::machine
