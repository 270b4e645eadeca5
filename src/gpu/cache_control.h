// Puts the GPU's caches into a known state before a launch. Cold: a large buffer of zeros is read,
// so that the caches hold nothing else. Warm: the launch's buffers are read after that, so that the
// L2 cache holds as much of them as fits. The buffers are read rather than written because dirty
// lines would be written back while the kernel runs and slow it down.
//
//   Result<CacheControl> caches = CacheControl::make(gpu);
//   caches->empty();                 // enqueued in the stream
//   caches->load(address, size);
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "gpu/context.h"

namespace burin::gpu {

class CacheControl {
 public:
  static constexpr std::string_view kKernel =
      "burin_read";  // burin's own kernel, to tell its launches from the user's

  static Result<CacheControl> make(const GpuContext& gpu);

  CacheControl(CacheControl&& other) noexcept;
  CacheControl& operator=(CacheControl&&) = delete;
  ~CacheControl();

  Result<void> empty() const;
  // Does nothing if the driver has no PTX compiler; `empty` then writes instead of reading.
  Result<void> load(CudaPointer address, std::uint64_t size) const;

 private:
  explicit CacheControl(const GpuContext& gpu) : gpu_(&gpu) {}
  Result<void> read(CudaPointer address, std::uint64_t size) const;

  const GpuContext* gpu_;
  std::uint64_t size_ = 0;
  CudaPointer zeros_ = 0;
  CudaHandle module_ = nullptr;
  CudaHandle function_ = nullptr;  // the kernel that reads memory; null: not available
};

}  // namespace burin::gpu
