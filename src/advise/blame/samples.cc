// Blame of samples: finds sources, prunes them, and divides each stall by equation 1.
#include <algorithm>

#include "advise/blame/blame.h"
#include "advise/blame/dependency.h"
#include "advise/blame/sources.h"

namespace burin::advise {
namespace {

class Blamer {
 public:
  Blamer(const read::Kernel& kernel, const launch::StallProfile& profile,
         const machine::Machine& machine, const BlameOptions& options)
      : kernel_(kernel), options_(options), sources_(kernel, machine, options.prune_by_order) {
    blamed_.source = profile.unit == launch::StallProfile::Unit::kSamples
                         ? BlamedProfile::Source::kSamples
                         : BlamedProfile::Source::kEmulated;
    blamed_.issued.resize(kernel.instructions.size());
    blamed_.unattributed = profile.unattributed;
    count_issues(profile);
  }

  BlamedProfile blame(const launch::StallProfile& profile) {
    for (const launch::StallRow& row : profile.rows) {
      const std::uint64_t at = row.offset / 16;
      if (at >= kernel_.instructions.size()) {
        blamed_.unattributed += row.total();
        continue;
      }
      const auto instruction = static_cast<std::uint32_t>(at);
      blamed_.issued[instruction] += row.issued;
      blame_row(instruction, row);
    }
    if (nodes_ > 0) {
      blamed_.coverage_before = single_before_ / nodes_;
      blamed_.coverage_after = single_after_ / nodes_;
    }
    settle(blamed_);
    return std::move(blamed_);
  }

 private:
  // How often each instruction issued, in any unit: a count, or the samples that hit it issuing.
  // Instructions without such a sample get the mean of their block, which issues together.
  void count_issues(const launch::StallProfile& profile) {
    issues_.resize(kernel_.instructions.size(), 0);
    for (std::size_t r = 0; r < profile.rows.size(); ++r) {
      const std::uint64_t at = profile.rows[r].offset / 16;
      if (at >= issues_.size()) continue;
      issues_[at] += profile.executed.empty() ? profile.rows[r].issued : profile.executed[r];
    }
    if (!profile.executed.empty()) return;
    for (const read::BasicBlock& block : kernel_.blocks) {
      double sum = 0;
      for (std::uint32_t i = block.first; i <= block.last; ++i) sum += issues_[i];
      const double mean = sum / (block.last + 1 - block.first);
      for (std::uint32_t i = block.first; i <= block.last; ++i)
        if (issues_[i] == 0) issues_[i] = mean;
    }
  }

  void blame_row(std::uint32_t sampled, const launch::StallRow& row) {
    bool single_before = true;
    bool single_after = true;
    for (std::size_t s = 0; s < launch::kStalls; ++s) {
      const auto stall = static_cast<launch::Stall>(s);
      const launch::StallCycles& cycles = row.stalls[s];
      if (cycles.sum() <= 0) continue;
      const std::uint32_t waits = sources_.waiting(sampled, stall);
      const std::vector<BlameSource> sources = sources_.of(waits, stall);
      share(blamed_.stalls, waits, stall, cycles, sources);
      if (options_.unpruned) {
        share(blamed_.unpruned, waits, stall, cycles,
              sources_.before_pruning(waits, stall, sources));
      }
      if (search_of(stall) == BlameSearch::kOwn) continue;
      single_before &= sources_.unpruned(waits, stall) <= 1;
      single_after &= sources.size() <= 1;
    }
    single_before &= single_after;  // the remaining sources existed before pruning
    if (row.total() <= 0) return;
    nodes_ += 1;
    single_before_ += single_before ? 1 : 0;
    single_after_ += single_after ? 1 : 0;
  }

  // Equation 1.
  void share(std::vector<BlamedStall>& into, std::uint32_t waits, launch::Stall stall,
             const launch::StallCycles& cycles, const std::vector<BlameSource>& sources) const {
    if (sources.empty()) {
      into.push_back(uncaused(waits, stall, cycles));
      return;
    }
    std::vector<double> weights;
    double sum = 0;
    for (const BlameSource& source : sources) {
      const double length = options_.average_path ? source.path.average : source.path.longest;
      weights.push_back(issues_[source.cause] * source.weight / length);
      sum += weights.back();
    }
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const BlameSource& source = sources[k];
      const double part = sum > 0 ? weights[k] / sum : 1 / static_cast<double>(sources.size());
      if (part <= 0) continue;
      into.push_back({.cause = source.cause,
                      .waits = waits,
                      .stall = stall,
                      .dependency = dependency_of(kernel_.instructions[source.cause], stall,
                                                  source.after_read),
                      .cycles = {part * cycles.active, part * cycles.latency},
                      .distance = source.cause == waits ? 0 : source.path.longest});
    }
  }

  const read::Kernel& kernel_;
  const BlameOptions& options_;
  BlameSources sources_;
  BlamedProfile blamed_;
  std::vector<double> issues_;
  double nodes_ = 0;
  double single_before_ = 0;
  double single_after_ = 0;
};

}  // namespace

BlamedProfile blame(const read::Kernel& kernel, const launch::StallProfile& profile,
                    const machine::Machine& machine, const BlameOptions& options) {
  return Blamer(kernel, profile, machine, options).blame(profile);
}

}  // namespace burin::advise
