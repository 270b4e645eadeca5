// A place in the code, in the form that reports use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/program/kernel.h"

namespace burin::analyze {

// The source line and the instruction of a place in the code. Code inlined from another file is
// placed at the line of the kernel's own source that calls it; `inlined` holds the full inlining
// chain, innermost call first.
struct CodePlace {
  struct Call {
    std::string_view file;
    std::uint32_t line = 0;
    std::string_view function;  // function that contains the line; "": the kernel
  };
  std::string_view file;  // "": no line information
  std::uint32_t line = 0;
  std::uint32_t offset = 0;
  std::string instruction;      // "LDG.E R4, desc[UR4][R2.64]"
  std::vector<Call> inlined{};  // inlining chain; empty: not inlined
  std::vector<Call> called{};   // for an instruction in a routine: the places that call the routine

  std::string name() const;  // "transpose.cu:14", or "0x02a0" without line information
};
CodePlace code_place(const read::Kernel& kernel, std::uint32_t instruction);

}  // namespace burin::analyze
