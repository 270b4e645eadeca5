// `burin carve`: which configurations of a spec are worth trying at all, from compiling them and
// executing a few blocks of each.
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
#include "model/carve/counted.h"
#include "tune/spec.h"

namespace burin::jobs {

struct CarveRequest {
  std::string input{};               // a spec
  std::string machine = "h200";      // whose limits, gaps, latencies and bandwidths count
  std::vector<std::string> sizes{};  // NAME=NUMBER, instead of what the spec says
  std::string metrics{};             // file that keeps what was counted; "": none
  bool predict = false;              // also the emulator's time, for the row of the top k
  bool only_count = false;           // fill the file, carve nothing
  std::vector<launch::TripCount> trips{};
  std::string compiler = "auto";
  unsigned compilers = 0;
  std::optional<double> max_seconds{};
  std::function<bool()> interrupted{};
  std::string burin{};
};

struct CarvedSize {
  formula::Names size{};
  tune::Space space{};
  std::vector<model::Counted> counted{};
};

struct CarvedSpace {
  tune::Spec spec{};
  std::string machine{};
  std::vector<CarvedSize> sizes{};
  std::vector<std::string> notes{};
};

Result<CarvedSpace> carve_space(const CarveRequest& request, const Progress& progress);

}  // namespace burin::jobs
