// Where in the program an instruction stands: its loops, its function, its source line. What rules
// ask of a kernel, answered from tables that are made once.
//
//   const KernelPlaces places(kernel);
//   places.common_loop(load, use)        the innermost loop that both are in, or kNoIndex
//   places.loop_name(loop)               "loop at saxpy.cu:41-44"
//   places.inlined(i)                    {"sinf", "erff"}: the functions it was inlined from
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/program/instruction_set.h"
#include "read/program/kernel.h"

namespace burin::advise {

class KernelPlaces {
 public:
  explicit KernelPlaces(const read::Kernel& kernel);  // which must outlive it

  // Loops are positions in Kernel::loops; kNoIndex is none.
  std::uint32_t loop_of(std::uint32_t instruction) const;  // the innermost
  std::uint32_t common_loop(std::uint32_t a, std::uint32_t b) const;
  bool in_loop(std::uint32_t instruction, std::uint32_t loop) const;
  std::uint32_t outermost(std::uint32_t loop) const;
  read::InstructionSet instructions_of_loop(std::uint32_t loop) const;  // inner loops' too
  // … of the innermost loop around each of these.
  read::InstructionSet loops_around(const read::InstructionSet& instructions) const;
  std::string loop_name(std::uint32_t loop) const;  // "" for none

  // Functions are positions in Kernel::entries; 0 is the kernel itself.
  std::uint32_t function_of(std::uint32_t instruction) const;
  std::size_t functions() const;
  std::string function_name(std::uint32_t function) const;  // demangled
  // True for a function that the compiler brought (a division, a square root), not the user.
  bool of_compiler(std::uint32_t function) const;

  // Names of the functions whose bodies it was inlined from, the innermost first, without
  // parameters and templates. Empty without line information.
  std::vector<std::string_view> inlined(std::uint32_t instruction) const;
  // The user's function that it belongs to: the innermost inlined one, or the function it lies in.
  std::string function_text(std::uint32_t instruction) const;

  const read::Kernel& kernel() const { return kernel_; }

 private:
  const read::Kernel& kernel_;
  std::vector<std::uint32_t> function_of_block_;
};

// "saxpy.cu:41", or "offset 0x0040" without line information.
std::string place_name(const read::Kernel& kernel, std::uint32_t instruction);

// Without parameters, template arguments and the namespaces in front: "f" of "a::f<int>(float)".
std::string_view short_name(std::string_view demangled);

}  // namespace burin::advise
