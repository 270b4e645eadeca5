// Questions asked in a child process with a time limit, so that a driver that hangs or crashes
// costs one answer and not burin.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace burin {

struct Answer {
  enum class End { kDone, kFailed, kTimedOut };  // failed: not exit status 0, or a crash
  End end = End::kFailed;
  std::string text;  // what the child said before it ended

  bool ok() const { return end == End::kDone; }
};

// Runs `question` in a copy of this process; its result is the answer.
Answer ask(const std::function<std::string()>& question, double limit_seconds);

// Runs a program that reads `input`; the answer is its output, standard error too, of which at most
// a megabyte is kept.
Answer run_program(const std::string& path, const std::vector<std::string>& arguments,
                   double limit_seconds, const std::string& input = "");

// The program's path from `folders`, then PATH; "" where it is in none of them.
std::string find_program(const std::string& name, const std::vector<std::string>& folders);

}  // namespace burin
