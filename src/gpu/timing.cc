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
  ~Events() {
    for (const CudaHandle event : events_) gpu_.cuda().event_destroy(event);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

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
  Timing(const GpuContext& gpu, const CacheControl& caches, LoadedKernel& kernel,
         DeviceBuffers& buffers)
      : gpu_(gpu), caches_(caches), kernel_(kernel), buffers_(buffers), gate_(gpu), events_(gpu) {}

  Result<void> prepare(const measure::DeviceRequest& request) {
    warm_ = request.caches == measure::Caches::kWarm;
    const Result<bool> on_gpu = buffers_.restores_on_gpu();
    if (!on_gpu) return on_gpu.error();
    const std::size_t operations =
        buffers_.changed() + 1 + (warm_ ? request.launch.arguments.size() : 0) + 3;
    batch_ = *on_gpu ? std::max<std::size_t>(1, kQueue / operations) : 1;
    gated_ = *on_gpu && operations <= kQueue;
    return {};
  }

  // So that the GPU's clock is that of work.
  Result<void> warm_up(std::chrono::milliseconds least) {
    const auto start = std::chrono::steady_clock::now();
    do {
      if (Result<void> done = before_launch(); !done) return done;
      if (Result<void> done = kernel_.launch(); !done) return done;
      if (Result<void> done = gpu_.finish(kernel_.demangled()); !done) return done;
      kernel_.release_used();
    } while (std::chrono::steady_clock::now() - start < least);
    return {};
  }

  Result<void> run(unsigned launches) {
    for (unsigned first = 0; first < launches;) {
      const auto end = static_cast<unsigned>(std::min<std::size_t>(launches, first + batch_));
      if (Result<void> done = kernel_.prepare(end - first); !done) return done;
      if (gated_) gate_.close();
      Result<void> queued;
      for (; first < end && queued; ++first) queued = queue_one();
      gate_.open();
      if (!queued) return queued;
      if (Result<void> done = gpu_.finish(kernel_.demangled()); !done) return done;
      kernel_.release_used();
    }
    return {};
  }

  Result<std::vector<double>> event_times_us() const { return events_.times_us(); }

 private:
  Result<void> before_launch() {
    if (Result<void> done = buffers_.restore(); !done) return done;
    if (Result<void> done = caches_.empty(); !done || !warm_) return done;
    return buffers_.for_each(
        [this](CudaPointer address, std::uint64_t size) { return caches_.load(address, size); });
  }

  Result<void> queue_one() {
    if (Result<void> done = before_launch(); !done) return done;
    if (Result<void> done = events_.record(); !done) return done;
    if (Result<void> done = kernel_.launch(); !done) return done;
    return events_.record();
  }

  const GpuContext& gpu_;
  const CacheControl& caches_;
  LoadedKernel& kernel_;
  DeviceBuffers& buffers_;
  Gate gate_;
  Events events_;
  std::size_t batch_ = 1;
  bool gated_ = false;
  bool warm_ = false;
};

}  // namespace

Result<void> time_launches(const GpuContext& gpu, const CacheControl& caches, KernelTimes& stamps,
                           LoadedKernel& kernel, DeviceBuffers& buffers,
                           const measure::DeviceRequest& request, measure::DeviceResult& result) {
  Timing timing(gpu, caches, kernel, buffers);
  if (Result<void> done = timing.prepare(request); !done) return done;
  if (Result<void> done = timing.warm_up(std::chrono::milliseconds(request.warm_up_ms)); !done) {
    return done;
  }
  stamps.forget();
  ClockSampler clock(gpu.bus_id());
  if (Result<void> done = timing.run(request.launches); !done) return done;
  result.clock_mhz = clock.stop();
  result.caches = request.caches;
  std::vector<double> stamped = stamps.last(request.launches, CacheControl::kKernel);
  if (stamped.size() == request.launches) {
    result.times_us = std::move(stamped);
    result.timer = "cupti";
    return {};
  }
  result.timer_note = stamps.problem();
  if (result.timer_note.empty()) {
    result.timer_note =
        fmt::format("CUPTI reported {} of the {} launches", stamped.size(), request.launches);
  }
  Result<std::vector<double>> between = timing.event_times_us();
  if (!between) return between.error();
  result.times_us = std::move(*between);
  result.timer = "events";
  return {};
}

}  // namespace burin::gpu
