// Divergent branches: which branch makes lanes skip an instruction, and whether it is the exit test
// of a loop.
//
//   const Split split = split_at(c, lanes_of(*c.study), hot);
//   split.branch     what makes lanes skip the instruction `hot`
//   split.loop       the loop that lanes leave after different trip counts
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "advise/case/case.h"
#include "advise/patterns/code/lanes.h"

namespace burin::advise {

inline constexpr double kFullWarp = 0.9;  // of the lanes, for a warp to count as full

// The branch or exit that lets only some lanes reach the instruction's block, or through which the
// other lanes left the loop; kNoIndex: none.
std::uint32_t splitting_branch(const Case& c, const std::vector<LaneMean>& lanes,
                               std::uint32_t instruction);

// Whether the lanes that the branch separates have work of their own on more than one side, as in
// `if (…) a(); else b();`.
bool has_work_on_both_sides(const Case& c, const std::vector<LaneMean>& lanes,
                            std::uint32_t branch);

// The loop whose bound a branch tests; kNoIndex: the branch tests no bound. Compilers repeat the
// test before the loop and between the copies of its body, on the same line as the loop's exit.
std::uint32_t bounded_loop(const Case& c, std::uint32_t branch, std::uint32_t hot);

// An instruction with idle lanes, and what splits its warps.
struct Split {
  std::uint32_t hot = read::kNoIndex;
  std::uint32_t branch = read::kNoIndex;  // splitting_branch()
  std::uint32_t loop = read::kNoIndex;    // bounded_loop()
};
Split split_at(const Case& c, const std::vector<LaneMean>& lanes, std::uint32_t hot);

// The block after the branch that dominates the instruction: it identifies the path. kNoIndex: the
// branch does not decide whether the instruction is reached.
std::uint32_t way_of(const Case& c, std::uint32_t branch, std::uint32_t instruction);

// Whether the branch depends on threadIdx.x and on no loaded value. False for kNoIndex.
bool by_thread_alone(const Case& c, std::uint32_t branch);

// Whether a lane's trip count is known before the loop: the branch compares a loop counter, not a
// value that the loop loads or computes. A `break` under a condition that no lane ever meets, which
// the compiler has made the branch's guard, does not count.
bool is_foreseen(const Case& c, const std::vector<LaneMean>& lanes, std::uint32_t branch,
                 std::uint32_t loop);

// Instructions that lanes skip because of a condition in the source. If the compiler lets one lane
// act for the whole warp, the other lanes are not idle.
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
