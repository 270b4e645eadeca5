// The real binary, run as a user would.
#pragma once

#include <string>

namespace burin::test {

struct Ran {
  int status = -1;  // exit status, or minus the signal that ended it
  std::string out;
  std::string err;
};

// `arguments` as typed after `burin`, in the repository's root.
Ran burin(const std::string& arguments);

// Any shell command, there too; $BURIN is the binary.
Ran shell(const std::string& command);

// With standard output on a terminal of so many columns.
Ran burin_on_terminal(const std::string& arguments, unsigned short columns);

// With standard output on a pipe that nobody reads.
Ran burin_unread(const std::string& arguments);

// True for "burin: <sentence>" and a line end, and nothing more.
bool is_one_line(const std::string& text);

}  // namespace burin::test
