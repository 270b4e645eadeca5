// `burin worker`: the process in which kernels run on a GPU (measure/protocol.h). Users do not call
// it; `burin run --device` does.
#include "gpu/worker.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "app/cli.h"

namespace burin::app {
namespace {

// Requests until the input ends or one fails: after a fault the context is good for nothing.
Result<Exit> work(Context& context) {
  gpu::Worker worker([&](std::string_view line) {
    context.out.put(line);
    context.out.flush();  // the last stage told must be known should the process end
  });
  for (std::string line; std::getline(std::cin, line);) {
    if (!worker.answer(line)) return Exit::kDevice;
  }
  return Exit::kDone;
}

}  // namespace

void add_worker(Commands& commands) {
  CLI::App& app = commands.add(
      "worker", "Runs kernels on a GPU for burin itself; docs/device.md explains the protocol",
      "  burin worker < request.json", work);
  app.group("");  // not for users: neither in the help nor completed
}

}  // namespace burin::app
