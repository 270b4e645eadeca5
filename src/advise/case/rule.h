// A rule recognises one kind of waste and says what to do about it. It matches stalls; estimating,
// bounding, ranking and telling is done once for all rules (advise.h).
//
//   class BankConflicts final : public Rule {
//     std::string_view id() const override { return "bank-conflicts"; }
//     std::string_view summary() const override { return "lanes that hit one bank"; }
//     std::vector<Match> match(const Case& c) const override;
//   };
//   const Rule* bank_conflicts() { static const BankConflicts rule; return &rule; }
//
// That is one file in rules/, and one line in rules/all.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/case/case.h"
#include "analyze/edit.h"
#include "machine/timing_class.h"

namespace burin::advise {

struct MatchedStall {
  std::uint32_t stall = 0;               // position in BlamedProfile::stalls
  double weight = 1;                     // the share of it that the change would take away
  std::uint32_t scope = read::kNoIndex;  // kHide: the loop or function whose code may fill the wait
};

// How the matched stalls become a speedup; the equations are the paper's, in estimate.h.
enum class Estimator : std::uint8_t {
  kEliminate,  // the stalls go: equation 2
  kHide,       // other work of their scope fills them: equations 3 to 5
  kParallel,   // more or fewer warps share the schedulers: equations 6 to 10
  kGiven,      // the rule knows better: Match::speedup
};

// What bounds the work that may fill a wait.
enum class Scope : std::uint8_t { kKernel, kFunction, kLoop };

struct Match {
  std::vector<MatchedStall> stalls{};
  Estimator estimator = Estimator::kEliminate;
  Scope scope = Scope::kKernel;  // kHide
  double factor = 1;             // f: of equation 10; for the others, the share of M that goes
  double warps = 0;              // kParallel: W_new, warps of a scheduler
  double speedup = 1;            // kGiven

  // The same launch with the cause removed, to be emulated: edits of its trace, a change of its
  // shape (what_if.h), or another launch that does the same. None of them: there is no such
  // estimate, save where the rule gives `emulated` itself.
  std::vector<analyze::Edit> edits{};
  std::string what_if{};
  std::optional<launch::Launch> launch{};
  std::optional<double> emulated{};
  double reach = 1;  // the share of what the emulation gains that the change can really have
  // Units that would have less to do. The others' bounds hold the speedup down.
  std::vector<machine::Resource> relieves{};
  double more_sms = 1;     // so many times as many SMs have work: each one's units do less
  bool evens_sms = false;  // SMs get equal shares: what the fullest one has to do bounds nothing

  // Where it is, if no stall tells: instruction or kNoIndex for the whole launch.
  std::uint32_t where = read::kNoIndex;
  std::string text{};  // what and why, one or two sentences
  std::string hint{};  // what to change
};

class Rule {
 public:
  virtual ~Rule() = default;
  virtual std::string_view id() const = 0;
  virtual std::string_view summary() const = 0;  // what it matches, in a few words
  // Nothing where nothing matches. Several matches are changes that can be made apart.
  virtual std::vector<Match> match(const Case& c) const = 0;
  // It judges the grid or the block size, so it is not asked where those are unknown.
  virtual bool needs_launch_shape() const { return false; }
};

// The stalls for which `wanted(const BlamedStall&)` holds, whole.
template <typename Wanted>
std::vector<MatchedStall> stalls_where(const Case& c, Wanted wanted) {
  std::vector<MatchedStall> found;
  for (std::uint32_t s = 0; s < c.blamed.stalls.size(); ++s) {
    if (wanted(c.blamed.stalls[s])) found.push_back({.stall = s});
  }
  return found;
}
// The instructions that they blame.
read::InstructionSet causes_of(const Case& c, std::span<const MatchedStall> stalls);
// The share of T that they hold.
double share_of(const Case& c, std::span<const MatchedStall> stalls);
// The one that holds most; there must be one.
const BlamedStall& hottest(const Case& c, std::span<const MatchedStall> stalls);
// … of the line whose instructions wait most together: for waits that are spread over all the code.
const BlamedStall& hottest_of_line(const Case& c, std::span<const MatchedStall> stalls);

}  // namespace burin::advise
