// A file with one launch a line: `burin predict --launches`, `burin compare --launches` and
// `burin diff --launches`. Empty lines and lines that begin with # are left out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace burin::app {

struct NumberedLine {
  std::size_t number = 0;  // from 1
  std::string text;
};

Result<std::vector<NumberedLine>> launch_lines(const std::string& path);

}  // namespace burin::app
