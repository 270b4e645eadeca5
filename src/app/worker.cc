// `burin worker`: the process in which kernels run on a GPU (measure/protocol.h). Users do not call
// it; `burin run --device` and `burin tune` do.
#include "gpu/worker/worker.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "app/cli.h"
#include "base/process.h"

namespace burin::app {
namespace {

// Requests until the input ends or the device is lost: after a fault the context is good for
// nothing.
Result<Exit> work(Context& context, bool attended) {
  if (attended) exit_with_parent();
  gpu::Worker worker([&](std::string_view line) {
    context.out.put(line);
    context.out.flush();  // the last stage told must be known should the process end
  });
  for (std::string line; std::getline(std::cin, line);) {
    if (!worker.answer(line)) break;
  }
  return worker.failed() ? Exit::kDevice : Exit::kDone;
}

}  // namespace

void add_worker(Commands& commands) {
  auto attended = std::make_shared<bool>(false);
  CLI::App& app = commands.add(
      "worker", "Runs kernels on a GPU for burin itself; docs/device.md explains the protocol",
      "  burin worker < request.json",
      [attended](Context& context) { return work(context, *attended); });
  app.add_flag("--attended", *attended,
               "End as soon as standard input is closed, even in the middle of a request");
  app.group("");  // not for users: neither in the help nor completed
}

}  // namespace burin::app
