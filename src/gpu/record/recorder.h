// The recorder inside a recorded process: opens CUPTI, listens, and writes the process's spool
// file. It never prints, never ends the process, and waits for nothing without a limit.
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

// There is one in a process, made once and never destroyed: threads of CUPTI may call until the
// very end.
class Recorder {
 public:
  explicit Recorder(RecordSettings settings);

  // Whether there is a spool file; what else went wrong stands in it.
  bool begin();

  // Drains and writes what is left, at the process's exit.
  void end();

  // In the child of a fork: CUDA does not work there, and the file is the parent's.
  void forget();

 private:
  bool subscribe();
  bool enable(std::uint32_t domain, std::uint32_t callback);
  void begin_activity();
  void resource(std::uint32_t event, const CuptiResourceData& data);
  void take_records(std::uint8_t* buffer, std::size_t valid);
  void tell(const capture::SpoolProblem& problem);
  void work();    // the recorder's own thread
  void finish();  // what end() limits the time of

  static void on_callback(void* self, std::uint32_t domain, std::uint32_t id, const void* data);
  static void give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
  static void take_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid);

  RecordSettings settings_;
  capture::SpoolWriter out_;
  Cupti cupti_{};
  RecordDriver driver_{};
  std::unique_ptr<Sampling> sampling_;  // null: no samples are taken
  std::unique_ptr<Counting> counting_;  // null: nothing is counted
  std::unique_ptr<Launches> launches_;
  void* subscriber_ = nullptr;
  bool listening_ = false;

  std::mutex mutex_;  // around what follows
  std::condition_variable changed_;
  bool ending_ = false, working_ = false, finished_ = false;
  std::set<std::uint32_t> devices_;  // that were described
  std::set<void*> contexts_;         // that live
  std::set<std::uint32_t> told_;     // kinds of problems
  std::uint64_t times_ = 0;
};

}  // namespace burin::gpu
