// Adds the instruction counts of a recorded program's second run to the capture. The counts of each
// launch go to the matching launch of the first run: the one with the same kernel and shape and the
// same position among such launches.
//
//   CounterAssembly second(writer, sums, first_run);
//   while (const std::optional<SpoolRecord> record = reader.next()) second.take(*record);
//   second.finish();
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/assemble/assemble.h"
#include "capture/spool/spool.h"
#include "capture/writer.h"

namespace burin::capture {

// The key that identifies matching launches in both runs.
struct LaunchShape {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint32_t shared_bytes = 0;

  auto operator<=>(const LaunchShape&) const = default;
};

// A process of the first run with its launches in the capture, in launch order.
struct FirstRun {
  struct Launch {
    std::uint64_t id = 0, kernel = 0;  // ids in the capture
  };
  std::uint64_t process = 0;
  std::vector<std::string> command;
  std::map<LaunchShape, std::vector<Launch>> launches;
  std::map<std::string, std::uint64_t> kernels;  // ids in the capture, by name
  bool is_repeated = false;                      // a process of the second run matches it
};

class CounterAssembly {
 public:
  CounterAssembly(CaptureWriter& writer, Assembled& sums, std::vector<FirstRun>& first)
      : writer_(writer), sums_(sums), first_(first) {}

  void take(const SpoolRecord& record);

  // Call after the last record of a process.
  void finish();

 private:
  void begin(const SpoolProcess& r);
  void add(const SpoolLaunch& r);
  void add(const SpoolCounters& r);
  void add_to_kernel(const SpoolCounters& r);  // for launches of a graph
  void warn(std::uint32_t kind, std::uint64_t count, std::string sentence);

  CaptureWriter& writer_;
  Assembled& sums_;
  std::vector<FirstRun>& first_;
  FirstRun* repeated_ = nullptr;  // null: no matching process in the first run
  std::unordered_map<std::uint32_t, std::string> kernels_;  // names, by the process's kernel number
  std::unordered_map<std::uint64_t, std::pair<FirstRun::Launch, std::string>> launches_;
  std::map<LaunchShape, std::size_t> met_;
  std::uint64_t strangers_ = 0;  // launches without a match in the first run
};

}  // namespace burin::capture
