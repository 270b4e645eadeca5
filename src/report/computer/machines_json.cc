#include "machine/entries.h"
#include "report/computer/machines.h"
#include "report/write/json.h"

namespace burin::report {
namespace {

void write_entries(Json& json, const machine::Machine& machine) {
  json.field("policy", machine::name(machine.issue.policy));
  json.open("carve_outs", '[');
  for (const double size : machine.limit.carve_outs) json.element(size);
  json.close();
  json.open("sources", '{');
  for (const auto& [key, sentence] : machine.sources) json.field(key, sentence);
  json.close();
  json.open("entries", '[');
  for (const machine::MachineEntry& entry : machine::machine_entries()) {
    const auto origin = machine.origins.find(entry.name);
    if (origin == machine.origins.end()) continue;
    json.open('{');
    json.field("name", entry.name);
    json.field("value", entry.in(machine));
    json.field("unit", entry.unit);
    json.field("source", origin->second.source);
    json.field("spread", origin->second.spread);
    json.field("least", entry.least);
    json.field("most", entry.most);
    json.field("meaning", entry.meaning);
    json.close();
  }
  json.close();
}

}  // namespace

void write_machines_json(Output& out, std::span<const machine::Machine> machines, bool entries) {
  Json json(out);
  json.open('{');
  json.field("schema", "burin.machines/1");
  json.open("machines", '[');
  for (const machine::Machine& machine : machines) {
    json.open('{');
    json.field("name", machine.name);
    json.field("title", machine.title);
    json.field("architecture", read::to_string(machine.arch));
    if (!machine.base.empty()) json.field("base", machine.base);
    if (entries) write_entries(json, machine);
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace burin::report
