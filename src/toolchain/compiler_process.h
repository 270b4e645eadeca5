// One compiler process as CompilePool sees it: an order goes in, an answer comes out.
//
//   Result<CompilerProcess> process = CompilerProcess::start(path_of_burin);
//   process->send(order);
//   …poll() on process->output()…
//   std::optional<CompileResult> made = process->receive();   // nullopt: it crashed
#pragma once

#include <optional>
#include <string>

#include "base/process.h"
#include "base/result.h"
#include "toolchain/compile.h"
#include "toolchain/message.h"

namespace burin::toolchain {

class CompilerProcess {
 public:
  static Result<CompilerProcess> start(const std::string& path_of_burin);

  // False: the process no longer reads.
  bool send(const CompileOrder& order);

  // For poll(): readable when the answer arrives, or the process has ended.
  int output() const { return process_.output(); }
  std::optional<CompileResult> receive();
  // After receive() returned nullopt: what the process wrote instead of an answer.
  const std::string& last_words() const { return last_words_; }

  // Tells the process to end: it kills nvcc and removes its files, within about a second.
  // Destroying this object kills it at once.
  void end() { process_.close_input(); }
  // Whether it has ended after end(). Waits for at most `limit_seconds`.
  bool has_ended(double limit_seconds);

 private:
  explicit CompilerProcess(Process process) : process_(std::move(process)) {}

  Process process_;
  std::string last_words_;
};

}  // namespace burin::toolchain
