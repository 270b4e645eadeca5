// `burin saturate`: the throughput of a kernel over problem sizes, and the smallest size at which
// tuning is still valid for the target.
//
//   SaturateRequest request;
//   request.tune.input = "saxpy.toml";
//   request.tune.device = "emulator:h200";
//   request.vary = "n=4096:268435456:4";
//   Result<SaturatedKernel> found = saturate_kernel(request, {});
//   found->msp()       n=4194304; none: tune at the target, found->base().found.reason says why
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "jobs/input/progress.h"
#include "jobs/tune/tune_kernel.h"
#include "machine/timing_class.h"
#include "model/saturate/ladder.h"
#include "model/saturate/saturation.h"

namespace burin::jobs {

// Which coarsened variants of the configuration are measured beside it, where the spec has
// coarsen_thread_* among its tunables.
enum class Coarsenings : std::uint8_t { kNone, kLargest, kAll };
std::optional<Coarsenings> parse_coarsenings(std::string_view text);  // "none", "largest", "all"

struct SaturateRequest {
  TuneRequest tune{};    // input, device, caches, compiler and limits; the rest is not used
  std::string vary{};    // NAME=FROM:TO[:FACTOR]; "": what the spec says
  std::string target{};  // NAME=NUMBER; "": the largest size
  std::optional<std::string> work{};  // expression
  double threshold = model::kDefaultThreshold;
  std::string config{};  // "A=1,B=2": differences from the default configuration
  Coarsenings coarsenings = Coarsenings::kLargest;
  std::optional<bool> whole_waves{};  // none: what the spec says
  bool all_sizes = false;             // also those that can be extrapolated
  std::string svg{};                  // file to write; "": none
};

// What limits the launch, by the emulator.
struct SaturationLimit {
  machine::Resource busiest = machine::Resource::kIssue;
  double busy = 0;   // share of the time
  double waves = 0;  // of blocks
};

// The curve of one configuration.
struct SaturatedConfiguration {
  std::int64_t coarsening = 1;  // threads that became one
  std::string configuration{};  // "block_size_x=256, coarsen_thread_x=4"
  std::vector<model::SizeSample> samples{};
  model::Saturation found{};
};

struct SaturatedKernel {
  std::string kernel{};
  std::string device{};  // "NVIDIA H200", "emulator:h200"
  bool warm = false;
  std::string varied{};          // "n"
  std::int64_t target = 0;       // its value at the target
  formula::Names target_size{};  // all names
  double target_work = 0;
  std::string work{};                      // expression
  std::string unit{};                      // of throughput; "": units of work per second
  std::vector<model::SizeSample> sizes{};  // all that were planned: size and work, ascending
  double threshold = 0;
  double l2_bytes = 0;                                   // 0: not known
  std::vector<SaturatedConfiguration> configurations{};  // the first one is the base
  std::optional<SaturationLimit> limit{};                // if there is no plateau
  std::vector<std::string> notes{};
  std::string svg{};  // written

  const SaturatedConfiguration& base() const { return configurations.front(); }
  // The size at which all configurations are saturated; none: the target.
  std::optional<std::int64_t> msp() const;
  // Where a search that climbs to the target may start (model/saturate/ladder.h).
  std::optional<std::int64_t> start(const model::LadderOptions& options) const;
  formula::Names size_at(std::int64_t value) const;  // all names
  double kernel_time_us() const;                     // of all launches of all curves
};

Result<SaturatedKernel> saturate_kernel(const SaturateRequest& request, const Progress& progress);

}  // namespace burin::jobs
