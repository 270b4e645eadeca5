// A configuration with what was counted of it.
//
//   Result<std::vector<LaunchCounts>> counts = count_request(built.request, machine, {});
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/device.h"
#include "model/carve/launch_counts.h"
#include "tune/trial.h"

namespace burin::model {

struct Counted {
  tune::Point point{};
  tune::Status status = tune::Status::kOk;  // kConstraints, kCompile: it cannot run
  std::string reason{};                     // unless kOk
  std::vector<LaunchCounts> launches{};     // one for each shape; empty unless kOk
  std::optional<double> predicted_us{};     // by the emulator, if that was asked for
  double compile_seconds = 0;
  bool compiled = true;  // false: only its neighbours were (speculate.h)

  bool ok() const { return status == tune::Status::kOk; }
};

// Counts the launches of a configuration that was compiled. Launches of one kernel with the same
// grid and block count as one, which the one in the middle represents.
Result<std::vector<LaunchCounts>> count_request(const measure::DeviceRequest& request,
                                                const machine::Machine& machine,
                                                const CountOptions& options);

}  // namespace burin::model
