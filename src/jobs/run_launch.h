// `burin run`: executes one launch on the CPU, and writes and checks its buffers; on request also
// runs it on a GPU.
//
//   Result<std::unique_ptr<RanLaunch>> ran = run_launch(request, progress);
//   (*ran)->run.faults, (*ran)->passed()
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/counts.h"
#include "emulate/outputs.h"
#include "emulate/run.h"
#include "emulate/traffic.h"
#include "jobs/input/device_run.h"
#include "jobs/input/launch_request.h"
#include "jobs/input/progress.h"

namespace burin::jobs {

// About half an hour on one core. A kernel that never ends is reported, not waited for.
inline constexpr std::uint64_t kDefaultMaxInstructions = 20'000'000'000;
// … of one block or cluster, where no limit is given: ten to thirty seconds on one core.
inline constexpr std::uint64_t kMaxBlockInstructions = 400'000'000;

struct RunRequest {
  LaunchRequest launch{};
  unsigned threads = 0;
  std::optional<std::uint64_t> most_instructions{};  // 0: no limit; none: the limits above
  std::vector<std::string> trips{};
  std::string unknown_access{};
  std::string check_shared = "on";
  bool sectors = false;
  std::vector<std::string> outputs{};
  std::vector<std::string> checks{};
  bool force = false;  // overwrite existing files of any kind
  DeviceRunOptions device{};
};

struct RanLaunch {
  LoadedLaunch launch;
  emulate::Run run;                           // run.stopped: the run did not finish
  std::unique_ptr<emulate::Traffic> traffic;  // null: not counted
  double seconds = 0;                         // time that the emulation took
  std::vector<emulate::WrittenOutput> written;
  std::vector<emulate::CheckedOutput> checked;
  std::optional<capture::CountAgreement> counts;  // agreement with a GPU's counts
  std::optional<DeviceRun> device;
  std::vector<std::string> warnings;  // sentences, in addition to the other fields

  // Returns true if there was no fault and every comparison was as expected.
  bool passed() const;
};

Result<std::unique_ptr<RanLaunch>> run_launch(const RunRequest& request, const Progress& progress);

}  // namespace burin::jobs
