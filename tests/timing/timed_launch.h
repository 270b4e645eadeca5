// A launch for the tests of time: one of the corpus, or one that the test shapes.
//
//   TimedLaunch odd("saxpy/odd");                                     // a line of launches.txt
//   TimedLaunch mine("stream", "saxpy", {.grid = {40}, .block = {256}, .arguments = {"f32:2", …}});
//   mine.prediction().cycles                                          // on an h200
//   mine.traces({0, 7})                                               // of these blocks
//   mine.replay({0, 7}, {}).run.warp_cycles                           // on one SM
//
// What cannot be done fails the test with its sentence.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "launch/launch.h"
#include "machine/load.h"
#include "read/binary/container.h"
#include "read/program/kernel.h"
#include "timing/predict.h"
#include "timing/sm/sm.h"
#include "timing/trace/trace.h"

namespace burin::timing {

// The machine of the tests; each gets a copy that it may change.
machine::Machine h200();

class TimedLaunch {
 public:
  struct Shape {
    launch::Dims grid{};
    launch::Dims block{};
    std::optional<launch::Dims> cluster{};
    std::uint64_t shared_bytes = 0;
    std::vector<std::string> arguments{};
  };
  // "saxpy/odd": a line of corpus/launches.txt or of corpus/hopper/launches.txt.
  explicit TimedLaunch(const std::string& line);
  // `file`: a cubin of the corpus, or of tests/data/emulate where it ends with ".fatbin".
  TimedLaunch(const std::string& file, const std::string& kernel, const Shape& shape);
  TimedLaunch(const TimedLaunch&) = delete;
  TimedLaunch& operator=(const TimedLaunch&) = delete;

  read::Kernel& kernel() { return kernel_; }
  const read::Kernel& kernel() const { return kernel_; }
  const launch::Launch& launch() const { return launch_; }
  // The first instruction with the mnemonic, from `from` on.
  std::uint32_t find(std::string_view mnemonic, std::uint32_t from = 0) const;

  Result<Prediction> predict(const machine::Machine& machine, const PredictOptions& options) const;
  Prediction prediction(const machine::Machine& machine = h200(),
                        const PredictOptions& options = {}) const;

  // How often each instruction is executed by the whole launch, as plain emulation counts.
  std::vector<double> counts() const;

  std::vector<BlockTrace> traces(const std::vector<std::uint64_t>& blocks) const;

  struct ReplayOptions {
    std::uint64_t target = ~std::uint64_t{0};  // steps of a block that are replayed, about
    unsigned resident = 2;                     // blocks
    bool cold = true;
    bool attribute_stalls = true;
  };
  struct Replay {
    SmRun run;
    std::unique_ptr<Account> account;
    std::uint64_t steps = 0;  // of the traces
  };
  Replay replay(const std::vector<std::uint64_t>& blocks, ReplayOptions options,
                const machine::Machine& machine = h200()) const;

 private:
  void load_kernel(const std::string& path, const std::string& name);
  void set_launch(const Shape& shape);

  std::optional<MappedFile> file_;
  read::Image image_;
  read::Kernel kernel_;
  launch::Launch launch_;
};

}  // namespace burin::timing
