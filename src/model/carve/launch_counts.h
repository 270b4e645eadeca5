// What carving counts of one compiled launch: a few of its blocks are executed, none is timed. All
// numbers are per block, averaged over the executed blocks, unless their comment says otherwise.
//
//   Result<LaunchCounts> counts = count_launch(kernel, launch, machine, {});
//   counts->instructions            15150: executed by a thread
//   counts->regions()               769: intervals between blocking instructions of a warp
//   counts->sectors / counts->ideal_sectors      1: every access is coalesced
//
// Blocking instructions are the first consumers of loads from global or local memory (once for
// loads that were issued in the same region, and so are in flight together), and barriers. Where
// the innermost loop has neither, the first consumers of special-function results (MUFU) are
// blocking too.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"
#include "launch/options.h"
#include "machine/machine.h"
#include "read/program/kernel.h"
#include "timing/trace/trace.h"

namespace burin::model {

struct LaunchCounts {
  double launches = 1;  // of this shape, in a configuration

  // Shape and resources.
  double blocks = 0;  // of the grid
  double threads = 0;
  double warps = 0;
  double resident_blocks = 0;  // on an SM
  double registers = 0;        // of a thread
  double shared_bytes = 0;
  double spill_bytes = 0;     // of a thread: its local memory
  double code_bytes = 0;      // of the instructions that were executed at least once
  double hot_code_bytes = 0;  // … at least half as often as the one that was executed most

  // Instructions. Cycles are those for which all warps of the block together occupy the unit of a
  // scheduler, as if the SM had one scheduler.
  double instructions = 0;      // of a thread: mean over the block's warps
  double weighted = 0;          // … each weighted by the gap of its pipe, in issue cycles
  double issue_cycles = 0;      // issue slots
  double fma_cycles = 0;        // both FP32 units, at the rate of both
  double fma_heavy_cycles = 0;  // the FP32 unit that multiplies integers
  double alu_cycles = 0;
  double fp64_cycles = 0;
  double xu_cycles = 0;
  double tensor_cycles = 0;
  double uniform_cycles = 0;
  double operand_cycles = 0;   // reads from the fullest register bank
  double constant_cycles = 0;  // the constant cache of the SM

  // Regions of a warp: mean over the block's warps.
  double long_waits = 0;     // first consumers of loads from global or local memory
  double barriers = 0;       // waits at barriers
  double special_waits = 0;  // first consumers of special-function results, where they block
  double long_loads = 0;     // loads from global or local memory
  // Cycles of the block's longest warp if it had the SM to itself: control codes and latencies of
  // scoreboards. Independent instructions overlap in them, as the compiler scheduled them.
  double alone_cycles = 0;
  // Of these, cycles spent waiting for global or local memory.
  double exposed_cycles = 0;

  // Memory. Cycles are those of the SM's one memory pipe.
  double requests = 0;       // warp instructions that access global memory
  double sectors = 0;        // 32-byte sectors that they touch
  double ideal_sectors = 0;  // … if the bytes of their lanes were adjacent
  double shared_cycles = 0;  // passes over the banks of shared memory
  double shared_bytes_moved = 0;
  double l1_cycles = 0;  // tag lookups and data of global and local memory
  double l1_bytes = 0;
  double l2_read_bytes = 0;  // misses of an L1 cache that the resident blocks share
  double l2_write_bytes = 0;
  double l2_requests = 0;        // of at most 64 bytes
  double l2_write_requests = 0;  // … of these, stores and atomics
  double atomics = 0;            // sectors with atomics
  double atomic_passes = 0;      // passes over them: lanes at one address come one after the other
  double local_bytes = 0;        // moved by spills
  double dram_bytes = 0;         // of the whole launch: each buffer once, as far as it is used
  double heaviest = 1;  // instructions of the heaviest executed block, as a share of the mean

  double regions() const { return long_waits + barriers + special_waits + 1; }
};

// The numbers by name, for files and reports.
struct CountField {
  std::string_view name;
  double LaunchCounts::* value;
  bool mean;  // over the executed blocks; false: of the launch
};
std::span<const CountField> count_fields();

struct CountOptions {
  std::vector<launch::TripCount> trips{};
  launch::UnknownAccess unknown{};
  std::uint64_t max_instructions = 24'000'000;  // warp instructions of all executed blocks
};

// The kernel must have been built with loops; dependences are not needed. The Error says what
// cannot be counted: a loop that does not end, an address that is Unknown.
Result<LaunchCounts> count_launch(const read::Kernel& kernel, const launch::Launch& launch,
                                  const machine::Machine& machine, const CountOptions& options);

}  // namespace burin::model
