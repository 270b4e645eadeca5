// A place in the code, as reports name it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/program/kernel.h"

namespace burin::analyze {

// Code that was inlined from another file stands at the
// line of the kernel's own source that calls it; `inlined` has the whole way, innermost first.
struct CodePlace {
  struct Call {
    std::string_view file;
    std::uint32_t line = 0;
    std::string_view function;  // that the line is in; "": the kernel
  };
  std::string_view file;  // "": no line information
  std::uint32_t line = 0;
  std::uint32_t offset = 0;
  std::string instruction;      // "LDG.E R4, desc[UR4][R2.64]"
  std::vector<Call> inlined{};  // empty where it was not inlined
  std::vector<Call> called{};   // of an instruction in a routine: where that is called

  std::string name() const;  // "transpose.cu:14", or "0x02a0" without lines
};
CodePlace code_place(const read::Kernel& kernel, std::uint32_t instruction);

}  // namespace burin::analyze
