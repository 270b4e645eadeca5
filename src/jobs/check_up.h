// `burin doctor`: what works on this computer, what is missing, and how to get it. No CUDA headers
// are needed: libraries are opened by name, in a child process with a time limit.
#pragma once

#include <string>
#include <vector>

namespace burin::jobs {

struct Check {
  enum class State { kOk, kMissing, kRefused };  // kRefused: present but unusable

  std::string name;
  State state = State::kMissing;
  std::string version;     // "": has no version
  std::string detail;      // where it was found, or its error message
  std::string needed_for;  // the burin features that need it
  std::string remedy;      // how to install or repair it
};

std::vector<Check> check_up();

}  // namespace burin::jobs
