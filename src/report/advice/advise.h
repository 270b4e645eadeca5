// What the advisor says of one launch, for people and for programs.
//
//   transpose on h200: 335 µs predicted; no GPU used
//   Shared memory throughput limits this kernel (71 % of its time follows it).
//
//   1  2.20×  bank-conflicts  transpose.cu:14  b[…] = t[threadIdx.x][threadIdx.y + j];
//             32 lanes read one bank. Pad the tile: float t[32][33].
//             emulated again without it: 2.20× (152 µs); by the paper's equations 2.40×
//   …
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/advise.h"
#include "analyze/bounds.h"
#include "analyze/code_place.h"
#include "jobs/advise_launch.h"
#include "read/program/source.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

struct AdviseReport {
  std::string file;  // as the user named it
  const advise::Case& given;
  const advise::Advice& advice;
  read::SourceText& source;
  bool machine_assumed = false;          // nobody named it: it is the one for the architecture
  std::uint64_t launch = 0;              // its number in the capture; 0: it comes from none
  std::uint64_t launches = 1;            // that it stands for
  double samples = 0;                    // that the advice rests on; 0: it is the emulator's
  std::optional<double> measured_us{};   // on a GPU
  std::string limit{};                   // a sentence: what limits it
  std::vector<analyze::Bound> bounds{};  // the largest first
  std::optional<double> agreement{};     // of the samples' causes with the emulator's
  std::vector<std::string> notes{};      // of the input; the advice has its own
  std::optional<std::size_t> top{};      // findings to show; none: 10 in the text, all in JSON
};

// `advised` must outlive it.
AdviseReport report_of(jobs::AdvisedLaunch& advised, const std::string& file);

void write_advice(Output& out, const AdviseReport& report);

// {"schema":"burin.advise/1",…}; docs/advise.md describes every field.
void write_advice_json(Json& json, const AdviseReport& report);

// What limits the launch, in a sentence, from what is known without changing anything: the bounds
// and the stalls. burin explain knows better, and takes longer.
std::string limit_sentence(const advise::Case& c, const std::vector<analyze::Bound>& bounds);

// "samples" or "emulated".
std::string_view name(advise::BlamedProfile::Source source);

}  // namespace burin::report
