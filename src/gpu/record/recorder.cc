#include "gpu/record/recorder.h"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "gpu/record/driver/facts.h"
#include "gpu/record/driver/signals.h"

namespace burin::gpu {
namespace {

constexpr auto kBetweenDrains = std::chrono::milliseconds(500);
constexpr auto kLongestEnd = std::chrono::seconds(20);
constexpr std::uint32_t kFlushMilliseconds = 1000;
constexpr std::size_t kBufferBytes = 1 << 20;
constexpr std::uint32_t kForceFlush = 1;  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

// CUPTI's buffer callbacks carry no pointer of ours.
Recorder* recorder = nullptr;

}  // namespace

Recorder::Recorder(RecordSettings settings) : settings_(std::move(settings)) {}

bool Recorder::begin() {
  const std::string missing = cupti_.open(settings_.cupti);
  const std::string missing_driver = driver_.open();
  capture::SpoolProcess process = this_process(driver_);
  process.settings = write_settings(settings_);
  if (missing.empty()) {
    cupti_.version(&process.cupti_version);
    cupti_.timestamp(&process.begin_ns);
  }
  const std::string file = capture::spool_file_name(process.pid, process.begin_unix_ns);
  if (!out_.create(settings_.folder + "/" + file)) return false;
  out_.add(process);
  if (!missing.empty()) {
    warn({.what = capture::SpoolProblem::kNoCupti,
          .sentence = missing == "libcupti"
                          ? "libcupti cannot be loaded in the program; install the CUDA toolkit's "
                            "CUPTI, or set BURIN_LIBCUPTI"
                          : "this libcupti lacks " + missing + "; burin needs CUDA 12 or newer"});
  } else if (!missing_driver.empty()) {
    warn({.what = capture::SpoolProblem::kOther,
          .sentence = "the driver lacks " + missing_driver +
                      "; burin needs a driver for CUDA 12 or newer"});
  } else {
    recorder = this;
    const auto on_problem = [this](const capture::SpoolProblem& problem) { warn(problem); };
    if (settings_.counters) {
      counting_ = std::make_unique<Counting>(cupti_, driver_, out_, on_problem);
    } else if (settings_.samples) {
      sampling_ = std::make_unique<Sampling>(cupti_, driver_, out_, settings_, on_problem);
    }
    launches_ = std::make_unique<Launches>(cupti_, driver_, out_, settings_, on_problem, [this] {
      if (sampling_) sampling_->drain();
    });
    if (counting_) launches_->count_with(counting_.get());
    listening_ = subscribe();
    // CUPTI does not time kernels that it counts.
    if (listening_ && !counting_) begin_activity();
  }
  out_.flush();
  if (listening_) {
    const SignalsBlocked blocked;
    working_ = true;
    std::thread([this] { work(); }).detach();
  }
  return true;
}

bool Recorder::enable(std::uint32_t domain, std::uint32_t callback) {
  return cupti_.enable_callback(1, subscriber_, domain, callback) == 0;
}

bool Recorder::subscribe() {
  char other[128] = "";
  CuptiStatus status = 0;
  if (cupti_.subscribe2 != nullptr) {
    CuptiSubscriber parameters{sizeof(CuptiSubscriber), "burin", other, sizeof other};
    status = cupti_.subscribe2(&subscriber_, on_callback, this, &parameters);
  } else {
    status = cupti_.subscribe(&subscriber_, on_callback, this);
  }
  if (status == CuptiError::kMultipleSubscribers) {
    warn({.what = capture::SpoolProblem::kOtherProfiler,
          .sentence = std::string("another profiler is attached to the program") +
                      (*other == 0 ? "" : " (") + other + (*other == 0 ? "" : ")") +
                      "; CUDA allows only one: run without it"});
    return false;
  }
  if (status != 0) {
    warn({.what = capture::SpoolProblem::kOther,
          .sentence = "CUPTI does not start: " + cupti_.words(status)});
    return false;
  }
  // A number that this version of CUPTI does not know is of a function that the driver lacks.
  for (const std::uint32_t function : Launches::hooks()) enable(CuptiDomain::kDriver, function);
  for (const std::uint32_t event :
       {CuptiResource::kContextCreated, CuptiResource::kContextDestroyStarting,
        CuptiResource::kModuleLoaded, CuptiResource::kModuleUnloadStarting,
        CuptiResource::kGraphNodeCloned}) {
    enable(CuptiDomain::kResource, event);
  }
  // CUPTI counts every launch where somebody listens to all that happens to resources, and else the
  // first launch of each thread only (seen with CUDA 13.0 on an H200).
  if (counting_ && cupti_.enable_domain != nullptr) {
    cupti_.enable_domain(1, subscriber_, CuptiDomain::kResource);
  }
  return true;
}

void Recorder::begin_activity() {
  CuptiStatus status = cupti_.activity_callbacks(give_buffer, take_buffer);
  if (status == 0) status = cupti_.activity_enable(CuptiKernelRecord::kConcurrentKernel);
  if (status != 0) {
    warn({.what = capture::SpoolProblem::kOther,
          .sentence = "CUPTI records no kernel times: " + cupti_.words(status)});
  }
  cupti_.activity_flush_period(kFlushMilliseconds);
}

void Recorder::on_callback(void* self, std::uint32_t domain, std::uint32_t id, const void* data) {
  auto& recording = *static_cast<Recorder*>(self);
  if (!recording.listening_ || data == nullptr) return;
  if (domain == CuptiDomain::kDriver) {
    recording.launches_->driver_call(id, *static_cast<const CuptiCallbackData*>(data));
  } else if (domain == CuptiDomain::kResource) {
    recording.resource(id, *static_cast<const CuptiResourceData*>(data));
  }
}

void Recorder::resource(std::uint32_t event, const CuptiResourceData& data) {
  switch (event) {
    case CuptiResource::kContextCreated: {
      std::uint32_t context = 0, device = 0;
      cupti_.context_id(data.context, &context);
      cupti_.device_id(data.context, &device);
      bool is_new = false;
      {
        const std::lock_guard lock(mutex_);
        contexts_.insert(data.context);
        is_new = devices_.insert(device).second;
      }
      if (is_new) out_.add(facts_of_device(driver_, device));
      launches_->context_created(context, device);
      if (sampling_) sampling_->begin(data.context, context, device);
      if (counting_) counting_->begin(data.context, context, device);
      return;
    }
    case CuptiResource::kContextDestroyStarting: {
      {
        const std::lock_guard lock(mutex_);
        contexts_.erase(data.context);
      }
      if (sampling_) sampling_->end(data.context);
      if (counting_) counting_->end(data.context);
      return;
    }
    case CuptiResource::kModuleLoaded: {
      const auto* module = static_cast<const CuptiModuleData*>(data.descriptor);
      if (module == nullptr || module->cubin == nullptr) return;
      return launches_->module_loaded({module->cubin, module->cubin_size});
    }
    case CuptiResource::kModuleUnloadStarting:
      // The addresses that samples name may be another module's afterwards.
      if (sampling_) sampling_->drain();
      return launches_->module_unloading();
    case CuptiResource::kGraphNodeCloned: {
      const auto* graph = static_cast<const CuptiGraphData*>(data.descriptor);
      if (graph != nullptr) launches_->node_cloned(graph->node, graph->original_node);
      return;
    }
    default:
      return;
  }
}

void Recorder::give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // as many as fit
}

void Recorder::take_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t,
                           std::size_t valid) {
  recorder->take_records(buffer, valid);
  std::free(buffer);
}

void Recorder::take_records(std::uint8_t* buffer, std::size_t valid) {
  capture::SpoolTimes batch;
  std::uint32_t* record = nullptr;
  while (valid != 0 && cupti_.activity_next(buffer, valid, &record) == 0) {
    const auto& kernel = *reinterpret_cast<const CuptiKernelRecord*>(record);
    if (kernel.kind != CuptiKernelRecord::kKernel &&
        kernel.kind != CuptiKernelRecord::kConcurrentKernel) {
      continue;
    }
    if (kernel.graph_node != 0) launches_->graph_kernel(kernel);
    if (kernel.start_ns == 0 || kernel.end_ns == 0) continue;
    batch.times.push_back({kernel.correlation, kernel.graph_node, kernel.start_ns, kernel.end_ns});
  }
  if (batch.times.empty()) return;
  out_.add(batch);
  const std::lock_guard lock(mutex_);
  times_ += batch.times.size();
}

void Recorder::warn(const capture::SpoolProblem& problem) {
  {
    const std::lock_guard lock(mutex_);
    if (!told_.insert(problem.what).second && problem.launch == 0) return;
  }
  out_.add(problem);
}

void Recorder::work() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kBetweenDrains, [this] { return ending_; })) {
    lock.unlock();
    if (sampling_) sampling_->drain();
    out_.flush();
    lock.lock();
  }
  working_ = false;
  changed_.notify_all();
}

void Recorder::finish() {
  std::set<void*> contexts;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !working_; });
    contexts = contexts_;
  }
  for (void* context : contexts) {
    if (driver_.context_push(context) != 0) continue;
    driver_.context_synchronize();
    CudaHandle popped = nullptr;
    driver_.context_pop(&popped);
  }
  if (sampling_) sampling_->end(nullptr);
  if (!counting_) cupti_.activity_flush(kForceFlush);
  std::size_t dropped = 0;
  if (!counting_ && cupti_.activity_dropped(nullptr, 0, &dropped) == 0 && dropped != 0) {
    warn({.what = capture::SpoolProblem::kRecordsLost,
          .count = dropped,
          .sentence = "CUPTI dropped kernel records: these launches have no times"});
  }
  if (sampling_ && sampling_->lost() != 0) {
    warn({.what = capture::SpoolProblem::kSamplesLost,
          .count = sampling_->lost(),
          .sentence = "the hardware dropped samples; use a longer --period"});
  }
  if (counting_ && counting_->uncounted() != 0) {
    warn({.what = capture::SpoolProblem::kUncounted,
          .count = counting_->uncounted(),
          .sentence = "CUPTI counted nothing in some launches"});
  }
  if (counting_ && counting_->uncounted_graphs() != 0) {
    warn({.what = capture::SpoolProblem::kGraphCounts,
          .count = counting_->uncounted_graphs(),
          .sentence = "CUPTI does not count kernels of CUDA graphs; launch them outside graphs to "
                      "get counts"});
  }
  capture::SpoolEnd last;
  cupti_.timestamp(&last.end_ns);
  const Launches::Counts counts = launches_->counts();
  last.launches_seen = counts.seen;
  last.launches_kept = counts.kept;
  const std::lock_guard lock(mutex_);
  last.times = times_;
  out_.add(last);
  finished_ = true;
  changed_.notify_all();
}

void Recorder::end() {
  if (listening_) {
    std::unique_lock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
    {
      const SignalsBlocked blocked;
      std::thread([this] { finish(); }).detach();
    }
    const bool finished = changed_.wait_for(lock, kLongestEnd, [this] { return finished_; });
    lock.unlock();
    if (!finished) {
      warn({.what = capture::SpoolProblem::kTimedOut,
            .sentence = "the driver did not respond when the program ended: the last samples and "
                        "times are missing"});
    }
  } else {
    out_.add(capture::SpoolEnd{});
  }
  out_.flush();
}

void Recorder::forget() {
  listening_ = false;
  if (sampling_) sampling_->forget();
  out_.forget();
}

}  // namespace burin::gpu
