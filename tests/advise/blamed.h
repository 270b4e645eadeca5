// Blame of a program by hand:
//
//   WrittenProgram p;
//   p.op("LDG").writes(R(0)).sets(0);
//   p.op("MOV").reads(R(0)).waits(1);
//   Blamed b(p);
//   b.issued(0, 10).stalled(1, Stall::kLongScoreboard, 4);
//   b.causes(1)                                            // {{0, 4}}: instruction 0 has it all
#pragma once

#include <map>

#include "advise/blame/blame.h"
#include "read/program/program_builder.h"
#include "timing/timed_launch.h"

namespace burin::test {

class Blamed {
 public:
  explicit Blamed(const WrittenProgram& program) : kernel_(program.build()) {}

  Blamed& issued(std::uint32_t instruction, double samples) {
    profile_.row(16 * std::uint64_t{instruction}).issued += samples;
    return *this;
  }
  Blamed& stalled(std::uint32_t instruction, launch::Stall stall, double samples) {
    profile_.row(16 * std::uint64_t{instruction}).stalls[static_cast<std::size_t>(stall)] +=
        launch::StallCycles{.active = samples / 4, .latency = 3 * samples / 4};
    return *this;
  }

  const read::Kernel& kernel() const { return kernel_; }
  advise::BlamedProfile blame(const advise::BlameOptions& options = {}) const {
    return burin::advise::blame(kernel_, profile_, timing::h200(), options);
  }
  // What each cause has of the stalls at `waits`.
  std::map<std::uint32_t, double> causes(std::uint32_t waits,
                                         const advise::BlameOptions& options = {}) const {
    std::map<std::uint32_t, double> causes;
    for (const advise::BlamedStall& stall : blame(options).stalls)
      if (stall.waits == waits) causes[stall.cause] += stall.cycles.sum();
    return causes;
  }
  // The only stall.
  advise::BlamedStall only() const {
    const advise::BlamedProfile profile = blame();
    EXPECT_EQ(profile.stalls.size(), 1u);
    return profile.stalls.empty() ? advise::BlamedStall{} : profile.stalls.front();
  }

 private:
  read::Kernel kernel_;
  launch::StallProfile profile_{.unit = launch::StallProfile::Unit::kSamples};
};

}  // namespace burin::test
