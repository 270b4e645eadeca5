// Where the warps of one kernel were and why they did not issue: from PC samples of a GPU or from
// the emulator, in one type, so that advice takes either and validating is comparing.
//
//   StallProfile profile{.unit = StallProfile::Unit::kSamples};
//   profile.add(0x1c0, "long_scoreboard", {.active = 40, .latency = 60});
//   profile.add(0x1d0, "selected", {.active = 3});
//   profile.total()      103: what is issued and all stalls, unattributed ones too
//   compare(predicted, measured).overlap   0.84
//
// A sample of a warp says what it waited for, and whether its scheduler issued from another warp in
// that cycle (active) or from none (latency).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "launch/stall.h"

namespace burin::launch {

struct StallRow {
  std::uint64_t offset = 0;                   // of the instruction in the kernel, in bytes
  double issued = 0;                          // the warp itself issued
  std::array<StallCycles, kStalls> stalls{};  // by Stall

  double total() const;
};

struct StallProfile {
  enum class Unit : std::uint8_t {
    kSamples,     // one in so many cycles, of one warp of each scheduler
    kWarpCycles,  // every cycle of every warp
  };
  Unit unit = Unit::kSamples;
  std::vector<StallRow> rows{};  // by offset
  double unattributed = 0;       // of the kernel, but of no instruction of it
  // How often each instruction was executed, where that was counted: per row, else empty.
  std::vector<double> executed{};

  // Adds to the row of `offset`, made where there is none. `reason` is a profiler's name or ours;
  // "selected" is issuing. One that no name fits counts as misc.
  void add(std::uint64_t offset, std::string_view reason, StallCycles count);

  StallRow& row(std::uint64_t offset);
  double issued() const;
  std::array<StallCycles, kStalls> stalls() const;  // over all rows
  double total() const;                             // conserved: all that was ever added
};

// The Stall that a profiler's word means: CUPTI's ("no_instructions"), Nsight Compute's columns
// ("stall_long_sb") or ours. Nothing for "selected", which is no stall, and for unknown words.
std::optional<Stall> stall_named(std::string_view word);

// How alike two profiles of one kernel are, each scaled to a total of 1.
struct StallAgreement {
  double overlap = 0;              // Σ min over reasons, issuing among them: 1 is the same mix
  double place_overlap = 0;        // Σ min over instructions: 1 is the same places
  std::optional<Stall> top_first;  // the reason with the most cycles, of each
  std::optional<Stall> top_second;

  bool same_top() const { return top_first == top_second; }
};
StallAgreement compare(const StallProfile& first, const StallProfile& second);

}  // namespace burin::launch
