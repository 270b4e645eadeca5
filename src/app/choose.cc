// `burin choose FILE.rp`: the launch shape for sizes, by a rational program.
#include "report/fit/choose.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli.h"
#include "app/options/launch_options.h"
#include "app/options/output_option.h"

namespace burin::app {
namespace {

Result<Exit> run_choose(const jobs::ChooseRequest& request, Context& context) {
  const Result<jobs::ChosenShape> chosen = jobs::choose_shape(request);
  if (!chosen) return chosen.error();
  if (context.json) {
    report::Json json(context.out);
    report::write_chosen_json(json, *chosen);
  } else {
    report::write_chosen(context.out, *chosen);
  }
  return Exit::kDone;
}

}  // namespace

void add_choose(Commands& commands) {
  auto request = std::make_shared<jobs::ChooseRequest>();
  CLI::App& app = commands.add(
      "choose", "Chooses the launch shape of a kernel for given sizes, by a rational program",
      "  burin choose saxpy.rp --set n=4096\n"
      "  burin choose saxpy.rp --set n=4096 --machine a100 --json\n"
      "  burin choose saxpy.rp --emit-cpp saxpy_launch.h --namespace saxpy_launch\n\n"
      "docs/fit.md explains rational programs; burin fit makes them.",
      [request](Context& context) { return run_choose(*request, context); });
  app.add_option("FILE", request->file, "Rational program (.rp)")->required();
  add_repeated(app, "--set", request->sizes, "NAME=NUMBER", "A size of the launch");
  app.add_option("--machine", request->machine,
                 "The GPU: a name from `burin machines`, or a machine file (default: the first "
                 "device of the program)")
      ->type_name("NAME|FILE");
  app.add_option("--emit-cpp", request->emit_cpp,
                 "Write the program as a C++ header that needs nothing of burin")
      ->type_name("FILE")
      ->check(output_file());
  app.add_option("--namespace", request->cpp_namespace,
                 "Namespace of that header (default: burin_choice)")
      ->type_name("NAME");
  app.add_flag("--force", request->force, "Overwrite existing files of any kind");
}

}  // namespace burin::app
