// Reports of Nsight Compute as captures, so that whoever has one needs no new run.
//
// From the source page (`ncu -i X.ncu-rep --page source --csv --print-units base`) come the samples
// of both families and the counts of every instruction; from the raw page, which is asked for where
// the report itself is at hand, the launches with their shapes and times. Neither has the code: the
// capture then has the instructions as text.
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
  std::uint64_t offset = 0;  // from the kernel's first instruction
  std::string sass;
  std::vector<NcuStall> stalls;                         // those that are not 0
  std::vector<std::pair<std::string, double>> metrics;  // the other columns that are not 0
};
// One launch's table of the source page.
struct NcuKernel {
  std::string name;  // demangled: the page has no other
  std::vector<NcuInstruction> instructions;
};
// An Error where the text has no such table. What other programs printed around it is skipped.
Result<std::vector<NcuKernel>> read_ncu_source(std::string_view csv);

// One row of the raw page.
struct NcuLaunch {
  std::string kernel;
  std::uint64_t pid = 0;
  std::string program;
  launch::Dims grid{}, block{};
  std::uint32_t sm = 0;
  std::string gpu;         // "" where the page does not say
  double duration_ns = 0;  // 0: not measured
  std::uint32_t shared_bytes = 0;
};
Result<std::vector<NcuLaunch>> read_ncu_launches(std::string_view csv);

// Whether a file is taken for a report, by its name: .ncu-rep or .csv.
bool is_ncu_report(std::string_view path);

// Reads the report and writes the capture. A .ncu-rep needs ncu, and the Error says so where it is
// not installed.
Result<void> import_ncu(const std::string& report, const std::string& capture);

}  // namespace burin::capture
