// Counts how often each instruction of each launch is executed, using counters that CUPTI patches
// into the kernels' code. Patched kernels are slow, so nothing else is measured at the same time:
// counting needs a separate run of the program.
//
// A thread of the recorder waits for each launch and reads its counts. The launching thread waits
// for that thread for at most 20 seconds.
//
//   counting.begin(context, 1, 0);
//   …
//   const bool is_counted = counting.enter(context);     // before a launch
//   if (is_counted) counting.leave(context, 17);         // after launch 17: writes its counts
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "capture/spool/spool_writer.h"
#include "gpu/record/driver/cupti.h"
#include "gpu/record/driver/driver.h"

namespace burin::gpu {

class Counting {
 public:
  using Warn = std::function<void(const capture::SpoolProblem&)>;

  Counting(const Cupti& cupti, const RecordDriver& driver, capture::SpoolWriter& out, Warn warn)
      : cupti_(cupti), driver_(driver), out_(out), warn_(std::move(warn)) {}

  // begin() is called inside the callback that reports the new context, end() before the context is
  // destroyed.
  void begin(void* context, std::uint32_t context_id, std::uint32_t device);
  void end(void* context);

  // Only one launch at a time is between `enter` and `leave`, so the counts belong to that launch.
  // `enter` returns false if the launch is not counted; `leave` must not be called then. When
  // `leave` returns, the kernel has ended, unless it took too long. `launch` is the number of the
  // launch; kAllLaunches for a launch of several kernels, such as a graph; kNoLaunch if the counts
  // are not wanted.
  static constexpr std::uint64_t kAllLaunches = 0, kNoLaunch = ~std::uint64_t{0};
  bool enter(void* context);
  void leave(void* context, std::uint64_t launch);

  // Number of launches that ran but for which CUPTI had no counts.
  std::uint64_t uncounted() const { return uncounted_; }
  std::uint64_t uncounted_graphs() const { return uncounted_graphs_; }

 private:
  struct Context {
    std::uint32_t id = 0;
    std::uint32_t device = 0;
    bool is_enabled = false;
  };
  bool configure(std::uint32_t device);
  bool enable(void* handle, Context& context);
  void disable(void* handle);
  bool do_elsewhere(const std::function<void()>& task);
  void work();
  void read(void* handle, const Context& context, std::uint64_t launch);
  void write(const Context& context, std::uint64_t launch,
             const std::vector<CuptiSassRecord>& records, std::size_t instances);
  void give_up(const capture::SpoolProblem& problem);

  const Cupti& cupti_;
  const RecordDriver& driver_;
  capture::SpoolWriter& out_;
  Warn warn_;
  std::timed_mutex launching_;  // held from `enter` to `leave`
  std::mutex mutex_;            // guards the members below; not held while waiting for a kernel
  std::map<void*, Context> contexts_;
  std::map<std::uint32_t, bool> devices_;    // whether the device could be configured
  std::vector<std::string> metrics_;         // names of the counted metrics
  std::map<std::uint64_t, std::size_t> id_;  // CUPTI's metric id to index in metrics_
  bool has_given_up_ = false;
  std::uint64_t uncounted_ = 0, uncounted_graphs_ = 0;

  std::mutex task_mutex_;  // guards the members below: tasks of the recorder's thread
  std::condition_variable task_changed_;
  std::function<void()> task_;
  std::uint64_t tasks_given_ = 0, tasks_done_ = 0;
  bool is_working_ = false;
};

}  // namespace burin::gpu
