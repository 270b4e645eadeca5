// The code of a kernel as the HTML report shows it, with what was found out about each instruction:
// {"schema":"burin.code/2",…}. Columns, not rows: element i of each array is instruction i.
//
//   {"texts":["LDC R1, c[0x0][0x28]",…], "text":[0,1,…], "control":[0,…], "place":[0,0,1,…],
//    "places":{"file":[0,…],"line":[12,…]}, "files":[{"path":"transpose.cu","parts":[…]}],
//    "loops":[…], "live":[3,…],
//    "profiles":[{"source":"emulated","stalls":{"instruction":[…],…},"causes":{…}}]}
//
// docs/report.md describes every field.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "advise/blame/blame.h"
#include "read/program/kernel.h"
#include "read/program/source.h"
#include "report/write/json.h"
#include "timing/result/prediction.h"

namespace burin::report {

// Code of one report, in instructions: about 20 MB.
inline constexpr std::size_t kMaxReportInstructions = 200'000;

// Where the warps' time went, from samples or from the emulator.
struct CodeProfile {
  std::string_view source;  // "samples" or "emulated"
  double total = 0;         // samples or warp-cycles
  std::vector<double> issued{};
  struct Row {
    std::uint32_t waits = 0;
    std::uint32_t cause = 0;  // equals `waits` where no other instruction is the cause
    launch::Stall stall = launch::Stall::kMisc;
    launch::StallCycles cycles{};
  };
  std::vector<Row> rows{};  // all stalls, each once
};
CodeProfile profile_of(const timing::Prediction& prediction);
CodeProfile profile_of(const advise::BlamedProfile& blamed);

struct CodeReport {
  const read::Kernel& kernel;
  read::SourceText& source;
  std::vector<CodeProfile> profiles{};             // the one to be shown first comes first
  const timing::Prediction* prediction = nullptr;  // for the memory accesses; null: none
};

// Writes the object. Source files are included as far as the kernel's code comes from them: small
// files whole, of larger ones the lines around.
void write_code_json(Json& json, const CodeReport& report);

}  // namespace burin::report
