// Speedups by the equations of the paper (GPA, section 5.2), over a blamed profile.
//
//   T  all samples or warp-cycles       A  those in which the scheduler issued
//   M  those that a rule matched        L  the others; M^L: matched and of these
//
//   stalls go away       S = T / (T - M)                                        (2)
//   stalls are hidden    S = T / (T - min(A, M^L))                              (4)
//   … by their scope l   S = T / (T - Σ min(A of l and what is in it, M^L of l))   (5)
//   other warps          S = 1/C_W · C_I · f, C_W = W_new / W,
//                        C_I = (1 - (1-R)^W_new) / (1 - (1-R)^W)                 (6-10)
//
// R is the share of a warp's cycles in which it issues. For the first three, f scales M: the share
// of the matched stalls that the change is known to take away. Beyond the paper, instructions that
// a change does away with (Match::edits) take their issue and their own waits along.
#pragma once

#include <optional>

#include "advise/case/rule.h"

namespace burin::advise {

double eliminate(double total, double matched);            // equation 2
double hide(double total, double active, double matched);  // equation 4
// Equations 6 to 10; warps are those of one scheduler, `issue_share` is R.
double parallel(double warps, double new_warps, double issue_share, double factor);

// What a match is worth by its estimator. Its scopes nest: a loop's waits are filled by what that
// loop and the loops in it issue, and each cycle fills one wait.
double estimate(const Case& c, const Match& match);
// The same, had it matched this one stall alone.
double estimate(const Case& c, const Match& match, const MatchedStall& only);

// The match's other launch (its shape, or another grid), emulated: how many times as fast it is.
// Nothing without a study, or where the machine cannot hold it.
std::optional<double> reshaped(const Case& c, const Match& match);

double matched(const BlamedProfile& blamed, const Match& match);  // M, with weights
double gone(const Case& c, const Match& match);  // … f, and what goes with removed instructions

// Warps of a scheduler, as the launch runs: of the resident blocks, or fewer where the grid has not
// so many.
double warps_per_scheduler(const Case& c);

}  // namespace burin::advise
