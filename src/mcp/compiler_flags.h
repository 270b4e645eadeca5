// Which of nvcc's flags an agent may give. nvcc has flags that write files (-o, --keep), and flags
// that run programs (-ccbin); no tool of the server does either.
//
//   is_harmless_flag("-DTILE=32")        true
//   is_harmless_flag("-ccbin=./compiler")  false
#pragma once

#include <string_view>

namespace burin::mcp {

// True for flags that only change the code that nvcc makes: macros, include folders, the language,
// optimization and the architecture.
bool is_harmless_flag(std::string_view flag);

}  // namespace burin::mcp
