// Decides the shape of every launch. The hooks hand each launch to it:
//
//   Engine engine(read_settings(), api);
//   status = engine.launch(request, [&](const LaunchShape& shape) { return real_launch(…); });
//
// The first launch of a kernel describes it and looks for its rational program, the first launch
// with new sizes chooses, and later ones take the shape from a history without locks, allocations
// or calls into CUDA (but for the current device, where there are several). No exception leaves it:
// whatever goes wrong, the program's own launch is made.
//
// The driver's launch takes microseconds and leaves little in the caches, so that a launch costs as
// many cache misses as it touches lines: decide() needs the first line of the engine, one of the
// handles and one of the recent launches.
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

#include "runtime/history/refinement.h"
#include "runtime/history/shared_table.h"
#include "runtime/history/wisdom.h"
#include "runtime/launch/cuda_api.h"
#include "runtime/launch/launch_shape.h"
#include "runtime/launch/packed_shape.h"
#include "runtime/launch/prepared_kernel.h"
#include "runtime/launch/program_files.h"
#include "runtime/log.h"
#include "runtime/settings.h"

namespace burin::runtime {

class Engine {
 public:
  Engine(Settings settings, const CudaApi& api);

  // False if no launch can ever be changed: switched off, or no rational program was found.
  bool active() const { return hot_.active; }

  // `real` makes a launch with the given shape and returns its status; 0 is success. A changed
  // launch that fails is repeated as the program asked, and not changed again.
  template <typename Real>
  int launch(const LaunchRequest& request, Real&& real) noexcept {
    if (!hot_.active) return real(request.own);
    PackedShape known;
    switch (find_recent(request, known)) {
      case Recently::kUnchanged:
        return real(request.own);
      case Recently::kChanged:
        // Unpacked only here, into registers: words written in halves and read whole wait for the
        // memory.
        if (const int status = real(unpack(known)); status == 0) return 0;
        retreat(request, {.shape = unpack(known), .changed = true});
        return real(request.own);
      case Recently::kUnknown:
        break;
    }
    const Decision decision = decide_slowly(request);
    if (!decision.changed && decision.timed == nullptr) return real(request.own);
    if (decision.timed != nullptr) decision.timed->start(request.stream);
    const int status = real(decision.shape);
    if (status != 0) return retreat(request, decision) ? real(request.own) : status;
    if (decision.timed != nullptr) decision.timed->stop(request.stream);
    return status;
  }

  struct Decision {
    LaunchShape shape;
    bool changed = false;
    Refinement* timed = nullptr;  // start() and stop() around the launch
  };
  Decision decide(const LaunchRequest& request) noexcept {
    PackedShape known;
    const Recently found = hot_.active ? find_recent(request, known) : Recently::kUnchanged;
    if (found == Recently::kUnchanged) return {.shape = request.own};
    if (found == Recently::kChanged) return {.shape = unpack(known), .changed = true};
    return decide_slowly(request);
  }

  // Handles may stand for other kernels from now on: a module was unloaded.
  void forget_handles() { hot_.epoch.fetch_add(1, std::memory_order_relaxed); }
  // Stream captures may be under way unseen: ask the stream of every launch.
  void watch_captures() { hot_.captures.store(true, std::memory_order_relaxed); }
  // A stream capture begins. Refinement ends, because querying an event invalidates a capture that
  // another thread has begun in global mode.
  void capture_begins() {
    watch_captures();
    capture_begun_.store(true, std::memory_order_relaxed);
  }

  // Names of the kernels whose code matters to a rational program.
  const std::vector<ProgramFile>& programs() const { return files_.files; }
  Log& log() { return log_; }

 private:
  static constexpr std::size_t kHandleSlots = 8192;
  static constexpr std::size_t kHistorySlots = 8192;
  static constexpr std::size_t kMaxRefinements = 1024;

  // Handle, epoch and device → PreparedKernel*, or 0 if launches stay as they are; ArgumentRecipe
  using Handles = SharedTable<2, 2>;
  // PreparedKernel*, own grid and block, arguments by the recipe → packed shape
  using Recent = SharedTable<4, 2>;
  // PreparedKernel*, own grid and block, arguments → packed shape, Refinement*
  using History = SharedTable<PreparedKernel::kMaxRawSizes + 3, 3>;

  // What every launch reads, in one cache line.
  struct alignas(64) Hot {
    bool active = false;
    bool graphs = false;  // also change captured launches
    std::atomic<bool> captures{false};
    std::atomic<bool> single_device{false};
    std::atomic<std::uint64_t> epoch{0};
    int (*device)() = nullptr;
    bool (*is_capturing)(void* stream) = nullptr;
    Handles handles{kHandleSlots};
    Recent recent{kHistorySlots};
  };
  static_assert(sizeof(Hot) == 64);

  // What is known of a launch that was decided before; kUnknown also where something has to be
  // asked about it.
  enum class Recently : std::uint8_t { kUnknown, kUnchanged, kChanged };
  Recently find_recent(const LaunchRequest& request, PackedShape& shape) const {
    const int device = hot_.single_device.load(std::memory_order_relaxed) ? 0 : hot_.device();
    Handles::Value kernel;
    if (device < 0 || !hot_.handles.find(handle_key(request.kernel, device), kernel)) {
      return Recently::kUnknown;
    }
    if (kernel[0] == 0) return Recently::kUnchanged;
    const ArgumentRecipe recipe(kernel[1]);
    PackedShape own;
    std::uint64_t values;
    if (!recipe.usable() || request.arguments.pointers == nullptr || !pack(request.own, own) ||
        !recipe.read(request.arguments.pointers, values)) {
      return Recently::kUnknown;
    }
    Recent::Value known;
    if (!hot_.recent.find({kernel[0], own.grid, own.block, values}, known) ||
        is_captured(request)) {
      return Recently::kUnknown;
    }
    shape = {known[0], known[1]};
    return shape.grid == own.grid && shape.block == own.block ? Recently::kUnchanged
                                                              : Recently::kChanged;
  }
  bool is_captured(const LaunchRequest& request) const {
    // The legacy default stream never is.
    return hot_.captures.load(std::memory_order_relaxed) && !hot_.graphs &&
           request.stream != nullptr && hot_.is_capturing(request.stream);
  }
  Handles::Key handle_key(const void* handle, int device) const {
    return {reinterpret_cast<std::uintptr_t>(handle),
            hot_.epoch.load(std::memory_order_relaxed) << 16 | static_cast<std::uint64_t>(device)};
  }

  Decision decide_slowly(const LaunchRequest& request) noexcept;
  int current_device();
  bool key_of(const PreparedKernel& kernel, const LaunchRequest& request, History::Key& key) const;
  void remember(const PreparedKernel& kernel, const LaunchRequest& request, const History::Key& key,
                const LaunchShape& shape, Refinement* refinement);
  void remember_recent(const PreparedKernel& kernel, const LaunchRequest& request,
                       const History::Key& key, const PackedShape& shape);
  const PreparedKernel* find_kernel(const void* handle, int device);
  const PreparedKernel* resolve(const void* handle, int device);
  void choose(const PreparedKernel& kernel, const LaunchRequest& request, const History::Key& key,
              LaunchShape& shape, Refinement*& refinement);
  Refinement* refinement_for(const PreparedKernel& kernel, const LaunchShape& own,
                             const PreparedKernel::Outcome& outcome, std::uint64_t wisdom_key);
  void refine(const PreparedKernel& kernel, const LaunchRequest& request, const History::Key& key,
              Refinement& refinement, Decision& decision);
  bool retreat(const LaunchRequest& request, const Decision& decision) noexcept;
  void log_choice(const PreparedKernel& kernel, const LaunchShape& own,
                  const PreparedKernel::Outcome& outcome, bool from_wisdom);

  Hot hot_;
  Settings settings_;
  CudaApi api_;
  Log log_;
  ProgramFiles files_;
  std::multimap<std::string, const ProgramFile*, std::less<>> by_name_;
  Wisdom wisdom_;
  std::atomic<bool> capture_begun_{false};
  History history_{kHistorySlots};

  std::mutex mutex_;  // guards what follows
  std::map<int, DeviceFacts> devices_;
  // By file, device and the kernel's limits: modules loaded again find what they had.
  std::map<std::string, std::unique_ptr<PreparedKernel>> kernels_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Refinement>> refinements_;
};

}  // namespace burin::runtime
