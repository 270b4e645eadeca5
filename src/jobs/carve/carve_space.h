// `burin carve`: which configurations of a spec are worth trying at all, from compiling them and
// executing a few blocks of each; then, if that is asked for, measures those.
//
//   Result<CarvedSpace> carved = carve_space({.input = "gemm.toml"}, {});
//   carved->sizes[0].rows[1].carving->kept
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/input/progress.h"
#include "launch/options.h"
#include "machine/machine.h"
#include "model/carve/blind_spots.h"
#include "model/carve/carve.h"
#include "model/carve/counted.h"
#include "model/carve/outcome.h"
#include "tune/spec.h"

namespace burin::jobs {

struct CarveRequest {
  std::string input{};  // a spec
  // Whose limits, gaps, latencies and bandwidths count; "": that of the device, if there is one
  // that is measured on, else an H200.
  std::string machine{};
  std::vector<std::string> sizes{};  // NAME=NUMBER, instead of what the spec says

  model::MetricChoice metrics = model::kModernMetrics;
  bool coalesced = true;
  std::vector<model::Threshold> thresholds{};
  std::optional<double> keep_share{};   // of the space; default: model::share_to_keep()
  std::optional<double> band{};         // see model::CarveOptions
  std::optional<std::size_t> guards{};  // likewise
  std::uint64_t seed = 0;

  std::optional<double> compile_share{};   // of the space: the others are judged by neighbours
  bool predict = false;                    // also the emulator's time, for the row of the top k
  std::vector<launch::TripCount> trips{};  // of loops whose count is not known

  std::string counts{};     // file that keeps what was counted; "": none
  bool count_only = false;  // fill the file, carve nothing

  bool run = false;             // measure the survivors
  std::string device = "auto";  // as for `burin tune`, replay:FILE included
  bool warm = false;
  double limit_seconds = 20;  // for measuring one configuration

  std::string compiler = "auto";
  unsigned compilers = 0;
  std::optional<double> max_seconds{};
  std::function<bool()> interrupted{};
  std::string burin{};
};

// Where the times come from that a selection is judged by.
enum class TimeSource : std::uint8_t {
  kRecorded,   // all configurations
  kMeasured,   // the survivors; the random sample is judged by predictions or estimates
  kPredicted,  // all, by the emulator
  kEstimated,  // all, by the closed form of the metrics
};

// One way to select configurations.
struct CarveRow {
  std::string name{};                       // "as published"
  std::optional<model::Carving> carving{};  // none: by predicted time
  std::vector<std::size_t> kept{};
  model::Outcome outcome{};
};

struct CarvedSize {
  formula::Names size{};
  tune::Space space{};
  std::vector<model::Counted> counted{};  // all configurations, unless the time was over
  std::size_t compiled = 0;
  bool complete = true;
  std::vector<CarveRow> rows{};  // as published, modern metrics, top k by predicted time
  std::size_t chosen = 1;        // the row of the request's metrics, which are measured
  std::vector<model::BlindSpot> blind{};
  TimeSource source = TimeSource::kEstimated;
  std::string device{};               // that the times are from
  std::vector<double> times_us{};     // as `source` says, one per configuration; infinite: failed
  std::vector<tune::Trial> trials{};  // of the survivors, with --run

  const model::Carving& carving() const { return *rows[chosen].carving; }
};

struct CarvedSpace {
  tune::Spec spec{};
  std::string machine{};
  double cycles_per_us = 1;
  std::vector<CarvedSize> sizes{};
  std::vector<std::string> notes{};
};

Result<CarvedSpace> carve_space(const CarveRequest& request, const Progress& progress);

// "modern", "published", or those of weighted, capped, ilp and bytes that are wanted.
Result<model::MetricChoice> parse_metrics(const std::string& text);

}  // namespace burin::jobs
