// `burin machines`: the GPUs that burin knows, each number with its source.
#include "report/machines.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "machine/load.h"

namespace burin {
namespace {

Result<Exit> machines(Context& context, const std::vector<std::string>& asked) {
  std::vector<Machine> loaded;
  for (const std::string& name : asked.empty() ? known_machines() : asked) {
    Result<Machine> machine = load_machine(name);
    if (!machine) return machine.error();
    loaded.push_back(std::move(*machine));
  }
  if (context.json) {
    write_machines_json(context.out, loaded, !asked.empty());
  } else if (asked.empty()) {
    write_machine_list(context.out, loaded);
  } else if (asked.size() == 1) {
    write_machine_entries(context.out, loaded.front());
  } else {
    write_machine_comparison(context.out, loaded);
  }
  return Exit::kDone;
}

// "{a100,h100}": what the shell completes and the help shows; paths are taken too.
std::string choices() {
  std::string words;
  for (const std::string& name : known_machines()) words += (words.empty() ? "" : ",") + name;
  return "{" + words + "}";
}

}  // namespace

void add_machines(Commands& commands) {
  auto names = std::make_shared<std::vector<std::string>>();
  CLI::App& app = commands.add(
      "machines", "Lists the GPUs that burin knows, shows their numbers or compares them",
      "  burin machines                      all of them, one line each\n"
      "  burin machines h200                 every number of one, with its source\n"
      "  burin machines h200 a100            two side by side, with their ratio\n"
      "  burin machines h200 ./mine.json     with a machine file of your own\n"
      "  burin machines a100 --json | jq '.machines[0].entries[] | select(.source == \"h200\")'",
      [names](Context& context) { return machines(context, *names); });
  app.add_option("NAME", *names, "Machines by name, or files of your own by path (NAME.json)")
      ->type_name(choices());
}

}  // namespace burin
