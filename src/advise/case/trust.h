// Decides which of a finding's two estimates to use, caps it by hardware bounds, and sets the
// confidence.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/case/case.h"
#include "advise/case/finding.h"
#include "advise/case/rule.h"
#include "analyze/bounds/bounds.h"

namespace burin::advise {

// Whether to use the emulator's times for a launch, and why or why not. The decision rests on which
// of the launch's values are known and, if the launch was measured or sampled, on how well the
// emulator agrees.
struct EmulationTrust {
  bool yes = false;
  std::string why{};  // empty if there is no measurement or sample to compare with
};
EmulationTrust emulation_trust(const Case& c);
// Returns whether an emulated time is close enough to the measured time to be used.
bool agrees(double emulated_us, double measured_us);

// Load of one instruction on the SMs in the whole launch: issue slots, and cycles of a unit.
struct UnitWork {
  machine::Resource unit = machine::Resource::kIssue;  // kIssue: no unit other than issue
  double issued = 0;
  double cycles = 0;
};

// Facts about a launch that are known before any rule runs.
struct LaunchFacts {
  std::vector<analyze::Bound> bounds{};  // largest first; empty without a study
  std::vector<analyze::Bound> busy{};    // busy times of the units of the busiest SM
  std::vector<UnitWork> work{};          // per instruction; empty without a study
  double atomics_us = 0;                 // for which the busiest slices of L2 perform atomics
  double time_us = 0;                    // time to compare the bounds with: emulated if `emulation`
  bool emulation = false;                // emulated times are used for this launch
  std::string why{};                     // reason for `emulation`
  double samples = 0;                    // samples in the profile; 0: emulated profile
  double unknown_share = 0;  // fraction of the emulated time that depends on Unknown values
  bool guessed = false;      // unknown_share is so high that emulated estimates are worthless
};
LaunchFacts launch_facts_of(const Case& c);

// The largest speedup that the units allow. Units that the match does not relieve keep all of their
// work; arithmetic units that it relieves keep the work that its edits leave. Empty if unknown.
struct SpeedupCap {
  double speedup = 1;
  std::string name{};  // name of the bound: "dram"
  double reach = 1;    // fraction of the unit's throughput that code reaches
  // 0: a lower bound (bounds.h). Otherwise the time for which the emulated unit is busy, which
  // includes what a lower bound leaves out: row misses, single sectors, queues. In µs.
  double busy_us = 0;
};
std::optional<SpeedupCap> speedup_cap(const LaunchFacts& facts, const Match& match);

// Sets speedup, trust and confidence of a finding whose two estimates are set. `why_not`: the
// reason why there is no re-emulated estimate, if there is none.
void settle(const Case& c, const LaunchFacts& facts, const Match& match, Finding& finding,
            std::string_view why_not = "this change cannot be re-emulated");

}  // namespace burin::advise
