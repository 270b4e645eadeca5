// `burin machines`: the GPUs that burin knows, each number with its source.
#include "report/computer/machines.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "machine/load.h"

namespace burin::app {
namespace {

Result<Exit> machines(Context& context, const std::vector<std::string>& asked) {
  std::vector<machine::Machine> loaded;
  for (const std::string& name : asked.empty() ? machine::known_machines() : asked) {
    Result<machine::Machine> machine = machine::load_machine(name);
    if (!machine) return machine.error();
    loaded.push_back(std::move(*machine));
  }
  if (context.json) {
    report::write_machines_json(context.out, loaded, !asked.empty());
  } else if (asked.empty()) {
    report::write_machine_list(context.out, loaded);
  } else if (asked.size() == 1) {
    report::write_machine_entries(context.out, loaded.front());
  } else {
    report::write_machine_comparison(context.out, loaded);
  }
  return Exit::kDone;
}

// "{a100,h100}": what the shell completes and the help shows; paths are taken too.
std::string choices() {
  std::string words;
  for (const std::string& name : machine::known_machines())
    words += (words.empty() ? "" : ",") + name;
  return "{" + words + "}";
}

}  // namespace

void add_machines(Commands& commands) {
  auto names = std::make_shared<std::vector<std::string>>();
  CLI::App& app = commands.add(
      "machines", "Lists known GPUs, shows their parameters or compares them",
      "  burin machines                      list all\n  burin machines h200                 all "
      "parameters of one, with their sources\n  burin machines h200 a100            two side by "
      "side, with ratios\n  burin machines h200 ./mine.json     with your own machine file\n  "
      "burin machines a100 --json | jq '.machines[0].entries[] | select(.source == \"h200\")'",
      [names](Context& context) { return machines(context, *names); });
  app.add_option("NAME", *names, "Machine names, or paths of machine files (NAME.json)")
      ->type_name(choices());
}

}  // namespace burin::app
