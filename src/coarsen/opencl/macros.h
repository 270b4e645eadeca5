// The macros of a source and of the options that it is compiled with.
//
//   std::vector<OpenclMacro> macros = macros_of_options("-DN=4 -D 'AT(i)=in[i]' -cl-mad-enable");
//   macros[0].name == "N", macros[1].parameters == {"i"}
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "coarsen/opencl/outline.h"

namespace burin::coarsen {

// The macro that a directive defines; none for other directives.
std::optional<OpenclMacro> macro_of(const OpenclDirective& directive);

// The macros that -D defines. Quotes and backslashes are those of a shell.
std::vector<OpenclMacro> macros_of_options(std::string_view options);

}  // namespace burin::coarsen
