// The advice for one launch, as text and as JSON.
//
//   transpose on h200: 335 µs predicted; no GPU used
//   Limited by shared memory throughput: its lower bound is 238 µs, 71 % of the predicted time.
//
//   1  2.20×  bank-conflicts  transpose.cu:14  b[…] = t[threadIdx.x][threadIdx.y + j];
//             32 lanes read one bank. Pad the tile: float t[32][33].
//             re-emulated without the cause: 2.20× (152 µs); GPA estimate: 2.40×
//   …
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/advise.h"
#include "analyze/bounds/bounds.h"
#include "analyze/code/code_place.h"
#include "jobs/advise_launch.h"
#include "read/program/source.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

struct AdviseReport {
  std::string file;  // as given by the user
  const advise::Case& given;
  const advise::Advice& advice;
  read::SourceText& source;
  bool machine_assumed = false;               // not named by the user: default for the architecture
  std::uint64_t launch = 0;                   // launch number in the capture; 0: not from a capture
  std::uint64_t launches = 1;                 // number of launches that it represents
  double samples = 0;                         // samples that the advice is based on; 0: emulated
  std::optional<double> measured_us{};        // on a GPU
  std::string limit{};                        // from limit_text()
  analyze::Limits limits{};                   // no rows: not emulated
  std::optional<double> agreement{};          // agreement of sampled and emulated stall causes
  std::vector<jobs::Caller> callers{};        // that launch it, if the kernel has several
  std::vector<std::string> notes{};           // about the input; `advice` has its own notes
  const jobs::Fix* fix = nullptr;             // with --fix
  std::string patch{};                        // where the fix was written; "": not to a file
  const jobs::Plan* plan = nullptr;           // with --plan
  const jobs::TriedChanges* tried = nullptr;  // with --try
  std::optional<std::size_t> top{};           // findings to show; empty: 10 in text, all in JSON
};

// Makes the report of an advised launch. `advised` must outlive the report.
AdviseReport report_of(jobs::AdvisedLaunch& advised, const std::string& file);

void write_advice(Output& out, const AdviseReport& report);

// Parts of the report that other views of a launch repeat: kernel, machine, times and the
// bottleneck; "LDG.E at 0x0130".
void write_advice_head(Output& out, const AdviseReport& report);
std::string opcode_at(const analyze::CodePlace& place);

// {"schema":"burin.advise/1",…}; docs/advise.md describes every field.
void write_advice_json(Json& json, const AdviseReport& report);
// "schema" to "samples": what was analysed. The fields of a place in the code.
void write_launch_fields(Json& json, const AdviseReport& report, std::string_view schema);
void write_place_fields(Json& json, const AdviseReport& report, std::uint32_t instruction);

// Returns what limits the launch, in the words of `burin explain`, and its top stall.
std::string limit_text(const advise::Case& c, const analyze::Limits& limits);

// "samples" or "emulated".
std::string_view name(advise::BlamedProfile::Source source);

}  // namespace burin::report
