// Decides the shape of every launch. The hooks hand each launch to it:
//
//   Engine engine(read_settings(), api);
//   status = engine.launch(request, [&](const LaunchShape& shape) { return real_launch(…); });
//
// The first launch of a kernel describes it and looks for its rational program, the first launch
// with new sizes chooses, and later ones take the shape from a history without locks, allocations
// or calls into CUDA (but for the current device, where there are several). No exception leaves it:
// whatever goes wrong, the program's own launch is made.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/cuda_api.h"
#include "runtime/launch_shape.h"
#include "runtime/log.h"
#include "runtime/prepared_kernel.h"
#include "runtime/program_files.h"
#include "runtime/refinement.h"
#include "runtime/settings.h"
#include "runtime/shared_table.h"
#include "runtime/wisdom.h"

namespace burin::runtime {

class Engine {
 public:
  Engine(Settings settings, const CudaApi& api);

  // False if no launch can ever be changed: switched off, or no rational program was found.
  bool active() const { return active_; }

  // `real` makes a launch with the given shape and returns its status; 0 is success. A changed
  // launch that fails is repeated as the program asked, and not changed again.
  template <typename Real>
  int launch(const LaunchRequest& request, Real&& real) noexcept {
    Decision decision = decide(request);
    if (!decision.changed && decision.timed == nullptr) return real(request.own);
    if (decision.timed != nullptr) decision.timed->start(request.stream);
    const int status = real(decision.shape);
    if (status != 0) return retreat(request, decision) ? real(request.own) : status;
    if (decision.timed != nullptr) decision.timed->stop(request.stream);
    changed_.fetch_add(decision.changed ? 1 : 0, std::memory_order_relaxed);
    return status;
  }

  struct Decision {
    LaunchShape shape;
    bool changed = false;
    Refinement* timed = nullptr;  // start() and stop() around the launch
  };
  Decision decide(const LaunchRequest& request) noexcept;

  // Handles may stand for other kernels from now on: a module was unloaded.
  void forget_handles() { epoch_.fetch_add(1, std::memory_order_relaxed); }
  // Stream captures may be under way unseen: ask the stream of every launch.
  void watch_captures() { captures_.store(true, std::memory_order_relaxed); }
  // A stream capture begins. Refinement ends, because querying an event invalidates a capture that
  // another thread has begun in global mode.
  void capture_begins() {
    watch_captures();
    capture_begun_.store(true, std::memory_order_relaxed);
  }

  // Names of the kernels whose code matters to a rational program.
  const std::vector<ProgramFile>& programs() const { return files_.files; }
  Log& log() { return log_; }
  std::uint64_t changed_launches() const { return changed_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kHandleSlots = 8192;
  static constexpr std::size_t kHistorySlots = 8192;
  static constexpr std::size_t kMaxRefinements = 1024;

  using Handles = SharedTable<2, 1>;  // handle, epoch and device → PreparedKernel*, or 0
  // PreparedKernel*, raw sizes, own grid, own block, own shared bytes → packed shape, Refinement*
  using History = SharedTable<PreparedKernel::kMaxRawSizes + 4, 4>;

  const PreparedKernel* find_kernel(const void* handle, int device);
  const PreparedKernel* resolve(const void* handle, int device);
  void choose(const PreparedKernel& kernel, const LaunchRequest& request, const History::Key& key,
              History::Value& value);
  Refinement* refinement_for(const PreparedKernel& kernel, const LaunchShape& own,
                             const PreparedKernel::Outcome& outcome, std::uint64_t wisdom_key);
  void refine(const PreparedKernel& kernel, const LaunchRequest& request, const History::Key& key,
              Refinement& refinement, Decision& decision);
  bool retreat(const LaunchRequest& request, const Decision& decision) noexcept;
  void log_choice(const PreparedKernel& kernel, const LaunchShape& own,
                  const PreparedKernel::Outcome& outcome, bool from_wisdom);

  Settings settings_;
  CudaApi api_;
  Log log_;
  ProgramFiles files_;
  std::multimap<std::string, const ProgramFile*, std::less<>> by_name_;
  Wisdom wisdom_;
  bool active_ = false;
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<bool> captures_{false};
  std::atomic<bool> capture_begun_{false};
  std::atomic<std::uint64_t> changed_{0};
  Handles handles_;
  History history_;

  std::mutex mutex_;  // guards what follows
  std::map<int, DeviceFacts> devices_;
  // By file, device and the kernel's limits: modules loaded again find what they had.
  std::map<std::string, std::unique_ptr<PreparedKernel>> kernels_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Refinement>> refinements_;
};

}  // namespace burin::runtime
