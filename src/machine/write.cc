#include "machine/write.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "base/format.h"
#include "machine/entries.h"

namespace burin::machine {
namespace {

using OrderedValue = nlohmann::ordered_json;

std::string in_quotes(std::string_view text) {
  return OrderedValue(text).dump(-1, ' ', false, OrderedValue::error_handler_t::replace);
}

// A whole number without a point; others with the digits that bring them back exactly.
std::string number(double value) {
  return fmt::format("{}", value);
}

std::string joined(const std::vector<std::string>& lines, std::string_view separator) {
  return fmt::format("{}", fmt::join(lines, separator));
}

}  // namespace

std::string write_machine(const Machine& machine) {
  std::vector<std::string> carve_outs;
  for (const double size : machine.limit.carve_outs) carve_outs.push_back(number(size));
  std::vector<std::string> sources;
  for (const auto& [key, sentence] : machine.sources) {
    if (machine.is_inherited(key)) continue;
    sources.push_back(fmt::format("    {}: {}", in_quotes(key), in_quotes(sentence)));
  }
  std::vector<std::string> entries;
  for (const MachineEntry& entry : machine_entries()) {
    const auto origin = machine.origins.find(entry.name);
    if (origin == machine.origins.end() || machine.is_inherited(origin->second.source)) continue;
    std::string line = fmt::format("    {}: {{\"value\": {}, \"source\": {}", in_quotes(entry.name),
                                   number(entry.in(machine)), in_quotes(origin->second.source));
    if (origin->second.spread != 0)
      line += fmt::format(", \"spread\": {}", number(origin->second.spread));
    entries.push_back(line + "}");
  }
  return fmt::format(
      "{{\n"
      "  \"schema\": \"burin.machine/1\",\n"
      "  \"name\": {},\n"
      "  \"title\": {},\n"
      "{}"
      "  \"architecture\": {},\n"
      "  \"policy\": {},\n"
      "  \"carve_outs\": [{}],\n"
      "  \"sources\": {{\n{}\n  }},\n"
      "  \"entries\": {{\n{}\n  }}\n"
      "}}\n",
      in_quotes(machine.name), in_quotes(machine.title),
      machine.base.empty() ? "" : fmt::format("  \"base\": {},\n", in_quotes(machine.base)),
      in_quotes(read::to_string(machine.arch)), in_quotes(name(machine.issue.policy)),
      joined(carve_outs, ", "), joined(sources, ",\n"), joined(entries, ",\n"));
}

}  // namespace burin::machine
