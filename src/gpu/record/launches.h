// Writes every kernel launch of the process to the spool, from the driver's callbacks and CUPTI's
// records. A launch by a driver function is written at once; a kernel launched by a graph is
// written after it has run.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/spool/spool_writer.h"
#include "gpu/record/arguments.h"
#include "gpu/record/choice.h"
#include "gpu/record/counting.h"
#include "gpu/record/driver/cupti.h"
#include "gpu/record/driver/driver.h"
#include "gpu/record/driver/launch_call.h"
#include "gpu/record/graphs.h"
#include "gpu/record/memory_copies.h"
#include "gpu/record/modules.h"
#include "gpu/record/stacks/stacks.h"

namespace burin::gpu {

class Launches {
 public:
  using Warn = std::function<void(const capture::SpoolProblem&)>;
  // Called when a launch has ended, in serialised mode only.
  using Ended = std::function<void()>;

  Launches(const Cupti& cupti, const RecordDriver& driver, capture::SpoolWriter& out,
           const RecordSettings& settings, Warn warn, Ended ended);

  // Enables instruction counting for all further launches.
  void count_with(Counting* counting) { counting_ = counting; }

  // The driver functions to observe, by CUPTI's callback ids.
  static const std::vector<std::uint32_t>& hooks();

  // Called at entry to and exit from a function of hooks().
  void driver_call(std::uint32_t function, const CuptiCallbackData& data);

  void context_created(std::uint32_t context, std::uint32_t device);
  void module_loaded(Bytes cubin);
  void module_unloading();
  void node_cloned(CudaHandle node, CudaHandle original);

  // Called for each kernel that ran as a node of a graph.
  void graph_kernel(const CuptiKernelRecord& record);

  // Launches so far: `seen` is all launches, `kept` is the launches in the spool.
  struct Counts {
    std::uint64_t seen = 0, kept = 0;
  };
  Counts counts();

 private:
  struct Pending;
  struct GraphLaunch {
    std::uint64_t stream = 0, thread = 0;
    std::uint64_t version = 0;  // Graphs::version() at the launch
    std::uint32_t stack = 0;
    std::vector<std::string> ranges{};
  };

  const RecordedKernel& resolve(CudaHandle function, const char* name);
  void consider(const LaunchCall& call, const CuptiCallbackData& data, Pending& launch);
  void enter(const LaunchCall& call, const CuptiCallbackData& data);
  void exit(const LaunchCall& call, const CuptiCallbackData& data);
  void graph_launch(const GraphLaunchCall& call, bool per_thread, const CuptiCallbackData& data);
  void count_graph(const CuptiCallbackData& data);
  void write(const LaunchCall& call, const CuptiCallbackData& data, Pending& launch);
  void record_constants(const LaunchCall& call, const CuptiCallbackData& data,
                        const Pending& launch);
  void written(CudaPointer address);
  void texture_created(const TextureCreateCall& call);
  void warn_without_memory(std::uint64_t launch);
  GraphLaunch graph_launch_of(std::uint32_t correlation);
  static Pending& pending();

  const Cupti& cupti_;
  const RecordDriver& driver_;
  capture::SpoolWriter& out_;
  const RecordSettings& settings_;
  Warn warn_;
  Ended ended_;
  Counting* counting_ = nullptr;
  Allocations allocations_;
  Graphs graphs_;
  MemoryCopies copies_;

  // Guards the members below. Never held while the driver or CUPTI is called: they call back while
  // holding their own locks.
  std::mutex mutex_;
  Choice choice_;
  Modules modules_;
  Stacks stacks_;
  std::unordered_map<std::uint32_t, std::uint32_t> devices_;       // context id to device
  std::unordered_map<std::uint32_t, GraphLaunch> graph_launches_;  // by correlation
  std::deque<std::uint32_t> graph_order_;                          // oldest first
  std::uint64_t numbered_ = 0;
  std::unordered_set<std::uint32_t> with_constants_;  // kernels whose constants are in the spool
  std::map<CudaPointer, CudaPointer> constants_;      // first and last byte of `__constant__` ones
  Counts counts_;
};

}  // namespace burin::gpu
