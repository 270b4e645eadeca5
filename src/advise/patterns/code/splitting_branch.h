// Branches that split warps: which one keeps lanes from an instruction, and whether it is the bound
// of a loop.
//
//   const std::uint32_t branch = splitting_branch(c, lanes_of(*c.study), hot);
//   bounded_loop(c, branch, hot)   // the loop that lanes leave after different numbers of turns
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "advise/case/case.h"
#include "advise/patterns/code/lanes.h"

namespace burin::advise {

inline constexpr double kFullWarp = 0.9;  // of the lanes: what is called full

// The branch or exit before a block that lets only some of its lanes go there, or by which the
// others have left the loop; kNoIndex: none.
std::uint32_t splitting_branch(const Case& c, const std::vector<LaneMean>& lanes,
                               std::uint32_t instruction);

// The loop whose bound a branch tests; kNoIndex: it is no bound. Compilers repeat the test before
// the loop and between the copies of its body: then its line has the loop's exit, too.
std::uint32_t bounded_loop(const Case& c, std::uint32_t branch, std::uint32_t hot);

// Whether it is known before the loop how many turns a lane takes: the branch compares what the
// loop counts, not what it loads or computes.
bool is_foreseen(const Case& c, std::uint32_t branch, std::uint32_t loop);

// Instructions that a condition of the source keeps lanes from. Where the compiler lets one lane
// act for all, the others are not idle.
class SplitCode {
 public:
  SplitCode(const Case& c, const std::vector<LaneMean>& lanes) : c_(c), lanes_(lanes) {}

  bool operator()(std::uint32_t instruction);

 private:
  const Case& c_;
  const std::vector<LaneMean>& lanes_;
  std::map<std::uint32_t, bool> written_;  // by branch
};

}  // namespace burin::advise
