// Everything a rule can look at: one launch of one kernel on one machine, with the stalls of its
// warps. The profile comes from GPU samples or from the emulator; fields known only for the other
// source are empty or null.
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
#include "analyze/study/study.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "machine/occupancy.h"
#include "read/program/kernel.h"

namespace burin::advise {

// Memory accesses of one instruction, over the whole launch.
struct AccessCount {
  double executed = 0;       // warp instructions
  double sectors = 0;        // 32-byte sectors requested from L1; 0: no global access
  double ideal_sectors = 0;  // minimum number of sectors for its bytes
  double passes = 0;         // shared-memory passes over the banks
  double ideal_passes = 0;   // passes without bank conflicts
  double padded_passes = 0;  // passes if the array left one element free after every 128 bytes

  bool scattered() const;  // clearly more sectors than the bytes need
};

// Returns the emulator's counts for each instruction. Inactive lanes count as if they moved their
// bytes too, so the ideal is never too small.
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
  std::optional<double> time_us{};  // measured if time_measured, else predicted
  bool time_measured = false;
  const analyze::Study* study = nullptr;  // null: no emulation available
  std::vector<AccessCount> accesses{};    // per instruction; empty: unknown
  // Returns the text of a source line without surrounding spaces; empty if not found.
  std::function<std::string(std::string_view file, std::uint32_t line)> source_line{};
  const LaunchSequence* neighbours = nullptr;  // null: no other launches known
  KernelPlaces places{kernel};

  std::size_t size() const { return kernel.instructions.size(); }
  const read::Instruction& at(std::uint32_t instruction) const {
    return kernel.instructions[instruction];
  }
  const timing::Prediction* prediction() const {
    return study == nullptr ? nullptr : &study->base();
  }
  bool executed(std::uint32_t instruction) const;       // sampled or counted at least once
  std::string source(std::uint32_t instruction) const;  // text of its source line; "": not found
};

}  // namespace burin::advise
