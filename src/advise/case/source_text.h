// The source text at an instruction. Compilers and library functions add their own divisions, tests
// and loops, so a rule checks whether the user wrote one before it names one.
//
//   argument_text(c, origins, load)                   " of `keys`"
//   may_have(c, instruction, Construct::kDivision)    false at `for (int i = t; i < n; i += step)`
//   library_call(c.kernel, instruction)               "__shfl_down_sync": inlined from a CUDA
//   header
//
// If the text is missing or hidden by a macro, the answer is yes.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "advise/case/case.h"
#include "advise/case/origin.h"

namespace burin::advise {

enum class Construct : std::uint8_t {
  kDivision,   // a / or % by something other than a number
  kTest,       // if, ?:, &&, || or switch
  kCondition,  // a test, or a loop, which has an exit test
  kLoop,       // for, while or do
};

// Returns whether the statement at the instruction may have the construct, at its own line or at
// one of the lines that it was inlined into. CUDA's own headers do not count.
bool may_have(const Case& c, std::uint32_t instruction, Construct construct);
// Returns whether the user may have written the test that the instruction makes: the innermost line
// that it comes from has a test, or compares values for a test at a line that it was inlined into.
// Tests inside library functions, which the compiler inlines without saying so, have neither.
bool may_be_written_test(const Case& c, std::uint32_t instruction);
// Returns whether the text has the construct. Comments and string literals do not count.
bool has_construct(std::string_view text, Construct construct);

// Returns the function of CUDA's headers that the instruction was inlined from: the outermost,
// which the user called. Empty for the user's own code.
std::string library_call(const read::Kernel& kernel, std::uint32_t instruction);

// The line with the call of a library function that makes this access: "a.cu:50". Of accesses that
// the compiler put side by side, some have the line of another; the address, computed inside the
// call as well, still has its own. The instruction's line if no library function makes it.
std::string call_place(const Case& c, std::uint32_t access);

// Names of the kernel's parameters, in order, from its definition above the kernel's first line.
// Empty if the definition is not found or has a different number of parameters.
std::vector<std::string> parameter_names(const Case& c);
// Their declarations, likewise: "const float *__restrict__ keys".
std::vector<std::string> parameter_declarations(const Case& c);
// Whether the source declares all of these pointers __restrict__. The parameters are given by their
// offsets, as Origins::address_parameters() returns them. False without a source.
bool is_restrict(const Case& c, const std::set<std::uint32_t>& parameters);
// " of `keys`", or " of argument 1" (counted from 0): the array that a load or store accesses.
// Empty if it is unknown or one of several.
std::string argument_text(const Case& c, const Origins& origins, std::uint32_t instruction);

// "loop at saxpy.cu:41-44". If no line of the loop's code has a loop, a loop just above is
// included; if there is none either, the loop is the compiler's: "loop made by the compiler at
// saxpy.cu:41".
std::string loop_name(const Case& c, std::uint32_t loop);

}  // namespace burin::advise
