// What a prediction says, for people and for programs.
//
//   transpose on h200: 335 µs predicted (663,300 cycles at 1980 MHz), caches cold; no GPU used
//
//   occupancy     100 % (64 of 64 warps: 8 blocks of 256 threads on each SM), limited by warps
//   waves         62.1 of 1,056 blocks; 1.2 % of the time is the tail
//   …
//   resource      busy
//   issue        21.4 %  ████
//
// The shares of stalls, lines and loops are of warp-cycles: every cycle of every warp on an SM
// counts once, where the warp issues or waits.
#pragma once

#include <cstdint>
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
  bool machine_assumed = false;  // nobody named it: it is the one for the kernel's architecture
  std::size_t most_lines = 10;   // shown in the text; JSON has them all
};

void write_prediction(Output& out, const PredictReport& report, read::SourceText& source);

// A line for each of many launches, under one head:
//
//   time         occupancy  busiest          waits most for            launch
//   335 µs          75.0 %  dram 84 %        long_scoreboard 71 %      --grid 256,256 --block 32,8
void write_prediction_row_head(Output& out);
void write_prediction_row(Output& out, const PredictReport& report, std::string_view launch);

// The fields of {"schema":"burin.predict/1",…}; the caller opens the object and closes it.
void write_prediction_json(Json& json, const PredictReport& report, std::string_view file);

// The warps on an SM as a share of those it can hold.
double occupancy_share(const PredictReport& report);

// What some instructions cost together.
struct CostSum {
  double issued = 0;
  double warp_cycles = 0;  // issued and stalled
  double unknown = 0;      // of these
  double sectors = 0;
  std::array<double, launch::kStalls> stalls{};

  // The stall with the most warp-cycles; none where there is none.
  std::optional<launch::Stall> top_stall() const;
};
struct LineCost : CostSum {
  std::string_view file;  // "": no line information
  std::uint32_t line = 0;
};
struct LoopCost : CostSum {
  std::uint32_t loop = 0;  // in Kernel::loops
};
std::vector<LineCost> costs_by_line(const PredictReport& report);  // the costliest first
std::vector<LoopCost> costs_by_loop(const PredictReport& report);  // as the kernel has them

}  // namespace burin::report
