#include "gpu/timing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>

#include "base/format.h"
#include "gpu/clock.h"

namespace burin::gpu {
namespace {

// As many operations as surely fit into a stream's queue: one that is full blocks whoever adds to
// it, and behind a closed gate would do so for ever.
constexpr std::size_t kQueue = 256;

// Events around a kernel measure about so much more than the kernel takes: 4.4 µs instead of 1.3 µs
// for a tiny one on an H200.
constexpr double kEventOverheadUs = 3;

// Holds a stream back while it is closed.
class Gate {
 public:
  explicit Gate(const GpuContext& gpu) : gpu_(gpu) {
    const Cuda& cuda = gpu.cuda();
    if (cuda.allocate_host(&host_, sizeof(std::uint32_t), Cuda::kMappedHostMemory) != 0) return;
    new (host_) std::uint32_t(0);
    works_ = cuda.host_pointer(&address_, host_, 0) == 0;
  }
  ~Gate() {
    if (host_ != nullptr) gpu_.cuda().release_host(host_);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void close() {
    if (!works_) return;
    ++turn_;
    // A GPU without such waits goes without a gate.
    works_ = gpu_.cuda().stream_wait_value(gpu_.stream(), address_, turn_,
                                           Cuda::kWaitGreaterOrEqual) == 0;
  }
  void open() {
    if (works_) std::atomic_ref(*static_cast<std::uint32_t*>(host_)).store(turn_);
  }

 private:
  const GpuContext& gpu_;
  void* host_ = nullptr;
  CudaPointer address_ = 0;
  std::uint32_t turn_ = 0;
  bool works_ = false;
};

class Events {
 public:
  explicit Events(const GpuContext& gpu) : gpu_(gpu) {}
  ~Events() { clear(); }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  void clear() {
    for (const CudaHandle event : events_) gpu_.cuda().event_destroy(event);
    events_.clear();
  }

  Result<void> record() {
    CudaHandle event = nullptr;
    if (auto done = gpu_.check(gpu_.cuda().event_create(&event, 0), "cuEventCreate"); !done) {
      return done;
    }
    events_.push_back(event);
    return gpu_.check(gpu_.cuda().event_record(event, gpu_.stream()), "cuEventRecord");
  }

  // Between the first and the second, the third and the fourth, …
  Result<std::vector<double>> times_us() const {
    std::vector<double> times;
    for (std::size_t i = 0; i + 1 < events_.size(); i += 2) {
      float milliseconds = 0;
      if (auto done =
              gpu_.check(gpu_.cuda().event_elapsed(&milliseconds, events_[i], events_[i + 1]),
                         "cuEventElapsedTime");
          !done) {
        return done.error();
      }
      times.push_back(static_cast<double>(milliseconds) * 1000);
    }
    return times;
  }

 private:
  const GpuContext& gpu_;
  std::vector<CudaHandle> events_;
};

class Timing {
 public:
  Timing(const TimingTools& tools, LoadedProgram& program, DeviceBuffers& buffers)
      : tools_(tools),
        gpu_(tools.gpu),
        program_(program),
        buffers_(buffers),
        gate_(tools.gpu),
        events_(tools.gpu) {}

  Result<void> prepare(const measure::DeviceRequest& request) {
    warm_ = request.caches == measure::Caches::kWarm;
    const Result<bool> on_gpu = buffers_.restores_on_gpu();
    if (!on_gpu) return on_gpu.error();
    const std::size_t operations =
        buffers_.changed() + 1 + (warm_ ? buffers_.size() : 0) + 2 + program_.launches();
    batch_ = *on_gpu ? std::max<std::size_t>(1, kQueue / operations) : 1;
    gated_ = *on_gpu && operations <= kQueue;
    return {};
  }

  // So that the GPU's clock is that of work. At least one run; returns the time of the last one,
  // µs.
  Attempt<double> warm_up(std::chrono::milliseconds least) {
    const auto start = std::chrono::steady_clock::now();
    do {
      if (Attempt<void> done = run_batch(1); !done) return {done.error(), done.kind()};
    } while (std::chrono::steady_clock::now() - start < least);
    const Result<std::vector<double>> times = events_.times_us();
    if (!times) return {times.error()};
    return times->back();
  }

  // Runs the program so many times, and returns the time of each by CUDA's events, µs.
  Attempt<std::vector<double>> run(unsigned runs) {
    std::vector<double> times;
    while (times.size() < runs) {
      if (Attempt<void> done = run_batch(std::min<std::size_t>(batch_, runs - times.size()));
          !done) {
        return {done.error(), done.kind()};
      }
      const Result<std::vector<double>> batch = events_.times_us();
      if (!batch) return {batch.error()};
      times.insert(times.end(), batch->begin(), batch->end());
    }
    return times;
  }

 private:
  Attempt<void> run_batch(std::size_t runs) {
    events_.clear();
    if (Result<void> done = program_.prepare(runs); !done) return {done.error()};
    if (gated_) gate_.close();
    Attempt<void> queued;
    for (std::size_t i = 0; i < runs && queued; ++i) queued = queue_one();
    gate_.open();
    if (!queued) return queued;
    if (Result<void> done = gpu_.finish(program_.kernels()); !done) {
      return {done.error(), measure::FailureKind::kRuntime};
    }
    program_.release_used();
    return {};
  }

  Result<void> before_run() {
    if (Result<void> done = buffers_.restore(); !done) return done;
    if (Result<void> done = tools_.caches.empty(); !done || !warm_) return done;
    return buffers_.for_each([this](CudaPointer address, std::uint64_t size) {
      return tools_.caches.load(address, size);
    });
  }

  Attempt<void> queue_one() {
    if (Result<void> done = before_run(); !done) return {done.error()};
    if (Result<void> done = events_.record(); !done) return {done.error()};
    if (Attempt<void> done = program_.launch(); !done) return done;
    return {events_.record(), measure::FailureKind::kDevice};
  }

  const TimingTools& tools_;
  const GpuContext& gpu_;
  LoadedProgram& program_;
  DeviceBuffers& buffers_;
  Gate gate_;
  Events events_;
  std::size_t batch_ = 1;
  bool gated_ = false;
  bool warm_ = false;
};

// From the start of the first launch of each run to the end of its last, µs.
std::vector<double> run_times_us(const std::vector<KernelSpan>& spans, std::size_t launches) {
  std::vector<double> times;
  for (std::size_t first = 0; first + launches <= spans.size(); first += launches) {
    std::uint64_t end = 0;
    for (std::size_t i = first; i < first + launches; ++i) end = std::max(end, spans[i].end_ns);
    times.push_back(static_cast<double>(end - spans[first].start_ns) / 1000);
  }
  return times;
}

// The times of the last runs by CUPTI, µs; "" is left in `problem` if they are complete.
std::vector<double> stamped_times_us(KernelTimes& stamps, std::size_t runs, std::size_t launches,
                                     std::string& problem) {
  problem = stamps.problem();
  if (!problem.empty()) return {};
  const std::size_t count = runs * launches;
  const std::vector<KernelSpan> spans = stamps.last(count, CacheControl::kKernel);
  if (spans.size() == count) return run_times_us(spans, launches);
  problem = fmt::format("CUPTI reported {} of the {} launches", spans.size(), count);
  return {};
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Attempt<void> time_launches(const TimingTools& tools, LoadedProgram& program,
                            DeviceBuffers& buffers, const measure::DeviceRequest& request,
                            bool idle, measure::DeviceResult& result) {
  Timing timing(tools, program, buffers);
  if (Result<void> done = timing.prepare(request); !done) return {done.error()};
  const Attempt<double> rough =
      timing.warm_up(std::chrono::milliseconds(idle ? request.warm_up_ms : 0));
  if (!rough) return {rough.error(), rough.kind()};

  measure::StoppingRule rule(request.stopping);
  rule.add_rough(std::max(0.0, *rough - kEventOverheadUs));
  result.caches = request.caches;
  result.timer = "cupti";
  if (rule.cut_short()) {
    result.timer = "events";
    result.timer_note = "cut short after the warm-up";
  }
  tools.stamps.forget();
  ClockSampler clock(tools.gpu.bus_id());
  const auto start = std::chrono::steady_clock::now();
  while (const unsigned runs = rule.next(seconds_since(start))) {
    Attempt<std::vector<double>> times = timing.run(runs);
    if (!times) return {times.error(), times.kind()};
    if (result.timer == "cupti") {
      std::string problem;
      std::vector<double> stamped =
          stamped_times_us(tools.stamps, runs, program.launches(), problem);
      if (problem.empty()) {
        *times = std::move(stamped);
      } else {
        // All from one clock: the series begins again with the events.
        result.timer = "events";
        result.timer_note = problem;
        rule = measure::StoppingRule(request.stopping);
      }
    }
    const ClockSamples batch = clock.take();
    result.clock_mhz.insert(result.clock_mhz.end(), batch.mhz.begin(), batch.mhz.end());
    rule.add(*times, batch.throttled || tools.clocks.is_low(batch.mhz));
    tools.clocks.add(batch.mhz);
  }
  result.times_us = rule.times_us();
  result.cut_short = rule.cut_short();
  result.settled = rule.settled();
  result.discarded = rule.discarded();
  return {};
}

}  // namespace burin::gpu
