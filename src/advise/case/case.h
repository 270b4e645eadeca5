// All that a rule may look at: one launch of one kernel on one machine, with what its warps waited
// for. The profile comes from a GPU's samples or from the emulator; what only one of the two knows
// is empty or null for the other.
//
//   Case c{.kernel = study->kernel(), .machine = study->machine(), .blamed = blamed,
//          .grid = launch.grid, .block = launch.block, .needs = …, .occupancy = …,
//          .study = study.get(), .accesses = accesses_of(study->kernel(), study->base())};
//   const Advice advice = advise(c, {});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/blame/blame.h"
#include "advise/case/place.h"
#include "advise/case/sequence.h"
#include "analyze/study.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "machine/occupancy.h"
#include "read/program/kernel.h"

namespace burin::advise {

// What one instruction asked of memory, over the whole launch.
struct AccessCount {
  double executed = 0;       // warp instructions
  double sectors = 0;        // of 32 bytes, asked of L1; 0 where it asks none
  double ideal_sectors = 0;  // the fewest that its bytes fit in
  double passes = 0;         // over the banks
  double ideal_passes = 0;   // … without conflicts
};

// By the emulator. Lanes that are switched off count as if they moved their bytes too, so the ideal
// is never too small.
std::vector<AccessCount> accesses_of(const read::Kernel& kernel,
                                     const timing::Prediction& prediction);

struct Case {
  const read::Kernel& kernel;  // with dependences
  const machine::Machine& machine;
  const BlamedProfile& blamed;
  launch::Dims grid{};
  launch::Dims block{};
  machine::KernelNeeds needs{};
  machine::Occupancy occupancy{};
  std::optional<double> time_us{};  // measured, else predicted
  bool time_measured = false;
  const analyze::Study* study = nullptr;  // null: nothing to emulate with
  std::vector<AccessCount> accesses{};    // per instruction; empty: not known
  // The text of a line of the source, without spaces around; empty where it is not found.
  std::function<std::string(std::string_view file, std::uint32_t line)> source_line{};
  const LaunchSequence* neighbours = nullptr;  // null: the launch is alone
  KernelPlaces places{kernel};

  std::size_t size() const { return kernel.instructions.size(); }
  const read::Instruction& at(std::uint32_t instruction) const {
    return kernel.instructions[instruction];
  }
  const timing::Prediction* prediction() const {
    return study == nullptr ? nullptr : &study->base();
  }
  bool executed(std::uint32_t instruction) const;       // as far as is known: sampled or counted
  std::string source(std::uint32_t instruction) const;  // its line's text, "" where not found
};

}  // namespace burin::advise
