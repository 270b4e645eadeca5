// Trials in the formats of other tools, and of spreadsheets.
//
//   export_trials(ExportFormat::kT4, {&run, 1}, "gemm_H200.json.gz");
//
// | format    | contents | units | reads it |
// |-----------|----------|-------|----------|
// | t4        | the T4 results of one run, schema 1.0.0 | ms | BAT, Kernel Tuner, burin's replay |
// | cachefile | Kernel Tuner's cache of one run | ms | Kernel Tuner, burin's replay |
// | csv       | one line for each trial of all runs | µs, s | spreadsheets, R, pandas |
// | wisdom    | JSON lines: a header, then each trial that worked, fastest first | ms | programs
// that choose a configuration at run time, as Kernel Launcher does |
//
// T4 and the cachefile know fewer ways to fail than burin: a time-out and a wrong result are
// RuntimeFailedConfig there. The cachefile has burin's own words in `invalidity` and `reason`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formula/expression.h"
#include "tune/space/space.h"
#include "tune/trial.h"

namespace burin::tune {

// One run of a session: a device and a problem size. The parameters and trials belong to the
// caller.
struct ExportedRun {
  std::span<const Parameter> parameters{};
  std::span<const Trial> trials{};
  std::string kernel{};
  std::string device{};
  formula::Names problem_size{};
  // What was optimised: "time", or the unit of an expression, "GFLOP/s". An objective that was
  // maximised is negative in a Trial, and positive in the file.
  std::string objective = "time";
  bool maximise = false;
  std::uint64_t space_size = 0;  // valid configurations, tried or not; 0: not known
};

std::string t4_text(const ExportedRun& run);
std::string cachefile_text(const ExportedRun& run);
std::string csv_text(std::span<const ExportedRun> runs);
std::string wisdom_text(std::span<const ExportedRun> runs);  // of one kernel

enum class ExportFormat : std::uint8_t { kT4, kCachefile, kCsv, kWisdom };

// "t4", "cachefile", "csv", "wisdom". A usage Error for any other.
Result<ExportFormat> parse_export_format(std::string_view name);

// Writes a file, compressed if its name ends in .gz; it appears complete or not at all. Returns a
// usage Error if there are no runs, or several for a format of one.
Result<void> export_trials(ExportFormat format, std::span<const ExportedRun> runs,
                           const std::string& path);

// The same for any text.
Result<void> write_text_file(const std::string& path, std::string_view text);

// "2023-12-22 09:53:48.691000+00:00", as Kernel Tuner writes it.
std::string timestamp(std::int64_t unix_ms);

}  // namespace burin::tune
