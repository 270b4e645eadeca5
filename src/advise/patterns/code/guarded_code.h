// Code after branches on loaded data that all lanes could execute, choosing the result with ?:
// instead of a branch.
//
//   if (const std::optional<GuardedCode> code = guarded_code(c, lanes, wasted, split)) …
//     code->size()                  9: instructions after each branch
//     executed_by_all_us(c, *code)  what it takes where warps skip the code now
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "advise/patterns/code/splitting_branch.h"

namespace burin::advise {

struct GuardedCode {
  std::set<std::uint32_t> branches{};
  std::map<std::uint32_t, std::uint32_t> body{};  // instructions, and the branch of each
  double size() const {
    return static_cast<double>(body.size()) / static_cast<double>(branches.size());
  }
};

// The code with idle lanes, where `wasted` is above 0, in the loop around the branch of `split`.
// Empty: loaded data does not decide, the branch tests the bound of a loop, or lanes that do not
// need the code cannot execute it.
std::optional<GuardedCode> guarded_code(const Case& c, const std::vector<LaneMean>& lanes,
                                        const std::vector<double>& wasted, const Split& split);

// The time for the executions by warps that skip the code now, and for a select of each result.
// Needs a study.
double executed_by_all_us(const Case& c, const GuardedCode& code);

}  // namespace burin::advise
