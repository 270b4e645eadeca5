// The recorder inside a recorded process: opens CUPTI, receives its callbacks and records, and
// writes the spool file of the process. It never prints, never terminates the process, and never
// waits without a time limit.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "capture/spool/spool_writer.h"
#include "gpu/record/counting.h"
#include "gpu/record/driver/cupti.h"
#include "gpu/record/driver/driver.h"
#include "gpu/record/launches.h"
#include "gpu/record/sampling.h"
#include "gpu/record/settings.h"

namespace burin::gpu {

// One per process, created once and never destroyed: CUPTI's threads may call it until the process
// ends.
class Recorder {
 public:
  explicit Recorder(RecordSettings settings);

  // Returns true if the spool file was created. All other problems are reported in the spool file.
  bool begin();

  // Drains and writes the remaining data, at the exit of the process.
  void end();

  // Called in the child after a fork: CUDA does not work there, and the file belongs to the parent.
  void forget();

 private:
  bool subscribe();
  bool enable(std::uint32_t domain, std::uint32_t callback);
  void begin_activity();
  void resource(std::uint32_t event, const CuptiResourceData& data);
  void take_records(std::uint8_t* buffer, std::size_t valid);
  void warn(const capture::SpoolProblem& problem);
  void work();    // body of the recorder's own thread
  void finish();  // the part of end() that has a time limit

  static void on_callback(void* self, std::uint32_t domain, std::uint32_t id, const void* data);
  static void give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
  static void take_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid);

  RecordSettings settings_;
  capture::SpoolWriter out_;
  Cupti cupti_{};
  RecordDriver driver_{};
  std::unique_ptr<Sampling> sampling_;  // null: sampling is off
  std::unique_ptr<Counting> counting_;  // null: counting is off
  std::unique_ptr<Launches> launches_;
  void* subscriber_ = nullptr;
  bool listening_ = false;

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  bool ending_ = false, working_ = false, finished_ = false;
  std::set<std::uint32_t> devices_;  // devices already described in the spool
  std::set<void*> contexts_;         // live contexts
  std::set<std::uint32_t> told_;     // kinds of problems already reported
  std::uint64_t times_ = 0;
};

}  // namespace burin::gpu
