// The recorded program with its launches from two lines of a script: the third, of a larger grid,
// from line 42, the others from line 57.
#pragma once

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "capture/recorded_program.h"

namespace burin::test {

class TwoCallers : public RecordedProgram {
 public:
  // `serialized`: the samples are those of the third launch; otherwise they name no launch.
  explicit TwoCallers(bool serialized = false) : serialized_(serialized) {}

  Result<capture::Capture> assembled() const {
    std::vector<capture::SpoolRecord> all = records();
    for (capture::SpoolRecord& record : all) {
      if (auto* stack = std::get_if<capture::SpoolStack>(&record)) {
        stack->frames = stack_from("57");
      }
      if (auto* launch = std::get_if<capture::SpoolLaunch>(&record);
          launch && launch->launch == 3) {
        launch->stack = 2;
      }
      if (auto* times = std::get_if<capture::SpoolTimes>(&record)) {
        times->times.push_back({103, 0, 30'000, 42'000});
      }
      if (auto* samples = std::get_if<capture::SpoolSamples>(&record); samples && serialized_) {
        for (capture::SpoolSample& sample : samples->samples) sample.correlation = 103;
      }
    }
    const auto first = std::ranges::find_if(all, [](const capture::SpoolRecord& record) {
      return std::holds_alternative<capture::SpoolStack>(record);
    });
    all.insert(first, capture::SpoolStack{.stack = 2, .frames = stack_from("42")});
    write_spool(4711, all);
    const Result<capture::Assembled> made =
        capture::assemble_capture(spool(), capture(), {{"burin", "test"}}, {});
    if (!made) return made.error();
    return capture::Capture::open(capture());
  }

 private:
  static std::vector<capture::SpoolFrame> stack_from(const std::string& line) {
    return {{"/home/user/libops.so", 0x1140, "add_vectors"},
            {"/home/user/train.py:" + line, 0, "step"},
            {"/home/user/train.py:90", 0, "<module>"}};
  }

  bool serialized_;
};

}  // namespace burin::test
