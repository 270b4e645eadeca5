// `burin mcp`: burin's answers for agents, over the Model Context Protocol.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/options/option_values.h"
#include "mcp/server.h"

namespace burin::app {
namespace {

// In a process of its own: whatever the command does, the server goes on.
int run_words(std::vector<std::string> words) {
  words.insert(words.begin(), "burin");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return run(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

void add_mcp(Commands& commands) {
  auto limit = std::make_shared<double>(300);
  CLI::App& app = commands.add(
      "mcp", "Serves agents over the Model Context Protocol, on standard input and output",
      "  burin mcp\n  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | burin "
      "mcp\n\n"
      "An agent's program starts it and offers its six tools to the model: inspect, predict,\n"
      "explain, advise, run and diff. docs/mcp.md says how to set it up.",
      [limit](Context&) -> Result<Exit> {
        const Result<void> served =
            mcp::serve_mcp({.version = BURIN_VERSION, .run = run_words, .limit_seconds = *limit},
                           STDIN_FILENO, STDOUT_FILENO);
        if (!served) return served.error();
        return Exit::kDone;
      });
  constexpr double kMaxCallSeconds = 86400;  // a day
  add_real(app, "--limit", *limit, 1, kMaxCallSeconds, "Time limit for one call (default: 300)")
      ->type_name("SECONDS");
}

}  // namespace burin::app
