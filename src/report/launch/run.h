// The result of a run, as text and as JSON.
//
//   transpose: 4,608 warp instructions in 16 blocks of 256 threads (sm_90); no faults found
//
//   class            warp instructions   share   lanes
//   integer                      2,304  50.0 %    32.0
//   …
//
//   line             warp instructions   share   lanes  source
//   transpose.cu:17              1,024  22.2 %    32.0  tile[threadIdx.y + j][threadIdx.x] = in[…
//
// `lanes` is the average number of a warp's 32 lanes that executed the instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/counts.h"
#include "emulate/outputs.h"
#include "emulate/run.h"
#include "emulate/traffic.h"
#include "launch/launch.h"
#include "read/program/kernel.h"
#include "read/program/source.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

struct RunReport {
  const read::Kernel& kernel;
  const launch::Launch& launch;
  const emulate::Run& run;
  const emulate::Traffic* traffic = nullptr;  // null: not counted
  std::span<const emulate::WrittenOutput> outputs{};
  std::span<const emulate::CheckedOutput> checks{};
  std::optional<capture::CountAgreement> counts{};  // agreement with a GPU's counts of the launch
  double seconds = 0;                               // time that the emulation took
  std::size_t most_lines = 10;                      // lines shown in the text; JSON has all lines
};

void write_run(Output& out, const RunReport& report, read::SourceText& source);

// Writes the fields of {"schema":"burin.run/1",…}; the caller opens and closes the object.
void write_run_json(Json& json, const RunReport& report, std::string_view file);

// Totals over the instructions of a class or a line.
struct Sum {
  emulate::InstructionCount count;
  emulate::TrafficCount traffic;
};
struct ClassSum : Sum {
  std::string_view name;
};
struct LineSum : Sum {
  std::string_view file;  // "": no line information
  std::uint32_t line = 0;
};
std::vector<ClassSum> by_class(const RunReport& report);  // executed classes, in order
std::vector<LineSum> by_line(const RunReport& report);    // most executed first
Sum in_all(const RunReport& report);

}  // namespace burin::report
