#include "gpu/record/launches.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "gpu/record/ranges.h"
#include "gpu/record/textures.h"

namespace burin::gpu {
namespace {

enum class Hook : std::uint8_t {
  kLaunch,
  kCooperative,
  kLaunchEx,
  kGraphLaunch,
  kGraphInstantiate,
  kGraphUpdate,
  kNodeSet1,
  kNodeSet2,
  kModuleLoad,
  kFree,
  kCopy,
  kTexture,
};
struct DriverHook {
  std::uint32_t function;
  Hook hook;
  bool per_thread = false;  // stream 0 is the thread's own
};
constexpr DriverHook kHooks[] = {
    {CuptiDriver::kLaunchKernel, Hook::kLaunch},
    {CuptiDriver::kLaunchKernelEx, Hook::kLaunchEx},
    {CuptiDriver::kLaunchKernelPerThread, Hook::kLaunch, true},
    {CuptiDriver::kLaunchKernelExPerThread, Hook::kLaunchEx, true},
    {CuptiDriver::kLaunchCooperative, Hook::kCooperative},
    {CuptiDriver::kLaunchCooperativePerThread, Hook::kCooperative, true},
    {CuptiDriver::kGraphLaunch, Hook::kGraphLaunch},
    {CuptiDriver::kGraphLaunchPerThread, Hook::kGraphLaunch, true},
    {CuptiDriver::kGraphInstantiate, Hook::kGraphInstantiate},
    {CuptiDriver::kGraphInstantiate2, Hook::kGraphInstantiate},
    {CuptiDriver::kGraphInstantiateWithFlags, Hook::kGraphInstantiate},
    {CuptiDriver::kGraphInstantiateWithParams, Hook::kGraphInstantiate},
    {CuptiDriver::kGraphInstantiateWithParamsPerThread, Hook::kGraphInstantiate},
    {CuptiDriver::kGraphExecUpdate, Hook::kGraphUpdate},
    {CuptiDriver::kGraphExecKernelNodeSetParams1, Hook::kNodeSet1},
    {CuptiDriver::kGraphExecKernelNodeSetParams2, Hook::kNodeSet2},
    {CuptiDriver::kModuleLoad, Hook::kModuleLoad},
    {CuptiDriver::kModuleLoadData, Hook::kModuleLoad},
    {CuptiDriver::kModuleLoadDataEx, Hook::kModuleLoad},
    {CuptiDriver::kModuleLoadFatBinary, Hook::kModuleLoad},
    {CuptiDriver::kMemFree, Hook::kFree},
    {CuptiDriver::kMemFreeAsync, Hook::kFree},
    {CuptiDriver::kMemFreeAsyncPerThread, Hook::kFree},
    {CuptiDriver::kMemUnmap, Hook::kFree},
    {CuptiDriver::kMemHostUnregister, Hook::kFree},
    {CuptiDriver::kIpcCloseMemHandle, Hook::kFree},
    {CuptiDriver::kCopyIn, Hook::kCopy},
    {CuptiDriver::kCopyInAsync, Hook::kCopy},
    {CuptiDriver::kCopyInPerThread, Hook::kCopy},
    {CuptiDriver::kCopyInAsyncPerThread, Hook::kCopy},
    {CuptiDriver::kCopyDevice, Hook::kCopy},
    {CuptiDriver::kCopyDeviceAsync, Hook::kCopy},
    {CuptiDriver::kCopyAny, Hook::kCopy},
    {CuptiDriver::kCopyAnyAsync, Hook::kCopy},
    {CuptiDriver::kTexObjectCreate, Hook::kTexture},
};

constexpr std::size_t kMaxGraphLaunches = 65536;  // whose kernels may still be to come
constexpr CudaHandle kNoStream = nullptr;

// The cubin that was last announced on this thread: what cuModuleLoad* returns is its handle.
thread_local std::uint32_t last_loaded = 0;

std::uint64_t thread_number() {
  static thread_local const auto number = static_cast<std::uint64_t>(::syscall(SYS_gettid));
  return number;
}

std::uint64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

CudaHandle stream_of(CudaHandle stream, bool per_thread) {
  return per_thread && stream == kNoStream ? reinterpret_cast<CudaHandle>(2) : stream;
}

std::string joined(const std::vector<std::string>& ranges) {
  std::string text;
  for (const std::string& range : ranges) text += (text.empty() ? "" : "/") + range;
  return text;
}

}  // namespace

// What is known of a launch between the entry and the exit of the function that makes it.
struct Launches::Pending {
  bool is_launch = false;
  bool is_counted = false;
  const RecordedKernel* kernel = nullptr;  // null: not looked at yet
  Verdict verdict{};
  std::uint64_t number = 0;
  std::vector<capture::SpoolVariable> variables{};  // of its module, where its memory is wanted
  MemoryCopies::Copies before{};
};

Launches::Pending& Launches::pending() {
  static thread_local Pending pending;
  return pending;
}

Launches::Launches(const Cupti& cupti, const RecordDriver& driver, capture::SpoolWriter& out,
                   const RecordSettings& settings, Warn warn, Ended ended)
    : cupti_(cupti),
      driver_(driver),
      out_(out),
      settings_(settings),
      warn_(warn),
      ended_(std::move(ended)),
      allocations_(driver),
      graphs_(cupti, driver, allocations_,
              [this](CudaHandle function) -> const RecordedKernel& {
                return resolve(function, nullptr);
              }),
      copies_(driver, out, settings.memory_limit, std::move(warn)),
      choice_(settings),
      modules_(out, choice_, !settings.memory.empty()),
      stacks_(out) {}

const std::vector<std::uint32_t>& Launches::hooks() {
  static const std::vector<std::uint32_t> functions = [] {
    std::vector<std::uint32_t> all;
    for (const DriverHook& hook : kHooks) all.push_back(hook.function);
    return all;
  }();
  return functions;
}

void Launches::driver_call(std::uint32_t function, const CuptiCallbackData& data) {
  const auto* hook = std::find_if(std::begin(kHooks), std::end(kHooks),
                                  [&](const DriverHook& h) { return h.function == function; });
  if (hook == std::end(kHooks)) return;
  const bool is_exit = data.site == CuptiCallbackData::kExit;
  const auto launch = [&](LaunchCall call) {
    call.stream = stream_of(call.stream, hook->per_thread);
    is_exit ? exit(call, data) : enter(call, data);
  };
  switch (hook->hook) {
    case Hook::kLaunch:
    case Hook::kCooperative:
      return launch(launch_call(*static_cast<const LaunchKernelCall*>(data.parameters),
                                hook->hook == Hook::kCooperative));
    case Hook::kLaunchEx:
      return launch(launch_call(*static_cast<const LaunchKernelExCall*>(data.parameters)));
    case Hook::kGraphLaunch: {
      const auto& call = *static_cast<const GraphLaunchCall*>(data.parameters);
      if (counting_ != nullptr) return count_graph(data);
      if (!is_exit) graph_launch(call, hook->per_thread, data);
      return;
    }
    case Hook::kGraphInstantiate:
    case Hook::kGraphUpdate: {
      if (is_exit) return;
      return graphs_.read(hook->hook == Hook::kGraphUpdate
                              ? static_cast<const GraphExecUpdateCall*>(data.parameters)->graph
                              : static_cast<const GraphInstantiateCall*>(data.parameters)->graph);
    }
    case Hook::kNodeSet1:
    case Hook::kNodeSet2: {
      if (is_exit) return;
      const auto& set = *static_cast<const NodeSetParametersCall*>(data.parameters);
      if (set.parameters != nullptr) {
        graphs_.set(set.node, *set.parameters, hook->hook == Hook::kNodeSet2);
      }
      return;
    }
    case Hook::kModuleLoad: {
      if (!is_exit) {
        last_loaded = 0;
        return;
      }
      const auto& load = *static_cast<const ModuleLoadCall*>(data.parameters);
      if (data.result == nullptr || *data.result != 0 || last_loaded == 0) return;
      const std::lock_guard lock(mutex_);
      return modules_.bind(*load.module, last_loaded);
    }
    case Hook::kFree:
      return allocations_.forget();
    case Hook::kCopy:
      if (is_exit) written(static_cast<const CopyCall*>(data.parameters)->to);
      return;
    case Hook::kTexture:
      if (is_exit && data.result != nullptr && *data.result == 0) {
        texture_created(*static_cast<const TextureCreateCall*>(data.parameters));
      }
      return;
  }
}

const RecordedKernel& Launches::resolve(CudaHandle function, const char* name) {
  {
    const std::lock_guard lock(mutex_);
    if (const RecordedKernel* known = modules_.find(function)) return *known;
  }
  const FunctionFacts facts = ask_driver(driver_, function, name);
  const std::lock_guard lock(mutex_);
  return modules_.add(function, facts);
}

void Launches::consider(const LaunchCall& call, const CuptiCallbackData& data, Pending& launch) {
  launch.kernel = &resolve(call.function, data.symbol_name);
  const std::lock_guard lock(mutex_);
  launch.number = ++numbered_;
  launch.verdict = choice_.consider(*launch.kernel->chosen, nvtx_ranges(), now_ns(),
                                    {call.grid[0], call.grid[1], call.grid[2], call.block[0],
                                     call.block[1], call.block[2], call.shared_bytes});
}

void Launches::enter(const LaunchCall& call, const CuptiCallbackData& data) {
  Pending& launch = pending();
  launch = {};
  int capturing = 0;
  // What a stream captures for a graph is not launched now.
  launch.is_launch = driver_.stream_capturing(call.stream, &capturing) != 0 || capturing == 0;
  if (launch.is_launch && counting_ != nullptr) launch.is_counted = counting_->enter(data.context);
  // The kernel is looked at when it is launched, and so surely loaded; before it only where its
  // memory may be wanted.
  if (!launch.is_launch || settings_.memory.empty()) return;
  consider(call, data, launch);
  if (!launch.verdict.memory) return;
  std::vector<capture::SpoolAllocation> allocations;
  if (const auto arguments = read_arguments(*launch.kernel, call.parameters, call.extra)) {
    allocations = allocations_.of_arguments(*arguments);
  }
  std::vector<std::string> names;
  {
    const std::lock_guard lock(mutex_);
    names = modules_.variables(*launch.kernel);
  }
  launch.variables = ask_variables(driver_, call.function, names);
  for (capture::SpoolVariable& variable : launch.variables) {
    variable.launch = launch.number;
    allocations.push_back({0, variable.address, variable.size, capture::SpoolAllocation::kDevice});
  }
  launch.before = copies_.before(
      launch.number, data.context, call.stream, allocations,
      [this](Bytes bytes) { return allocations_.pointed_at(bytes); }, launch.verdict.needed_only);
}

void Launches::exit(const LaunchCall& call, const CuptiCallbackData& data) {
  Pending& launch = pending();
  const bool has_failed = data.result == nullptr || *data.result != 0;
  if (launch.is_counted && has_failed) {
    counting_->leave(data.context, Counting::kNoLaunch);
  }
  if (!launch.is_launch || has_failed) return;
  if (launch.kernel == nullptr) consider(call, data, launch);
  write(call, data, launch);
  if (launch.is_counted) {
    counting_->leave(data.context, launch.verdict.keep ? launch.number : Counting::kNoLaunch);
  }
  if (launch.verdict.memory) {
    for (const capture::SpoolVariable& variable : launch.variables) out_.add(variable);
    copies_.after(launch.number, data.context, call.stream, launch.before);
  } else if (launch.verdict.keep && settings_.memory.empty()) {
    record_constants(call, data, launch);
  }
  launch = {};
  if (settings_.serialize && wait_for_stream(driver_, call.stream)) ended_();
}

// `__constant__` variables are small, and a kernel's work may depend on them: they are recorded at
// the first launch of each kernel, and again after the program has written them.
void Launches::record_constants(const LaunchCall& call, const CuptiCallbackData& data,
                                const Pending& launch) {
  std::vector<std::string> names;
  {
    const std::lock_guard lock(mutex_);
    if (!with_constants_.insert(launch.kernel->id).second) return;
    names = modules_.variables(*launch.kernel);
  }
  if (names.empty()) return;
  std::vector<capture::SpoolVariable> variables = ask_variables(driver_, call.function, names);
  for (capture::SpoolVariable& variable : variables) variable.launch = launch.number;
  copies_.constants(launch.number, data.context, call.stream, variables);
  const std::lock_guard lock(mutex_);
  for (const capture::SpoolVariable& variable : variables) {
    constants_[variable.address] = variable.address + variable.size - 1;
  }
}

void Launches::texture_created(const TextureCreateCall& call) {
  std::optional<capture::SpoolTexture> texture = describe_texture(driver_, call);
  if (!texture) return;
  allocations_.add_texture(texture->handle, memory_of(*texture));
  const std::lock_guard lock(mutex_);
  texture->after = numbered_;
  out_.add(*texture);
}

void Launches::written(CudaPointer address) {
  const std::lock_guard lock(mutex_);
  const auto after = constants_.upper_bound(address);
  if (after == constants_.begin() || std::prev(after)->second < address) return;
  with_constants_.clear();
}

void Launches::write(const LaunchCall& call, const CuptiCallbackData& data, Pending& launch) {
  capture::SpoolLaunch record;
  record.launch = launch.number;
  record.context = data.context_id;
  record.stream = reinterpret_cast<std::uint64_t>(call.stream);
  record.thread = thread_number();
  record.grid = call.grid;
  record.block = call.block;
  record.cluster = call.cluster;
  record.shared_bytes = call.shared_bytes;
  record.flags = call.cooperative ? capture::SpoolLaunch::kCooperative : 0u;
  record.correlation = data.correlation;
  Stacks::Stack stack;
  if (launch.verdict.keep) {
    record.ranges = joined(nvtx_ranges());
    if (settings_.stacks) stack = Stacks::current();
    if (auto arguments = read_arguments(*launch.kernel, call.parameters, call.extra)) {
      record.arguments = std::move(*arguments);
    } else {
      record.flags |= capture::SpoolLaunch::kArgumentsUnknown;
    }
    record.allocations = allocations_.of_arguments(record.arguments);
  }
  const std::lock_guard lock(mutex_);
  ++counts_.seen;
  if (!launch.verdict.keep) return;
  ++counts_.kept;
  record.kernel = launch.kernel->id;
  record.device = devices_[data.context_id];
  if (!stack.empty()) record.stack = stacks_.number(stack);
  out_.add(std::move(record));
}

void Launches::graph_launch(const GraphLaunchCall& call, bool per_thread,
                            const CuptiCallbackData& data) {
  GraphLaunch launch;
  launch.stream = reinterpret_cast<std::uint64_t>(stream_of(call.stream, per_thread));
  launch.thread = thread_number();
  launch.version = graphs_.version();
  launch.ranges = nvtx_ranges();
  const Stacks::Stack stack = settings_.stacks ? Stacks::current() : Stacks::Stack{};
  const std::lock_guard lock(mutex_);
  if (!stack.empty()) launch.stack = stacks_.number(stack);
  graph_launches_[data.correlation] = std::move(launch);
  graph_order_.push_back(data.correlation);
  if (graph_order_.size() <= kMaxGraphLaunches) return;
  graph_launches_.erase(graph_order_.front());
  graph_order_.pop_front();
}

// What a graph's kernels execute is known of all of them together.
void Launches::count_graph(const CuptiCallbackData& data) {
  Pending& launch = pending();
  if (data.site != CuptiCallbackData::kExit) {
    launch = {.is_counted = counting_->enter(data.context)};
  } else if (std::exchange(launch.is_counted, false)) {
    counting_->leave(data.context, Counting::kAllLaunches);
  }
}

Launches::GraphLaunch Launches::graph_launch_of(std::uint32_t correlation) {
  const std::lock_guard lock(mutex_);
  const auto known = graph_launches_.find(correlation);
  // One that is too long ago: the nodes as they are now.
  if (known == graph_launches_.end()) return {.version = ~std::uint64_t{0}};
  return known->second;
}

void Launches::graph_kernel(const CuptiKernelRecord& record) {
  const std::string name = record.name == nullptr ? "" : record.name;
  const GraphLaunch from = graph_launch_of(record.correlation);
  std::optional<GraphKernel> known = graphs_.find(record.graph_node, from.version);
  // A node may have been given another kernel in a way that no callback tells.
  if (known && known->kernel->name != name) known.reset();
  const std::lock_guard lock(mutex_);
  const RecordedKernel& kernel = known ? *known->kernel : modules_.named(name);
  const Verdict verdict = choice_.consider(*kernel.chosen, from.ranges, now_ns());
  ++numbered_;
  ++counts_.seen;
  if (!verdict.keep) return;
  ++counts_.kept;
  capture::SpoolLaunch launch;
  launch.launch = numbered_;
  launch.kernel = kernel.id;
  launch.device = record.device;
  launch.context = record.context;
  launch.stream = from.stream;
  launch.thread = from.thread;
  for (std::size_t i = 0; i < 3; ++i) {
    launch.grid[i] = static_cast<std::uint32_t>(record.grid[i]);
    launch.block[i] = static_cast<std::uint32_t>(record.block[i]);
  }
  launch.shared_bytes = static_cast<std::uint32_t>(record.dynamic_shared_bytes);
  launch.flags = capture::SpoolLaunch::kGraph;
  if (known) launch.cluster = known->cluster;
  if (known && known->arguments) {
    launch.arguments = std::move(*known->arguments);
    launch.allocations = std::move(known->allocations);
  } else {
    launch.flags |= capture::SpoolLaunch::kArgumentsUnknown;
  }
  launch.stack = from.stack;
  launch.correlation = record.correlation;
  launch.graph_node = record.graph_node;
  launch.ranges = joined(from.ranges);
  out_.add(launch);
  if (verdict.memory) warn_without_memory(launch.launch);
}

// Between the kernels of a graph nobody can copy what they work on.
void Launches::warn_without_memory(std::uint64_t launch) {
  warn_(capture::SpoolProblem{.what = capture::SpoolProblem::kGraphMemory,
                              .launch = launch,
                              .sentence =
                                  "its kernel ran in a CUDA graph, where memory cannot be copied "
                                  "before and after a kernel; run it outside the graph (disable "
                                  "graphs in the framework) to save its contents"});
}

Launches::Counts Launches::counts() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void Launches::context_created(std::uint32_t context, std::uint32_t device) {
  const std::lock_guard lock(mutex_);
  devices_[context] = device;
}

void Launches::module_loaded(Bytes cubin) {
  CuptiCubinCrc crc{sizeof(CuptiCubinCrc), cubin.size(), cubin.data(), 0};
  const bool known = cupti_.cubin_crc != nullptr && cupti_.cubin_crc(&crc) == 0;
  const std::lock_guard lock(mutex_);
  last_loaded = modules_.add(cubin, known ? crc.crc : 0);
}

void Launches::module_unloading() {
  const std::lock_guard lock(mutex_);
  modules_.forget_handles();
}

void Launches::node_cloned(CudaHandle node, CudaHandle original) {
  graphs_.clone(node, original);
}

}  // namespace burin::gpu
