// Imports Nsight Compute reports as captures, so that an existing report can be used without a new
// run.
//
// The source page (`ncu -i X.ncu-rep --page source --csv --print-units base`) provides the samples
// of both families and the counts of every instruction. The raw page, which is read if the report
// itself is available, provides the launches with their shapes and times. Neither page contains the
// code, so the capture has the instructions as text.
//
//   Result<void> done = import_ncu("report.csv", "report.burin");
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"

namespace burin::capture {

struct NcuStall {
  std::string reason;  // CUPTI's name: "long_scoreboard"
  std::uint64_t samples = 0;
  std::uint64_t not_issued = 0;
};
struct NcuInstruction {
  std::uint64_t offset = 0;  // bytes from the kernel's first instruction
  std::string sass;
  std::vector<NcuStall> stalls;                         // nonzero entries only
  std::vector<std::pair<std::string, double>> metrics;  // other columns, nonzero only
};
// The source page table of one launch.
struct NcuKernel {
  std::string name;  // demangled, the only form on the page
  std::vector<NcuInstruction> instructions;
};
// Returns an Error if the text contains no such table. Output of other programs around it is
// skipped.
Result<std::vector<NcuKernel>> read_ncu_source(std::string_view csv);

// One launch: a row of the raw page.
struct NcuLaunch {
  std::string kernel;
  std::uint64_t pid = 0;
  std::string program;
  launch::Dims grid{}, block{};
  std::uint32_t sm = 0;
  std::string gpu;         // "" if the page does not give it
  double duration_ns = 0;  // 0: not measured
  std::uint32_t shared_bytes = 0;
};
Result<std::vector<NcuLaunch>> read_ncu_launches(std::string_view csv);

// Returns whether a file name is that of a report: .ncu-rep or .csv.
bool is_ncu_report(std::string_view path);

// Reads the report and writes the capture. A .ncu-rep file requires ncu; the Error says so if it is
// not installed.
Result<void> import_ncu(const std::string& report, const std::string& capture);

}  // namespace burin::capture
