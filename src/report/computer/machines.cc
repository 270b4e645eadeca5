#include "report/computer/machines.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "machine/entries.h"

namespace burin::report {
namespace {

constexpr std::string_view kNone = "-";

// Sizes with a human-readable unit in the value.
bool is_size(const machine::MachineEntry& entry) {
  return entry.unit == "bytes";
}

std::string bytes(double size) {
  return human_bytes(static_cast<std::uint64_t>(size));
}

std::string value_text(const machine::Machine& machine, const machine::MachineEntry& entry) {
  if (!machine.origins.contains(entry.name)) return std::string(kNone);
  const double value = entry.in(machine);
  return is_size(entry) ? bytes(value) : fmt::format("{:.6g}", value);
}

std::string_view unit_text(const machine::MachineEntry& entry) {
  return is_size(entry) ? "" : entry.unit;
}

// "l1" of "l1.latency": groups are separated by a blank line.
std::string_view group_of(const machine::MachineEntry& entry) {
  const std::string_view name = entry.name;
  return name.substr(0, name.find('.'));
}

std::size_t name_width() {
  return std::ranges::max(machine::machine_entries(), {},
                          [](const machine::MachineEntry& entry) { return entry.name.size(); })
      .name.size();
}

std::size_t unit_width() {
  return std::ranges::max(
             machine::machine_entries(), {},
             [](const machine::MachineEntry& entry) { return unit_text(entry).size(); })
      .unit.size();
}

// Values of this GPU itself: neither copied from another machine nor seed values.
std::size_t own_numbers(const machine::Machine& machine) {
  return static_cast<std::size_t>(std::ranges::count_if(machine.origins, [&](const auto& entry) {
    const std::string& source = machine.sources.at(entry.second.source);
    return !source.starts_with("taken from ") && !source.starts_with("seed: ");
  }));
}

}  // namespace

void write_machine_list(Output& out, std::span<const machine::Machine> machines) {
  std::size_t width = std::string_view("machine").size();
  for (const machine::Machine& m : machines) width = std::max(width, m.name.size());
  out.put(Style::kBold, Left{"machine", width},
          "  arch    SMs     clock       L2     memory  bandwidth   own values  title\n",
          Style::kPlain);
  for (const machine::Machine& m : machines) {
    const double gigabytes = m.dram.bandwidth * m.sm.clock_mhz * 1e6 / 1e9;
    out.put(Left{m.name, width}, "  ", Left{read::to_string(m.arch), 6},
            Right{fmt::format("{}", m.sm.count), 5},
            Right{fmt::format("{:.0f} MHz", m.sm.clock_mhz), 10}, Right{bytes(m.l2.size), 9},
            Right{bytes(m.dram.size), 11}, Right{fmt::format("{:.0f} GB/s", gigabytes), 11},
            Right{fmt::format("{} of {}", own_numbers(m), m.origins.size()), 13}, "  ", m.title,
            '\n');
  }
}

void write_machine_entries(Output& out, const machine::Machine& machine) {
  std::vector<std::string> carve_outs;
  for (const double size : machine.limit.carve_outs) carve_outs.push_back(bytes(size));
  out.put(machine.name, ": ", machine.title, ", ", read::to_string(machine.arch),
          machine.base.empty() ? "" : ", a variant of ", machine.base, '\n', "issue policy ",
          machine::name(machine.issue.policy), "; shared memory carve-outs ",
          list_of(carve_outs, carve_outs.size()), "\n\n");
  std::size_t source_width = 6;
  for (const auto& [key, sentence] : machine.sources)
    source_width = std::max(source_width, key.size());
  out.put(Style::kBold, Left{"entry", name_width()}, "       value  ", Left{"unit", unit_width()},
          "  spread  ", Left{"source", source_width}, "  meaning\n", Style::kPlain);
  std::string_view group;
  for (const machine::MachineEntry& entry : machine::machine_entries()) {
    const auto origin = machine.origins.find(entry.name);
    if (origin == machine.origins.end()) continue;
    if (!group.empty() && group != group_of(entry)) out.put('\n');
    group = group_of(entry);
    const double spread = origin->second.spread;
    out.put(Left{entry.name, name_width()}, Right{value_text(machine, entry), 12}, "  ",
            Left{unit_text(entry), unit_width()},
            Right{spread == 0 ? "" : fmt::format("{:.1f} %", 100 * spread), 8}, "  ",
            Left{origin->second.source, source_width}, "  ", entry.meaning, '\n');
  }
  out.put('\n', Style::kBold, "sources\n", Style::kPlain);
  for (const auto& [key, sentence] : machine.sources)
    out.put(Left{key, source_width}, "  ", sentence, '\n');
}

void write_machine_comparison(Output& out, std::span<const machine::Machine> machines) {
  constexpr std::size_t kValueColumn = 12;
  const machine::Machine& first = machines.front();
  std::vector<std::string> ratios;
  for (const machine::Machine& machine : machines.subspan(1))
    ratios.push_back(machine.name + "/" + first.name);
  out.put(Style::kBold, Left{"entry", name_width()}, "  ", Left{"unit", unit_width()});
  for (std::size_t i = 0; i < machines.size(); ++i) {
    out.put(Right{machines[i].name, kValueColumn});
    if (i > 0) out.put("  ", Right{ratios[i - 1], kValueColumn});
  }
  out.put('\n', Style::kPlain);
  std::string_view group;
  for (const machine::MachineEntry& entry : machine::machine_entries()) {
    if (std::ranges::none_of(
            machines, [&](const machine::Machine& m) { return m.origins.contains(entry.name); })) {
      continue;
    }
    if (!group.empty() && group != group_of(entry)) out.put('\n');
    group = group_of(entry);
    out.put(Left{entry.name, name_width()}, "  ", Left{unit_text(entry), unit_width()});
    for (std::size_t i = 0; i < machines.size(); ++i) {
      out.put(Right{value_text(machines[i], entry), kValueColumn});
      if (i == 0) continue;
      const bool both =
          first.origins.contains(entry.name) && machines[i].origins.contains(entry.name);
      const double ratio = entry.in(machines[i]) / entry.in(first);
      const std::size_t width = std::max(kValueColumn, ratios[i - 1].size());
      out.put("  ", Right{both && entry.in(first) != 0 ? fmt::format("{:.2f}", ratio)
                                                       : std::string(kNone),
                          width});
    }
    out.put('\n');
  }
}

}  // namespace burin::report
