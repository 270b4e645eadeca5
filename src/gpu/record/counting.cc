#include "gpu/record/counting.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "gpu/record/driver/refusal.h"
#include "gpu/record/driver/signals.h"

namespace burin::gpu {
namespace {

// The first is what it is about; CUPTI may lack others. The sectors and wavefronts are those that
// an access asks for, and those that it would ask for at best.
constexpr const char* kMetrics[] = {
    "smsp__sass_inst_executed",
    "smsp__sass_thread_inst_executed_pred_on",
    "smsp__sass_sectors_mem_global",
    "smsp__sass_sectors_mem_global_ideal",
    "smsp__sass_sectors_mem_local",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
};
constexpr auto kCountingPatience = std::chrono::seconds(20);

}  // namespace

void Counting::give_up(const capture::SpoolProblem& problem) {
  has_given_up_ = true;
  warn_(problem);
}

void Counting::work() {
  std::unique_lock lock(task_mutex_);
  for (;;) {
    task_changed_.wait(lock, [this] { return task_ != nullptr; });
    const std::function<void()> task = std::exchange(task_, nullptr);
    lock.unlock();
    task();
    lock.lock();
    ++tasks_done_;
    task_changed_.notify_all();
  }
}

// False where it took too long; it may still be done later.
bool Counting::do_elsewhere(const std::function<void()>& task) {
  std::unique_lock lock(task_mutex_);
  if (!std::exchange(is_working_, true)) {
    const SignalsBlocked blocked;
    std::thread([this] { work(); }).detach();
  }
  if (tasks_given_ != tasks_done_) return false;  // it never came back from an earlier one
  task_ = task;
  const std::uint64_t number = ++tasks_given_;
  task_changed_.notify_all();
  return task_changed_.wait_for(lock, kCountingPatience, [&] { return tasks_done_ >= number; });
}

bool Counting::configure(std::uint32_t device) {
  const auto [known, is_new] = devices_.try_emplace(device, false);
  if (!is_new) return known->second;
  if (cupti_.profiler_start == nullptr || cupti_.chip_name == nullptr ||
      cupti_.sass_flush == nullptr || cupti_.sass_extent == nullptr) {
    give_up({.what = capture::SpoolProblem::kNoCupti,
             .sentence = "this libcupti cannot count instructions; CUDA 12.4's can"});
    return false;
  }
  const auto refuse = [&](CuptiStatus status, const char* call) {
    warn_(refusal(cupti_, status, "counts", call));
    return false;
  };
  CuptiProfilerStart start{};
  start.size = sizeof start;
  if (const CuptiStatus status = cupti_.profiler_start(&start); status != 0) {
    return refuse(status, "cuptiProfilerInitialize");
  }
  CuptiChipName chip{};
  chip.size = sizeof chip;
  chip.device = device;
  if (const CuptiStatus status = cupti_.chip_name(&chip); status != 0) {
    return refuse(status, "cuptiDeviceGetChipName");
  }
  std::vector<CuptiSassChoice> choices;
  metrics_.clear();
  for (const char* name : kMetrics) {
    CuptiSassMetricQuery query{};
    query.size = sizeof query;
    query.chip = chip.chip;
    query.name = name;
    const CuptiStatus status = cupti_.sass_metric(&query);
    if (status != 0 && choices.empty()) return refuse(status, name);
    if (status != 0) continue;
    choices.push_back({query.metric.id, CuptiSassChoice::kGpu});
    id_[query.metric.id] = metrics_.size();
    metrics_.emplace_back(name);
  }
  CuptiSassConfiguration configuration{};
  configuration.size = end_of(configuration, configuration.device);
  configuration.count = choices.size();
  configuration.choices = choices.data();
  configuration.device = device;
  if (const CuptiStatus status = cupti_.sass_configure(&configuration); status != 0) {
    return refuse(status, "cuptiSassMetricsSetConfig");
  }
  return known->second = true;
}

bool Counting::enable(void* handle, Context& context) {
  if (!configure(context.device)) return false;
  CuptiSassEnable call{};
  call.size = end_of(call, call.is_lazy);
  call.context = handle;
  call.is_lazy = 1;
  const CuptiStatus status = cupti_.sass_enable(&call);
  if (status != 0) warn_(refusal(cupti_, status, "counts", "cuptiSassMetricsEnable"));
  return context.is_enabled = status == 0;
}

void Counting::disable(void* handle) {
  CuptiSassDisable call{};
  call.size = end_of(call, call.dropped);
  call.context = handle;
  cupti_.sass_disable(&call);
}

void Counting::begin(void* context, std::uint32_t context_id, std::uint32_t device) {
  const std::lock_guard lock(mutex_);
  Context& known = contexts_[context];
  known.id = context_id;
  known.device = device;
  enable(context, known);
}

void Counting::end(void* context) {
  const std::lock_guard lock(mutex_);
  const auto known = contexts_.find(context);
  if (known == contexts_.end()) return;
  if (known->second.is_enabled) disable(context);
  contexts_.erase(known);
}

bool Counting::enter(void* context) {
  std::unique_lock launching(launching_, kCountingPatience);
  const std::lock_guard lock(mutex_);
  const auto known = contexts_.find(context);
  if (has_given_up_ || known == contexts_.end() || !known->second.is_enabled) return false;
  if (!launching) {
    give_up({.what = capture::SpoolProblem::kTimedOut,
             .sentence =
                 "a counted kernel did not finish in time: the launches after it are not counted"});
    return false;
  }
  launching.release();  // until `leave`
  return true;
}

void Counting::leave(void* context, std::uint64_t launch) {
  const std::unique_lock launching(launching_, std::adopt_lock);
  // What it needs it has itself: it may outlive this call.
  const bool is_done = do_elsewhere([this, context, launch] {
    if (driver_.context_push(context) != 0) return;
    driver_.context_synchronize();
    {
      const std::lock_guard lock(mutex_);
      const auto known = contexts_.find(context);
      if (known != contexts_.end()) read(context, known->second, launch);
    }
    CudaHandle popped = nullptr;
    driver_.context_pop(&popped);
  });
  if (is_done) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || has_given_up_) return;
  give_up({.what = capture::SpoolProblem::kTimedOut,
           .sentence = "a counted kernel did not finish within 20 seconds, for example because it "
                       "waits for a later kernel: it and later launches have no counts"});
}

void Counting::read(void* handle, const Context& context, std::uint64_t launch) {
  CuptiSassExtent extent{};
  extent.size = end_of(extent, extent.instances);
  extent.context = handle;
  if (cupti_.sass_extent(&extent) != 0 || extent.records == 0 || extent.instances == 0) {
    uncounted_ += launch == kNoLaunch || launch == kAllLaunches ? 0 : 1;
    if (launch == kAllLaunches) ++uncounted_graphs_;
  } else {
    // Room for every metric, however CUPTI counts instances.
    const std::size_t room = extent.instances * metrics_.size();
    std::vector<CuptiSassValue> values(extent.records * room);
    std::vector<CuptiSassRecord> records(extent.records);
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i].size = sizeof(CuptiSassRecord);
      records[i].values = values.data() + i * room;
    }
    CuptiSassFlush flush{};
    flush.size = end_of(flush, flush.instances);
    flush.context = handle;
    flush.records = extent.records;
    flush.instances = extent.instances;
    flush.data = records.data();
    const CuptiStatus status = cupti_.sass_flush(&flush);
    if (status != 0) {
      warn_(refusal(cupti_, status, "counts", "cuptiSassMetricsFlushData"));
    } else if (launch != kNoLaunch) {
      write(context, launch, records, extent.instances);
    }
    // CUPTI leaves its copies of the names to whoever asked.
    for (const CuptiSassRecord& record : records) std::free(record.function_name);
  }
}

void Counting::write(const Context& context, std::uint64_t launch,
                     const std::vector<CuptiSassRecord>& records, std::size_t instances) {
  std::map<std::pair<std::uint32_t, std::string>, capture::SpoolCounters> functions;
  for (const CuptiSassRecord& record : records) {
    capture::SpoolCount count{record.offset, std::vector<std::uint64_t>(metrics_.size())};
    for (std::size_t k = 0; k < instances; ++k) {
      const auto metric = id_.find(record.values[k].id);
      if (metric != id_.end()) count.values[metric->second] += record.values[k].value;
    }
    // What was never executed is left out.
    if (std::ranges::all_of(count.values, [](std::uint64_t value) { return value == 0; })) continue;
    const char* name = record.function_name == nullptr ? "" : record.function_name;
    capture::SpoolCounters& function = functions[{record.crc, name}];
    function.function = {record.crc, name};
    function.counts.push_back(std::move(count));
  }
  if (functions.empty()) ++uncounted_;
  for (auto& [key, function] : functions) {
    function.context = context.id;
    function.metrics = metrics_;
    function.launch = launch;
    out_.add(function);
  }
}

}  // namespace burin::gpu
