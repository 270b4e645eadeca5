// `burin compiler`: a process that compiles kernels one after another (toolchain/server.h). Users
// do not call it; toolchain::CompilePool does.
#include <CLI/CLI.hpp>

#include "app/cli.h"
#include "toolchain/server.h"

namespace burin::app {
namespace {

Result<Exit> serve(Context&) {
  if (const Result<void> served = toolchain::serve_compilations(); !served) return served.error();
  return Exit::kDone;
}

}  // namespace

void add_compiler(Commands& commands) {
  CLI::App& app = commands.add("compiler", "Compiles kernels for burin itself",
                               "  burin compiler < orders", serve);
  app.group("");  // not for users: neither in the help nor completed
}

}  // namespace burin::app
