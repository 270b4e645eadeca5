// The options of `burin predict`, of the command line or of one line of a --launches file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/device_run.h"
#include "app/launch_options.h"
#include "base/result.h"
#include "timing/predict.h"

namespace CLI {
class App;
}

namespace burin {

struct PredictCommand {
  LaunchOptions launch;
  std::string machine;  // "": the one for the kernel's architecture
  std::string model = "burin";
  bool cold = false;
  bool warm = false;
  std::vector<std::string> l2_hits;
  std::vector<std::string> trips;
  std::string unknown_access;
  std::uint64_t most_instructions = 0;
  unsigned threads = 0;
  std::string launches;  // a file; only on the command line
  bool lines = false;    // likewise
  DeviceRunOptions device;
};

// All but --launches and --lines. FILE is not required here: a line may leave to the command line
// what all launches share. complete() tells what is missing in the end.
void add_predict_options(CLI::App& app, PredictCommand& command);

// The options' texts as values: all wrong ones are told before any work is done.
Result<PredictOptions> parse_predict_options(const PredictCommand& command);

// `text` is what stands behind the command's name; what it leaves out is taken from `common`.
Result<PredictCommand> parse_line(const std::string& text, const PredictCommand& common);

}  // namespace burin
