// What burin knows about the terminal it writes to.
//
//   COLUMNS       the width of a terminal, where it is set; otherwise the terminal is asked
//   NO_COLOR      no colour, as no-color.org describes; --color decides before it
#pragma once

#include <cstddef>
#include <string>

#include "report/write/output.h"

namespace burin::app {

// Columns of the terminal behind a file descriptor; 0: it is not a terminal, and nothing is to be
// shortened.
std::size_t terminal_width(int descriptor);

// Whether output has colour: `choice` is "always", "never" or "auto" (on a terminal that is not
// dumb, unless NO_COLOR is set).
bool wants_color(const std::string& choice, int descriptor);

// For standard output, before the command line is read.
report::Output::Options terminal_options();

}  // namespace burin::app
