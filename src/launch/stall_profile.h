// The stall profile of one kernel: warp samples per instruction and stall reason. PC samples of a
// GPU and emulator results share this type, so that advice works with either and validation
// compares the two.
//
//   StallProfile profile{.unit = StallProfile::Unit::kSamples};
//   profile.add(0x1c0, "long_scoreboard", {.active = 40, .latency = 60});
//   profile.add(0x1d0, "selected", {.active = 3});
//   profile.total()      103: what is issued and all stalls, unattributed ones too
//   compare(predicted, measured).overlap   0.84
//
// A sample of a warp gives its stall reason and whether its scheduler issued from another warp in
// that cycle (active) or issued nothing (latency).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "launch/stall.h"

namespace burin::launch {

struct StallRow {
  std::uint64_t offset = 0;                   // byte offset of the instruction in the kernel
  double issued = 0;                          // cycles or samples in which the warp issued
  std::array<StallCycles, kStalls> stalls{};  // indexed by Stall

  double total() const;
};

// Minimum number of samples. With fewer, random variation alone moves shares by a tenth.
inline constexpr double kMinSamples = 100;

struct StallProfile {
  enum class Unit : std::uint8_t {
    kSamples,     // periodic samples of one warp per scheduler
    kWarpCycles,  // every cycle of every warp
  };
  Unit unit = Unit::kSamples;
  std::vector<StallRow> rows{};  // sorted by offset
  double unattributed = 0;       // in the kernel, but not at one of its instructions
  // Execution count per row, if counted; otherwise empty.
  std::vector<double> executed{};

  // Adds to the row of `offset`, which is created if needed. `reason` is a profiler's name or ours;
  // "selected" means issued. An unknown reason counts as misc.
  void add(std::uint64_t offset, std::string_view reason, StallCycles count);

  StallRow& row(std::uint64_t offset);
  double issued() const;
  std::array<StallCycles, kStalls> stalls() const;  // sum over all rows
  double total() const;                             // conserved: the sum of everything added
};

// Returns the Stall for a profiler's name: CUPTI's ("no_instructions"), Nsight Compute's columns
// ("stall_long_sb") or ours. Returns nothing for "selected", which is not a stall, and for unknown
// names.
std::optional<Stall> stall_named(std::string_view word);

// The similarity of two profiles of one kernel, each normalised to a total of 1.
struct StallAgreement {
  double overlap = 0;              // Σ min over reasons, including issued: 1 is the same mix
  double place_overlap = 0;        // Σ min over instructions: 1 is the same distribution
  std::optional<Stall> top_first;  // top stall reason of each profile
  std::optional<Stall> top_second;

  bool same_top() const { return top_first == top_second; }
};
StallAgreement compare(const StallProfile& first, const StallProfile& second);

}  // namespace burin::launch
