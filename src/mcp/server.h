// `burin mcp`: the Model Context Protocol over standard input and output, one JSON-RPC 2.0 message
// a line. It opens no connection and writes no file.
//
// Both generations of the protocol are spoken: the handshake of 2024-11-05 to 2025-11-25
// (initialize, ping), and 2026-07-28, where each request names its version in _meta and
// server/discover replaces the handshake.
//
//   serve_mcp({.version = "0.1.0", .run = run_command}, STDIN_FILENO, STDOUT_FILENO);
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace burin::mcp {

struct ServerOptions {
  std::string version;  // of burin
  // Runs a command line (without the program's name) and returns the exit status; it prints to
  // standard output and error. Called in a process of its own.
  std::function<int(std::vector<std::string>)> run;
  double limit_seconds = 300;  // for one call
};

// Serves until the input ends and every request is answered, or nobody reads the output.
Result<void> serve_mcp(const ServerOptions& options, int input, int output);

}  // namespace burin::mcp
