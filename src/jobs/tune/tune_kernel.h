// `burin tune`: searches the configurations of a kernel for the best one, on a GPU, on OpenCL's CPU
// device, on the emulator, or in a recorded space.
//
//   Result<TunedKernel> tuned = tune_kernel({.input = "gemm.toml", .device = "cuda:0"}, {});
//   tuned->runs[0].best()->time_us
//
// examples/api/tune.cc is a whole program.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "jobs/input/launch_request.h"
#include "jobs/input/progress.h"
#include "model/guided/search.h"
#include "tune/spec.h"
#include "tune/tuner.h"

namespace burin::jobs {

inline constexpr std::string_view kReplayDevice = "replay:";
inline constexpr std::uint64_t kDefaultTrials = 200;

struct TuneRequest {
  // A spec (TOML or T1), or the kernel of `launch`, whose block shape is then tuned. Empty: the
  // file of `launch`; or nothing, with replay:FILE.
  std::string input{};
  LaunchRequest launch{};       // for a kernel without a spec
  bool any_block = false;       // the user vouches for other block shapes: no proof is asked for
  bool coarsen = true;          // without a spec: also threads and blocks that become one
  std::string device = "auto";  // auto, cuda:N, opencl:N, emulator:MACHINE, replay:FILE
  std::string strategy = "ensemble";      // or guided, which measures its best configurations alone
  std::string seed_with{};                // guided, none; "": guided where that is worth its time
  std::size_t examined = 60;              // configurations that a guided search compiles
  std::optional<std::uint64_t> budget{};  // trials for each problem size
  std::optional<double> max_seconds{};    // for each problem size
  std::uint64_t seed = 0;
  std::uint64_t seeds = 1;           // replay only: so many searches, with seeds from `seed` on
  std::vector<std::string> sizes{};  // NAME=NUMBER, instead of what the spec says
  // For each problem size of a spec, the only configurations that may be tried; none: all.
  std::vector<std::vector<tune::Point>> only{};
  std::vector<std::string> first{};  // configurations to try first: "block_size_x=32,tile=4"

  std::string session{};               // path; "": none
  bool resume = false;                 // the session exists and is continued
  std::vector<std::string> exports{};  // FORMAT=FILE, or FILE if its name says the format
  std::vector<std::string> emits{};    // header, json or ptx, with =FILE or without
  bool force = false;                  // existing files of another kind may be overwritten

  std::string compiler = "auto";       // auto, nvrtc, nvcc
  unsigned compilers = 0;              // compiler processes; 0: one per core
  double compile_limit_seconds = 120;  // for compiling one configuration of CUDA source
  double limit_seconds = 20;  // for measuring one configuration; OpenCL: also for compiling it
  bool warm = false;          // caches are warm when a timed launch starts
  unsigned launches = 30;     // of a configuration are timed at most
  std::uint64_t max_spill_bytes =
      UINT64_MAX;  // a thread: configurations that spill more are dropped
  std::size_t finalists = 5;
  bool mixed = false;                   // under mpirun: GPUs of different models may measure
  double rank_patience = 10;            // seconds without an answer before a rank is taken for dead
  std::function<bool()> interrupted{};  // Ctrl-C

  // The burin executable, of which worker and compiler processes are started. Empty: this program,
  // if it is burin, else the one in PATH.
  std::string burin{};
};

// What the guided search found before anything was measured.
struct GuidedRun {
  model::Guided found{};
  double seconds = 0;
};

// One problem size, tuned with one seed.
struct TunedRun {
  formula::Names size{};
  std::uint64_t seed = 0;
  tune::Space space{};
  tune::Tuned tuned{};
  std::string device{};                // "NVIDIA H200", "emulator:h200"
  std::optional<double> optimum_us{};  // of a fully recorded space
  std::size_t resumed = 0;             // trials that the session already had
  std::uint64_t space_size = 0;        // of a recorded space that lacks points: those that exist
  std::optional<GuidedRun> guided{};

  const tune::Trial* best() const { return tuned.best ? &tuned.trials[*tuned.best] : nullptr; }
  // The winner's time, as the final measured it.
  double best_time_us() const;
};

struct TunedKernel {
  std::string kernel{};
  tune::Spec spec{};  // without launches for a replayed space
  std::string strategy{};
  bool warm = false;  // timed with warm caches
  std::vector<TunedRun> runs{};
  std::string session{};
  std::vector<std::string> written{};  // exports and emitted files
  std::vector<std::string> notes{};
  double opening_seconds = 0;  // until the device answered
  bool serves = false;         // this process measured for rank 0, which has the results
};

struct TuneEvents {
  Progress progress{};
  std::function<void(const TunedRun&, const tune::TuneProgress&)> on_trial{};
};

Result<TunedKernel> tune_kernel(const TuneRequest& request, const TuneEvents& events);

}  // namespace burin::jobs
