// The position of an instruction in the program: its loops, its function, its source line. Queries
// that rules make about a kernel, answered from tables built once.
//
//   const KernelPlaces places(kernel);
//   places.common_loop(load, use)        the innermost loop that contains both, or kNoIndex
//   places.loop_name(loop)               "loop at saxpy.cu:41-44"
//   places.inlined(i)                    {"sinf", "erff"}: the functions it was inlined from
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read/program/instruction_set.h"
#include "read/program/kernel.h"
#include "read/program/loop_lines.h"

namespace burin::advise {

class KernelPlaces {
 public:
  explicit KernelPlaces(const read::Kernel& kernel);  // must outlive this object

  // Loops are indices into Kernel::loops; kNoIndex means no loop.
  std::uint32_t loop_of(std::uint32_t instruction) const;  // innermost loop
  std::uint32_t common_loop(std::uint32_t a, std::uint32_t b) const;
  bool in_loop(std::uint32_t instruction, std::uint32_t loop) const;
  std::uint32_t outermost(std::uint32_t loop) const;
  read::InstructionSet instructions_of_loop(std::uint32_t loop) const;  // including inner loops
  // Returns all instructions of the innermost loop around each of the given instructions.
  read::InstructionSet loops_around(const read::InstructionSet& instructions) const;
  // Empty without line information.
  std::optional<read::LoopLines> loop_lines(std::uint32_t loop) const;
  std::string loop_name(std::uint32_t loop) const;  // "" for no loop

  // Functions are indices into Kernel::entries; 0 is the kernel itself.
  std::uint32_t function_of(std::uint32_t instruction) const;
  std::size_t functions() const;
  std::string function_name(std::uint32_t function) const;  // demangled
  // Returns true for a function added by the compiler or by CUDA's math library (a division, a
  // square root, the range reduction of sin for large arguments), not the user.
  bool of_compiler(std::uint32_t function) const;

  // Returns the names of the functions that the instruction was inlined from, innermost first,
  // without parameters and template arguments. Empty without line information.
  std::vector<std::string_view> inlined(std::uint32_t instruction) const;
  // Returns the user's function that contains the instruction: the innermost inlined function, or
  // else the function that the code is in.
  std::string function_text(std::uint32_t instruction) const;

  const read::Kernel& kernel() const { return kernel_; }

 private:
  const read::Kernel& kernel_;
  std::vector<std::uint32_t> function_of_block_;
};

// "saxpy.cu:41", or "offset 0x0040" without line information.
std::string place_name(const read::Kernel& kernel, std::uint32_t instruction);

// Returns the name without parameters, template arguments and leading namespaces: "f" for
// "a::f<int>(float)".
std::string_view short_name(std::string_view demangled);

}  // namespace burin::advise
