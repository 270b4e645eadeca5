#include "analyze/what_if.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "analyze/study/change.h"
#include "base/format.h"
#include "base/text.h"
#include "launch/number.h"
#include "launch/options.h"
#include "machine/entries.h"
#include "machine/load.h"
#include "read/compatibility.h"
#include "timing/result/kernel_needs.h"

namespace burin::analyze {

namespace {

constexpr double kMaxFactor = 1000;
constexpr std::uint64_t kMaxRegisters = 255;  // per thread, on every architecture

const machine::MachineEntry* find_entry(std::string_view name) {
  const auto entries = machine::machine_entries();
  const auto found = std::ranges::find(entries, name, &machine::MachineEntry::name);
  return found == entries.end() ? nullptr : &*found;
}

std::optional<machine::Resource> find_resource(std::string_view word) {
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    if (machine::name(static_cast<machine::Resource>(r)) == word)
      return static_cast<machine::Resource>(r);
  }
  return std::nullopt;
}

// "latency", or one of the words for throughput.
std::optional<Mode> find_mode(std::string_view word) {
  if (word == "latency") return Mode::kLatency;
  if (word == "throughput" || word == "bandwidth" || word == "gap") return Mode::kThroughput;
  return std::nullopt;
}

// Changes whose effect only a replay can show.
bool is_time(const machine::MachineEntry& entry) {
  return entry.unit == "cycles" || entry.unit.ends_with("/cycle");
}

// Numbers of things. Of a factor's bytes and lines the fraction does not matter.
bool is_count(const machine::MachineEntry& entry) {
  return entry.unit.empty();
}

Error unknown_name(std::string_view name) {
  std::vector<std::string> names = {"block", "registers", "shared", "machine"};
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    const std::string resource(burin::machine::name(static_cast<machine::Resource>(r)));
    names.push_back(resource + ".latency");
    names.push_back(resource + ".throughput");
  }
  std::vector<std::string> all = names;
  for (const machine::MachineEntry& entry : machine::machine_entries()) all.push_back(entry.name);
  const std::string close = closest(name, all);
  return Error{fmt::format("unknown parameter '{}'{}; use RESOURCE.latency or RESOURCE.throughput "
                           "with a resource of burin predict, an entry of `burin machines NAME`, "
                           "block, registers, shared or machine",
                           name, close.empty() ? "" : " (did you mean " + close + "?)"),
               Exit::kUsage};
}

Error absurd(std::string_view part, const machine::MachineEntry& entry) {
  return Error{fmt::format("{}: {} must be {} to {}{}{}", part, entry.name, entry.least, entry.most,
                           entry.unit.empty() ? "" : " ", entry.unit),
               Exit::kUsage};
}

// "2x" or "1.5": a factor, or a new value.
struct Number {
  double value = 0;
  bool factor = false;
};
std::optional<Number> parse_number(std::string_view text) {
  const bool factor = text.ends_with('x');
  if (factor) text.remove_suffix(1);
  const std::optional<double> value = launch::parse_real<double>(text);
  if (!value || !(*value >= 0) || *value > 1e15) return std::nullopt;
  return Number{*value, factor};
}

// Scales all entries of a resource by the factor, or by the one that sets its main entry to the
// value.
Result<void> vary_resource(std::string_view part, machine::Resource resource, std::string_view word,
                           Number number, WhatIf& to) {
  const Mode mode = *find_mode(word);
  const std::string own = fmt::format("{}.{}", machine::name(resource), word);
  const machine::MachineEntry* leading = find_entry(own);
  if (leading == nullptr) leading = find_entry("class." + own);
  if (!number.factor && leading == nullptr) {
    return Error{
        fmt::format("{}: give a factor such as {}=2x; there is no single number for the {} of {}",
                    part, own, word, machine::name(resource)),
        Exit::kUsage};
  }
  double factor = number.value;
  if (!number.factor) {
    if (number.value < leading->least || number.value > leading->most) {
      return absurd(part, *leading);
    }
    factor = number.value / leading->in(to.machine);
  }
  if (!(factor > 1 / kMaxFactor) || factor > kMaxFactor) {
    return Error{
        fmt::format("{}: the factor {} is out of range; it must be above {} and at most {}", part,
                    factor, 1 / kMaxFactor, kMaxFactor),
        Exit::kUsage};
  }
  // Twice the bandwidth is half the time.
  const bool rate = word == "throughput" || word == "bandwidth";
  const Change change{resource, mode, rate ? 1 / factor : factor};
  to.machine = changed(to.machine, change);
  to.issue_slots *= analyze::issue_slots(change);
  return {};
}

Result<void> vary_entry(std::string_view part, const machine::MachineEntry& entry, Number number,
                        WhatIf& to) {
  double& value = entry.in(to.machine);
  value = number.factor ? value * number.value : number.value;
  if (value < entry.least || value > entry.most) return absurd(part, entry);
  if (is_count(entry) && value != std::floor(value)) {
    return Error{fmt::format("{}: {} must be a whole number, not {}", part, entry.name, value),
                 Exit::kUsage};
  }
  if (!is_time(entry)) to.retrace = true;
  return {};
}

Result<void> vary_count(std::string_view part, std::string_view text, std::uint64_t least,
                        std::uint64_t most, WhatIf& to, std::optional<std::uint64_t>& field) {
  const std::optional<std::uint64_t> count = launch::parse_integer<std::uint64_t>(text);
  if (!count || *count < least || *count > most) {
    return Error{fmt::format("{}: expected a whole number from {} to {}", part, least, most),
                 Exit::kUsage};
  }
  field = count;
  to.retrace = true;
  return {};
}

Result<void> vary(std::string_view part, WhatIf& to) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return Error{fmt::format("expected NAME=VALUE or NAME=2x, not '{}'", part), Exit::kUsage};
  }
  const std::string_view name = part.substr(0, equals);
  const std::string_view text = part.substr(equals + 1);
  if (name == "machine") {
    Result<machine::Machine> other = machine::load_machine(text);
    if (!other) return other.error();
    to.machine = std::move(*other);
    to.other_machine = to.retrace = true;
    return {};
  }
  if (name == "block") {
    const Result<launch::Dims> block = launch::parse_dims(text);
    if (!block) return block.error().within(std::string(part));
    to.block = *block;
    to.retrace = true;
    return {};
  }
  if (name == "registers") return vary_count(part, text, 1, kMaxRegisters, to, to.registers);
  if (name == "shared") return vary_count(part, text, 0, launch::kMaxSharedBytes, to, to.shared);
  const std::optional<Number> number = parse_number(text);
  const std::size_t dot = name.find('.');
  const std::optional<machine::Resource> resource = find_resource(name.substr(0, dot));
  const bool has_mode = dot != std::string_view::npos && find_mode(name.substr(dot + 1));
  const machine::MachineEntry* entry = find_entry(name);
  if (entry == nullptr && !(resource && has_mode)) return unknown_name(name);
  if (!number) {
    return Error{fmt::format("{}: expected a number or a factor such as 2x", part), Exit::kUsage};
  }
  if (resource && has_mode) {
    return vary_resource(part, *resource, name.substr(dot + 1), *number, to);
  }
  return vary_entry(part, *entry, *number, to);
}

std::uint32_t blocks_for(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>((a + b - 1) / b);
}

}  // namespace

Result<WhatIf> parse_what_if(std::string_view text, const machine::Machine& machine) {
  WhatIf what_if;
  what_if.text = text;
  what_if.machine = machine;
  std::set<std::string_view> names;
  for (const std::string_view part : split(text, '+')) {
    const std::string_view name = part.substr(0, part.find('='));
    if (!names.insert(name).second) {
      return Error{fmt::format("{}: {} is given twice", text, name), Exit::kUsage};
    }
    if (const Result<void> done = vary(part, what_if); !done) return done.error();
  }
  return what_if;
}

Result<timing::Prediction> predict_what_if(const Study& study, const WhatIf& what_if) {
  if (!what_if.retrace) return study.with_machine(what_if.machine, what_if.issue_slots);
  const read::Kernel& kernel = study.kernel();
  if (!read::runs_on(kernel.image->arch, what_if.machine.arch)) {
    return Error{fmt::format("{}: {} is compiled for {} and cannot run on {}", what_if.text,
                             kernel.function->demangled, read::to_string(kernel.image->arch),
                             what_if.machine.name)};
  }
  launch::Launch launch = study.launch();
  if (what_if.block) {
    const launch::Dims to = *what_if.block;
    launch.grid = {blocks_for(std::uint64_t{launch.grid.x} * launch.block.x, to.x),
                   blocks_for(std::uint64_t{launch.grid.y} * launch.block.y, to.y),
                   blocks_for(std::uint64_t{launch.grid.z} * launch.block.z, to.z)};
    launch.block = to;
  }
  if (const Result<void> fits = launch::check_launch(launch, *kernel.function); !fits) {
    return fits.error().within(what_if.text);
  }
  machine::KernelNeeds needs = timing::needs_of(kernel, launch);
  needs.registers = what_if.registers.value_or(needs.registers);
  needs.shared = what_if.shared.value_or(needs.shared);
  const Result<machine::Occupancy> occupancy = burin::machine::occupancy(what_if.machine, needs);
  if (!occupancy) return occupancy.error().within(what_if.text);
  const Result<std::unique_ptr<timing::TracedLaunch>> traced =
      timing::trace_launch(kernel, launch, what_if.machine, *occupancy, study.options());
  if (!traced) return traced.error().within(what_if.text);
  if (what_if.other_machine) {
    return timing::replay(**traced, what_if.machine, study.options(),
                          {.issue_slots = what_if.issue_slots});
  }
  return timing::replay(
      **traced, study.machine(), study.options(),
      {.machine = &what_if.machine, .issue_slots = what_if.issue_slots, .dependences = &kernel});
}

}  // namespace burin::analyze
