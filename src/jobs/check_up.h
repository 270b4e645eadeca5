// `burin doctor`: what works on this computer, what is missing, and how to get it. Nothing here
// needs CUDA headers: libraries are opened by name, in a child process with a time limit.
#pragma once

#include <string>
#include <vector>

namespace burin::jobs {

struct Check {
  enum class State { kOk, kMissing, kRefused };  // refused: it is there, but does not serve

  std::string name;
  State state = State::kMissing;
  std::string version;     // "" where it has none
  std::string detail;      // where it was found, or what it said
  std::string needed_for;  // what burin does with it
  std::string remedy;      // how to get it or mend it
};

std::vector<Check> check_up();

}  // namespace burin::jobs
