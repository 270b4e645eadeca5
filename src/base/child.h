// Runs work in a child process with a time limit, so that a driver that hangs or crashes loses one
// answer and does not take burin down.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace burin {

struct Answer {
  enum class End { kDone, kFailed, kTimedOut };  // kFailed: non-zero exit status, or a crash
  End end = End::kFailed;
  std::string text;  // output of the child up to its end

  bool ok() const { return end == End::kDone; }
};

// Runs `question` in a fork of this process. The answer is its return value.
Answer ask(const std::function<std::string()>& question, double limit_seconds);

// Runs a program with `input` as its standard input and `environment` added to this process's. The
// answer is its standard output and standard error, limited to one megabyte.
Answer run_program(const std::string& path, const std::vector<std::string>& arguments,
                   double limit_seconds, const std::string& input = "",
                   const std::map<std::string, std::string>& environment = {});

// Kills what ask() and run_program() are running in other threads, with all its children, and lets
// later calls fail. For a process that is about to end: its children would otherwise outlive it.
void end_children();

// The path of the program, searched in `folders` and then in PATH; "" if it is not found.
std::string find_program(const std::string& name, const std::vector<std::string>& folders);

}  // namespace burin
