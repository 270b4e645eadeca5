// Speedup estimates from a blamed profile, by the equations of the paper (GPA, section 5.2).
//
//   T  all samples or warp-cycles       A  samples in which the scheduler issued (active)
//   M  samples that a rule matched      L  samples without issue (latency); M^L: matched and in L
//
//   stalls eliminated    S = T / (T - M)                                        (2)
//   stalls hidden        S = T / (T - min(A, M^L))                              (4)
//   … per scope l        S = T / (T - Σ min(A of l and nested scopes, M^L of l))   (5)
//   other warp count     S = 1/C_W · C_I · f, C_W = W_new / W,
//                        C_I = (1 - (1-R)^W_new) / (1 - (1-R)^W)                 (6-10)
//
// R is the fraction of a warp's cycles in which it issues. For the first three, f scales M: the
// fraction of the matched stalls that the change is known to remove. Beyond the paper, instructions
// that a change removes (Match::edits) also remove their issue slots and their own stalls.
#pragma once

#include <optional>

#include "advise/case/rule.h"

namespace burin::advise {

// The maximum speedup of an equation, if nearly all stalls of a launch are matched.
inline constexpr double kMaxEquation = 100;

double eliminate(double total, double matched);            // equation 2
double hide(double total, double active, double matched);  // equation 4
// Equations 6 to 10. Warps are per scheduler; `issue_share` is R.
double parallel(double warps, double new_warps, double issue_share, double factor);

// Returns the speedup of a match by its estimator. Scopes nest: a loop's stalls are filled by
// instructions issued in that loop and its inner loops, and each cycle fills one stall.
double estimate(const Case& c, const Match& match);

// Predicts the match's changed launch. Empty without a study, or if the launch does not fit.
std::optional<timing::Prediction> predict_match(const Case& c, const Match& match);
// Emulates the match's changed launch (another launch shape or grid) and returns its speedup.
// Empty without a study, or if the launch does not fit the machine.
std::optional<double> reshaped(const Case& c, const Match& match);

double matched(const BlamedProfile& blamed, const Match& match);  // M, weighted
// M scaled by f, plus the cycles of removed instructions.
double gone(const Case& c, const Match& match);

// Returns the number of warps per scheduler in this launch: those of the resident blocks, or fewer
// if the grid is smaller.
double warps_per_scheduler(const Case& c);

// The minimum estimated speedup of a change that issues loads earlier. Many warps already hide the
// latency, and additional instructions and registers cost a few percent: 3 of 4 such changes were
// slower on an H200 (bench/advice/paths).
double least_gain_of_earlier_loads(const Case& c);
double toll_of_earlier_loads(const Case& c);  // likewise: Match::toll

}  // namespace burin::advise
