// Branches around the slow paths of precise math functions, and what their removal does to the code
// around them: copies of an unrolled loop interleave, and loads after a branch are issued together
// with those in front of it.
//
//   const OpenedCode opened(c, math_lines(c, calls, flushing));
//   opened.gone                 the branches, their tests and the calls
//   opened.copies(load)         4: that many copies of the load are in flight at the same time
//   opened.joins(load)          it is issued with an earlier load, and arrives with it
#pragma once

#include <map>
#include <vector>

#include "advise/patterns/code/math_line.h"

namespace burin::advise {

class OpenedCode {
 public:
  OpenedCode(const Case& c, const std::map<MathPlace, MathLine>& lines);

  static bool is_slow_path(const Case& c, std::uint32_t function);

  // The number of copies of the instruction that wait at the same time; 1: no branch is removed.
  double copies(std::uint32_t instruction) const { return copies_[instruction]; }
  bool joins(std::uint32_t load) const { return joins_[load] != 0; }

  read::InstructionSet gone;

 private:
  bool is_inlined_slow_path(const Case& c, std::uint32_t block) const;
  void open_loops(const Case& c);
  void open_straight_code(const Case& c);
  void join_loads(const Case& c);

  const std::map<MathPlace, MathLine>& lines_;
  std::vector<double> copies_;
  read::InstructionSet joins_;
};

}  // namespace burin::advise
