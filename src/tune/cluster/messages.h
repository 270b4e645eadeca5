// What the ranks say to each other, as JSON texts.
//
//   rank k → 0   hello {host, number}                 where it runs: its host and process
//   rank 0 → k   assigned {number}, or end {reason}   the number of its device on its host
//   rank k → 0   ready {device, gpu, …}               or failed {reason}
//   rank 0 → k   run {index}                          the problem size to work on
//   rank 0 → k   task {ticket, point, best_time_us}
//   rank k → 0   trial {ticket, trial}                or failed {reason}
//   rank 0 → k   again {point}                        a finalist
//   rank k → 0   times {times_us}
//   rank 0 → k   end {reason, number}                number: 1 if a rank was lost
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tune/trial.h"

namespace burin::tune {

struct ClusterMessage {
  enum class Kind : std::uint8_t {
    kHello,
    kAssigned,
    kReady,
    kFailed,
    kRun,
    kTask,
    kTrial,
    kAgain,
    kTimes,
    kEnd,
  };
  Kind kind = Kind::kHello;
  std::string host{};
  std::string device{};      // name, for people
  std::string gpu{};         // what tells devices of a host apart; "": may be shared
  bool is_cpu = false;       // the device is the CPU of the host
  std::uint64_t number = 0;  // of the process, the device, the run or the ticket
  std::uint64_t width = 1;
  Point point{};
  double best_time_us = 0;  // infinite: none
  Trial trial{};
  std::vector<double> times_us{};
  std::string reason{};
};

std::string write_message(const ClusterMessage& message);
Result<ClusterMessage> read_message(std::string_view text);

}  // namespace burin::tune
