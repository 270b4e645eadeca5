// A prediction as requested by the user, in text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "jobs/input/device_run.h"
#include "jobs/input/launch_request.h"
#include "timing/predict.h"

namespace burin::jobs {

struct PredictRequest {
  LaunchRequest launch{};
  std::string machine{};  // "": the default for the kernel's architecture
  double clock_mhz = 0;   // SM clock; 0: the machine's
  std::string model = "burin";
  bool cold = false;
  bool warm = false;
  std::vector<std::string> l2_hits{};
  std::vector<std::string> trips{};
  std::string unknown_access{};
  std::uint64_t most_instructions = 0;
  unsigned threads = 0;
  std::size_t timeline_intervals = 0;  // as in PredictOptions
  DeviceRunOptions device{};
};

std::vector<std::string> input_files(const PredictRequest& command);

// Parses the option texts. An invalid text is an Error, so that it is reported before any work.
Result<timing::PredictOptions> parse_predict_options(const PredictRequest& command);

}  // namespace burin::jobs
