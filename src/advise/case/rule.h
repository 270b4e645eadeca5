// A rule recognises one kind of inefficiency and says what to change. The rule only matches stalls;
// estimates, bounds, ranking and output are common to all rules (advise.h).
//
//   class BankConflicts final : public Rule {
//     std::string_view id() const override { return "bank-conflicts"; }
//     std::string_view summary() const override { return "lanes that hit one bank"; }
//     std::vector<Match> match(const Case& c) const override;
//   };
//   const Rule* bank_conflicts() { static const BankConflicts rule; return &rule; }
//
// A rule is one file in rules/ and one line in rules/all.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/case/case.h"
#include "analyze/study/edit.h"
#include "machine/timing_class.h"

namespace burin::advise {

struct MatchedStall {
  std::uint32_t stall = 0;               // index into BlamedProfile::stalls
  double weight = 1;                     // fraction of the stall that the change would remove
  std::uint32_t scope = read::kNoIndex;  // kHide: the loop or function whose code can fill the wait
};

// The toll of changes that trade a shorter wait for more work. Such changes, when made, gained a
// third to a half of the 6 to 16 % that the emulation promised (bench/advice/paths, H200).
inline constexpr double kDefaultToll = 0.1;

// Static shared memory that a block may declare; more must be dynamic and requested at launch.
inline constexpr std::uint64_t kStaticShared = std::uint64_t{48} << 10;

// How matched stalls translate into a speedup. The equations are the paper's (estimate.h).
enum class Estimator : std::uint8_t {
  kEliminate,  // the stalls are removed: equation 2
  kHide,       // other work in their scope fills them: equations 3 to 5
  kParallel,   // more or fewer warps share the schedulers: equations 6 to 10
  kGiven,      // the rule provides Match::speedup
};

// The scope of the work that can fill a wait.
enum class Scope : std::uint8_t { kKernel, kFunction, kLoop };

struct Match {
  std::vector<MatchedStall> stalls{};
  Estimator estimator = Estimator::kEliminate;
  Scope scope = Scope::kKernel;  // for kHide
  // F of equation 10; for the other estimators, the fraction of M that is removed.
  double factor = 1;
  double warps = 0;    // for kParallel: W_new, warps per scheduler
  double speedup = 1;  // for kGiven

  // The same launch with the cause removed, to be emulated: edits of its trace, a change of its
  // shape (what_if.h), or another launch that does the same work. If none is set, there is no
  // emulated estimate, unless the rule sets `emulated` itself.
  std::vector<analyze::Edit> edits{};
  std::string what_if{};
  std::optional<launch::Launch> launch{};
  std::optional<double> emulated{};
  bool complete = false;  // `emulated` is of the changed launch itself: the bounds do not apply
  double reach = 1;       // fraction of the emulated gain that the change can realise
  double least = 0;       // a smaller speedup is not shown: the change may cost more than it gains
  // Costs of the change that the emulation does not include: spilled registers, more code, tiles
  // loaded more often. A gain as large as the toll (0.1: 10 %) is halved.
  double toll = 0;
  // Units that would have less work. The bounds of all other units cap the speedup.
  std::vector<machine::Resource> relieves{};
  double more_sms = 1;     // factor on the number of SMs with work: each SM's units do less
  bool evens_sms = false;  // SMs get equal shares: the bound of the busiest SM does not apply
  // The unit that limits the changed code, if the estimate is from rework.h, which already respects
  // the bounds.
  std::string rework_limit{};
  double added_us = 0;  // additional time of the changed code that is not emulated
  // The changed code takes at least this long, from another emulation than that of `edits`:
  // fewer threads, each with the arithmetic of several elements. 0: unknown.
  double least_us = 0;

  // Finding::share includes the issue slots of the instructions that the edits remove.
  bool counts_issue = false;

  // Place of the match if it has no stalls: an instruction, or kNoIndex for the whole launch.
  std::uint32_t where = read::kNoIndex;
  std::string text{};  // what and why, in one or two sentences
  std::string hint{};  // what to change
  // Options of the changed launch, "--grid 1024 --block 256", for the check command at the end of
  // the finding. Empty: the launch stays the same, or the changed launch is unknown.
  std::string check{};
};

class Rule {
 public:
  virtual ~Rule() = default;
  virtual std::string_view id() const = 0;
  virtual std::string_view summary() const = 0;  // what the rule matches, in a few words
  // Returns the matches; empty if there are none. Several matches are changes that can be made
  // independently.
  virtual std::vector<Match> match(const Case& c) const = 0;
  // Returns true if the rule judges the grid or block size; it is skipped if these are unknown.
  virtual bool needs_launch_shape() const { return false; }
};

// Returns the stalls for which `wanted(const BlamedStall&)` is true, with weight 1.
template <typename Wanted>
std::vector<MatchedStall> stalls_where(const Case& c, Wanted wanted) {
  std::vector<MatchedStall> found;
  for (std::uint32_t s = 0; s < c.blamed.stalls.size(); ++s) {
    if (wanted(c.blamed.stalls[s])) found.push_back({.stall = s});
  }
  return found;
}
// Returns the set of instructions that cause the stalls.
read::InstructionSet causes_of(const Case& c, std::span<const MatchedStall> stalls);
// Returns the fraction of T in the stalls.
double share_of(const Case& c, std::span<const MatchedStall> stalls);
// The fraction of the kernel's issued warp instructions, 0 to 1.
double issued_share(const Case& c, const read::InstructionSet& instructions);
// A launch as options of burin: "--grid 64,64,1 --block 16,16,1".
std::string shape_options(const launch::Dims& grid, const launch::Dims& block);
// Another grid with the same block size: adds the last sentence of the hint, and the options of the
// check command.
void launch_grid(const Case& c, const launch::Dims& grid, Match& match);
// For a change that adds this many bytes of shared memory per block: extends the hint and the check
// command if the block then needs dynamic shared memory.
void add_dynamic_shared(const Case& c, double bytes, std::string& hint, std::string& check);
// Returns the largest of the stalls, which must not be empty.
const BlamedStall& hottest(const Case& c, std::span<const MatchedStall> stalls);
// Returns the largest stall on the source line with the largest sum of stalls: for stalls spread
// over the whole code.
const BlamedStall& hottest_of_line(const Case& c, std::span<const MatchedStall> stalls);

}  // namespace burin::advise
