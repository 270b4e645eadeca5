// `burin schema [NAME]`: the JSON schema of what a command prints with --json.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "base/text.h"
#include "report/write/json.h"
#include "report/write/schemas.h"

namespace burin::app {
namespace {

Result<Exit> print_schema(const std::string& name, Context& context) {
  const report::Schema* schema = report::find_schema(name);
  if (schema == nullptr) {
    std::vector<std::string> names;
    for (const report::Schema& each : report::schemas()) names.emplace_back(each.name);
    for (const report::Schema& each : report::schemas()) {
      names.emplace_back(each.name.substr(6, each.name.find('/') - 6));
    }
    const std::string near = closest(name, names);
    return Error{"unknown schema '" + name + "'; " +
                     (near.empty() ? "`burin schema` lists them" : "did you mean " + near + "?"),
                 Exit::kUsage};
  }
  context.out.put(schema->text);
  return Exit::kDone;
}

Result<Exit> list_schemas(Context& context) {
  if (!context.json) {
    for (const report::Schema& schema : report::schemas()) context.out.put(schema.name, '\n');
    return Exit::kDone;
  }
  report::Json json(context.out);
  json.open('{');
  json.field("schema", "burin.schemas/1");
  json.open("schemas", '[');
  for (const report::Schema& schema : report::schemas()) json.element(schema.name);
  json.close();
  json.close();
  return Exit::kDone;
}

}  // namespace

void add_schema(Commands& commands) {
  auto name = std::make_shared<std::string>();
  CLI::App& app = commands.add(
      "schema", "Prints the JSON schema of what a command prints with --json",
      "  burin schema                   the names of all schemas\n  burin schema predict           "
      "the newest of burin predict\n  burin schema burin.predict/1",
      [name](Context& context) {
        return name->empty() ? list_schemas(context) : print_schema(*name, context);
      });
  app.add_option("NAME", *name, "Schema; none: lists them")->option_text(" ");
}

}  // namespace burin::app
