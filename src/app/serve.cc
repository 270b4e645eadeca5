// `burin serve PATH`: captures, tuning sessions and reports as local pages.
#include "serve/serve.h"

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <memory>

#include "app/cli.h"
#include "app/options/option_values.h"

namespace burin::app {
namespace {

std::atomic<bool> serve_stopped = false;

void stop_serving(int signal) {
  serve_stopped = true;
  std::signal(signal, SIG_DFL);
}

Result<Exit> run_serve(const serve::ServeOptions& options, Context& context) {
  std::signal(SIGINT, stop_serving);
  std::signal(SIGTERM, stop_serving);
  if (options.host != "127.0.0.1" && options.host != "localhost" && options.host != "::1") {
    context.warn("--host " + options.host + ": other computers can read what is served");
  }
  const auto ready = [&](const std::string& address) {
    context.out.put("serving ", options.path, " at ", address, "; Ctrl-C ends it\n");
    context.out.flush();
  };
  if (Result<void> served = serve::serve(options, ready, serve_stopped); !served) {
    return served.error();
  }
  return Exit::kDone;
}

}  // namespace

void add_serve(Commands& commands) {
  auto options = std::make_shared<serve::ServeOptions>();
  options->version = BURIN_VERSION;
  CLI::App& app = commands.add(
      "serve", "Shows captures, tuning sessions and reports as local web pages, read-only",
      "  burin serve results/                 every capture, session and report in the folder\n"
      "  burin serve gemm.session             a tuning run, while it runs\n"
      "  burin serve app.burin --port 8000\n\n"
      "The pages are reachable from this computer only, unless --host says otherwise.\n"
      "docs/report.md explains the views.",
      [options](Context& context) { return run_serve(*options, context); });
  app.add_option("PATH", options->path, "Folder, capture, tuning session or report")->required();
  app.add_option("--host", options->host, "Address to listen on (default: 127.0.0.1)")
      ->type_name("ADDRESS");
  add_whole(app, "--port", options->port, 0, 65535, "Port (default: any that is free)");
}

}  // namespace burin::app
