// Which of a finding's two estimates to believe, how far the hardware allows it, and how sure we
// are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/case/case.h"
#include "advise/case/finding.h"
#include "advise/case/rule.h"
#include "analyze/bounds.h"

namespace burin::advise {

// Whether the emulator's times can be believed for a launch, and why or why not: what is known of
// its values, and where it was measured or sampled, how far the emulator agrees.
struct Belief {
  bool yes = false;
  std::string why{};  // empty if nothing was measured or sampled to compare with
};
Belief belief_in_emulation(const Case& c);
// Whether an emulated time is near enough to a measured one to be believed.
bool agrees(double emulated_us, double measured_us);

// What is known of a launch before any rule is asked.
struct Grounds {
  std::vector<analyze::Bound> bounds{};  // the largest first; empty without a study
  std::vector<analyze::Bound> busy{};    // … what units of the fullest SM are busy for
  double time_us = 0;        // that they are held against: emulated where that is believed
  bool emulation = false;    // its times can be believed for this launch …
  std::string why{};         // … or not, and for what reason
  double samples = 0;        // of the profile; 0: it is the emulator's
  double unknown_share = 0;  // of the emulated time, that rests on Unknown values
  bool guessed = false;      // … so much that nothing emulated is worth its time
};
Grounds grounds_of(const Case& c);

// The largest speedup that the units which the match leaves as busy as they are allow; nothing
// where that is not known.
struct Roof {
  double speedup = 1;
  std::string name{};  // of the bound: "dram"
};
std::optional<Roof> roof_of(const Grounds& grounds, const Match& match);

// Sets speedup, trust and confidence of a finding that has its two estimates.
void settle(const Case& c, const Grounds& grounds, const Match& match, Finding& finding);

}  // namespace burin::advise
