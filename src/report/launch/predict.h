// A prediction, as text and as JSON.
//
//   transpose on h200: 335 µs predicted (663,300 cycles at 1980 MHz), caches cold; no GPU used
//
//   occupancy     100.0 % theoretical (64 of 64 warps: 8 blocks of 256 threads per SM), …
//                 93.1 % achieved (59.6 of 64 warps on average)
//   waves         62.1 (65,536 blocks, 1,056 at once); 1.2 % of the time is the tail wave
//   …
//   resource      busy
//   issue        21.4 %  ████
//
// The shares of stalls, lines and loops are fractions of warp-cycles: every cycle of every warp on
// an SM counts once, at the instruction where the warp issues or waits.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "machine/machine.h"
#include "read/program/kernel.h"
#include "read/program/source.h"
#include "report/write/json.h"
#include "report/write/output.h"
#include "timing/predict.h"

namespace burin::report {

struct PredictReport {
  const read::Kernel& kernel;
  const launch::Launch& launch;
  const machine::Machine& machine;
  const timing::PredictOptions& options;
  const timing::Prediction& prediction;
  bool machine_assumed = false;  // not named by the user: default for the kernel's architecture
  std::size_t most_lines = 10;   // lines shown in the text
  std::size_t most_json_lines = std::numeric_limits<std::size_t>::max();
};

void write_prediction(Output& out, const PredictReport& report, read::SourceText& source);

// Writes one line for each of many launches, under one header:
//
//   time         occupancy  achieved  busiest          top stall                 launch
//   335 µs          75.0 %    71.2 %  dram 84 %        long_scoreboard 71 %      --grid 256,256 …
void write_prediction_row_head(Output& out);
void write_prediction_row(Output& out, const PredictReport& report, std::string_view launch);

// Writes the fields of {"schema":"burin.predict/1",…}; the caller opens and closes the object.
void write_prediction_json(Json& json, const PredictReport& report, std::string_view file);

// Returns the number of SMs that get a block.
double sms_in_use(const PredictReport& report);

// Warps per SM as a fraction of the maximum. Theoretical: as many as fit, if the grid has that
// many. Achieved: the average while the kernel runs, over the SMs in use.
double theoretical_occupancy(const PredictReport& report);
double achieved_occupancy(const PredictReport& report);

// The total cost of a set of instructions.
struct CostSum {
  double issued = 0;
  double warp_cycles = 0;  // issued and stalled
  double unknown = 0;      // warp-cycles that depend on Unknown values
  double sectors = 0;
  std::array<double, launch::kStalls> stalls{};

  // Returns the stall with the most warp-cycles; empty if nothing stalled.
  std::optional<launch::Stall> top_stall() const;
};
struct LineCost : CostSum {
  std::string_view file;  // "": no line information
  std::uint32_t line = 0;
};
struct LoopCost : CostSum {
  std::uint32_t loop = 0;  // index into Kernel::loops
};
std::vector<LineCost> costs_by_line(const PredictReport& report);  // most expensive first
std::vector<LoopCost> costs_by_loop(const PredictReport& report);  // in the order of Kernel::loops

}  // namespace burin::report
