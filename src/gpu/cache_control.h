// Puts the GPU's caches into a known state before a launch, by reading. Cold: a large buffer of
// zeros is read, so that nothing else is left. Warm: the launch's buffers are read after that, so
// that the L2 cache holds of them what it can. Reading, as lines that were written would have to
// leave the cache while the kernel runs, and would cost it time.
//
//   Result<CacheControl> caches = CacheControl::make(gpu);
//   caches->empty();                 // in the stream
//   caches->load(address, size);
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "gpu/context.h"

namespace burin::gpu {

class CacheControl {
 public:
  static constexpr std::string_view kKernel = "burin_read";  // whose launches are not the user's

  static Result<CacheControl> make(const GpuContext& gpu);

  CacheControl(CacheControl&& other) noexcept;
  CacheControl& operator=(CacheControl&&) = delete;
  ~CacheControl();

  Result<void> empty() const;
  // Does nothing where the driver has no PTX compiler; `empty` then writes instead of reading.
  Result<void> load(CudaPointer address, std::uint64_t size) const;

 private:
  explicit CacheControl(const GpuContext& gpu) : gpu_(&gpu) {}
  Result<void> read(CudaPointer address, std::uint64_t size) const;

  const GpuContext* gpu_;
  std::uint64_t size_ = 0;
  CudaPointer zeros_ = 0;
  CudaHandle module_ = nullptr;
  CudaHandle function_ = nullptr;  // the kernel that reads; null: none
};

}  // namespace burin::gpu
