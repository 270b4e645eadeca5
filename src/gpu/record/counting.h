// How often each instruction of each launch is executed, by the counts that CUPTI patches into the
// kernels' code. Patched kernels are slow, so that nothing else is measured meanwhile: a pass of
// its own over the program.
//
// A launch is waited for, and asked about, on a thread of our own: the launching one waits for that
// no longer than 20 seconds.
//
//   counting.begin(context, 1, 0);
//   …
//   const bool is_counted = counting.enter(context);     // before a launch
//   if (is_counted) counting.leave(context, 17);         // behind it: writes what launch 17 did
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
  using Tell = std::function<void(const capture::SpoolProblem&)>;

  Counting(const Cupti& cupti, const RecordDriver& driver, capture::SpoolWriter& out, Tell tell)
      : cupti_(cupti), driver_(driver), out_(out), tell_(std::move(tell)) {}

  // Inside the callback that announces the context, and before it goes.
  void begin(void* context, std::uint32_t context_id, std::uint32_t device);
  void end(void* context);

  // Launches wait for each other between these two, so that what was counted is the launch's own.
  // False where it is not counted: then `leave` must not be called. The kernel has ended when
  // `leave` returns, unless that takes too long. `launch` is its number; kAllLaunches for what has
  // several kernels, as a graph does, and kNoLaunch for what nobody wants to know.
  static constexpr std::uint64_t kAllLaunches = 0, kNoLaunch = ~std::uint64_t{0};
  bool enter(void* context);
  void leave(void* context, std::uint64_t launch);

  // Launches that ran, and of which CUPTI had no counts.
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
  Tell tell_;
  std::timed_mutex launching_;  // held from `enter` to `leave`
  std::mutex mutex_;            // around what follows, but not while a kernel is waited for
  std::map<void*, Context> contexts_;
  std::map<std::uint32_t, bool> devices_;    // whether they could be configured
  std::vector<std::string> metrics_;         // that are counted
  std::map<std::uint64_t, std::size_t> id_;  // of CUPTI's, to the place in metrics_
  bool has_given_up_ = false;
  std::uint64_t uncounted_ = 0, uncounted_graphs_ = 0;

  std::mutex task_mutex_;  // around what our own thread is to do
  std::condition_variable task_changed_;
  std::function<void()> task_;
  std::uint64_t tasks_given_ = 0, tasks_done_ = 0;
  bool is_working_ = false;
};

}  // namespace burin::gpu
