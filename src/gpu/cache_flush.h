// Empties the GPU's caches of a kernel's data, by reading a large buffer of zeros. Reading, as
// lines that were written would have to leave the cache while the next kernel runs, and cost it
// time.
//
//   Result<CacheFlush> flush = CacheFlush::make(gpu);
//   flush->run();     // in the stream
#pragma once

#include <cstdint>

#include "base/result.h"
#include "gpu/context.h"

namespace burin {

class CacheFlush {
 public:
  static Result<CacheFlush> make(const GpuContext& gpu);

  CacheFlush(CacheFlush&& other) noexcept;
  CacheFlush& operator=(CacheFlush&&) = delete;
  ~CacheFlush();

  Result<void> run() const;

 private:
  explicit CacheFlush(const GpuContext& gpu) : gpu_(&gpu) {}

  const GpuContext* gpu_;
  std::uint64_t size_ = 0;
  CudaPointer data_ = 0;
  CudaHandle module_ = nullptr;
  CudaHandle function_ = nullptr;  // null where the driver has no PTX compiler: then it is written
};

}  // namespace burin
