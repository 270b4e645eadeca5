// A program that runs beside this one and answers line by line: a GPU worker, a compiler.
//
//   Result<Process> worker = Process::start(path_of_burin, {"worker"});
//   worker->send("one request\n");
//   Process::Line line = worker->read_line(30.0);
//   if (line.status == Process::Line::Status::kTimedOut) …   // the Process is killed by ~Process()
//
// The child ends when its standard input is closed, which happens when this process ends in any
// way. A child that may be stuck outside read() calls exit_with_parent() first.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace burin {

class Process {
 public:
  // Starts a program in a process group of its own, with pipes to its standard input and output.
  // Its standard error goes where `errors` says.
  enum class Errors : std::uint8_t { kInherit, kWithOutput };
  static Result<Process> start(const std::string& path, const std::vector<std::string>& arguments,
                               Errors errors = Errors::kWithOutput);

  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();  // kills the process group

  // Writes the whole text. Returns false if the child no longer reads.
  bool send(std::string_view text);

  struct Line {
    enum class Status : std::uint8_t { kLine, kTimedOut, kEnded };
    Status status = Status::kEnded;
    std::string text{};  // without the newline; after kEnded, what followed the last newline
  };
  // The next line of output. Waits for at most `limit_seconds`.
  Line read_line(double limit_seconds);

  // Exactly `size` bytes of output, for protocols that send binary data after a line. kLine means
  // that all of them were received.
  Line read_bytes(std::size_t size, double limit_seconds);

  // For poll(): readable when there is output. A complete line may already be buffered: see
  // has_line().
  int output() const { return output_; }
  bool has_line() const { return buffer_.find('\n') != std::string::npos; }

  // Closes the child's standard input, which asks it to end.
  void close_input();

  void kill();
  pid_t id() const { return child_; }

 private:
  Process() = default;
  void close();
  Line::Status receive(double limit_seconds);

  pid_t child_ = -1;
  int input_ = -1;   // our end of the child's standard input
  int output_ = -1;  // our end of its standard output
  std::string buffer_;
};

// For a child: ends this process as soon as the other end of its standard input is closed, even
// while it waits for a driver. Standard input must be a pipe; otherwise nothing happens.
void exit_with_parent();

}  // namespace burin
