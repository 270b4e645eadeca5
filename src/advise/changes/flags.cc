// Compiler flags that change floating-point arithmetic.
#include <algorithm>
#include <string_view>

#include "advise/changes/propose.h"
#include "read/isa/traits.h"

namespace burin::advise {
namespace {

// Whether the flags affect the code: whether it has special functions, or divisions, roots and math
// functions built on them.
bool has_special_functions(const read::Kernel& kernel) {
  return std::ranges::any_of(kernel.instructions, [](const read::Instruction& i) {
    return read::has(i, read::Trait::kSpecialFunction) || read::has(i, read::Trait::kDivisionCheck);
  });
}

}  // namespace

void propose_flags(const ProposalInput& input, Proposals& all) {
  if (!has_special_functions(input.c.kernel)) return;
  struct Flag {
    std::string_view title;
    std::vector<std::string> flags;
    std::vector<std::string> rules;
    std::string_view condition;
  };
  const Flag flags[] = {
      {"-ftz=true", {"-ftz=true"}, {}, "Denormal floats become zero, in all kernels of the file."},
      {"-ftz=true -prec-div=false -prec-sqrt=false",
       {"-ftz=true", "-prec-div=false", "-prec-sqrt=false"},
       {},
       "Divisions and square roots are not correctly rounded and denormal floats become zero, in "
       "all kernels of the file."},
      {"--use_fast_math",
       {"--use_fast_math"},
       {"fast-math"},
       "Division, square root and the math functions lose precision, in all kernels of the file."},
  };
  for (const Flag& flag : flags) {
    all.changes.push_back({.family = "flags",
                           .title = "nvcc " + std::string(flag.title),
                           .condition = std::string(flag.condition),
                           .rules = flag.rules,
                           .rounds_differently = true,
                           .flags = flag.flags});
  }
}

}  // namespace burin::advise
