// Compares buffers in GPU memory without reading them back, by two small kernels of burin's own. If
// the driver cannot compile them, the bytes are read back and compared on the host.
//
//   Result<DeviceComparer> comparer = DeviceComparer::make(gpu);
//   Result<launch::Comparison> c = comparer->compare(got, expected, bytes, type, tolerance);
//   Result<std::vector<std::uint64_t>> before = comparer->digests(ranges);
//   … a kernel runs …                                       // a changed digest: a changed buffer
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "gpu/context.h"
#include "launch/compare.h"

namespace burin::gpu {

struct DeviceRange {
  CudaPointer address = 0;
  std::uint64_t bytes = 0;
};

class DeviceComparer {
 public:
  // The kernels stay loaded as long as this object, which must be destroyed before the context.
  static Result<DeviceComparer> make(const GpuContext& gpu);

  DeviceComparer(DeviceComparer&& other) noexcept;
  DeviceComparer& operator=(DeviceComparer&&) = delete;
  ~DeviceComparer();

  // As launch::Comparer does. Waits for the stream.
  Result<launch::Comparison> compare(CudaPointer got, CudaPointer expected, std::uint64_t bytes,
                                     launch::ElementType type,
                                     std::optional<double> tolerance) const;

  // A checksum of each range: Σ mix(word + (i + 1) · 0x9e3779b97f4a7c15) over its 64-bit words, the
  // last one filled with zeros; mix() is that of docs/arguments.md. Waits for the stream.
  Result<std::vector<std::uint64_t>> digests(std::span<const DeviceRange> ranges) const;

 private:
  explicit DeviceComparer(const GpuContext& gpu) : gpu_(&gpu) {}
  Result<void> launch(CudaHandle function, std::span<std::uint64_t> parameters) const;
  Result<void> read(void* into, CudaPointer from, std::uint64_t bytes) const;
  Result<launch::Comparison> compare_on_host(CudaPointer got, CudaPointer expected,
                                             std::uint64_t bytes, launch::ElementType type,
                                             std::optional<double> tolerance) const;
  Result<std::uint64_t> digest_of_tail(const DeviceRange& range) const;
  Result<std::uint64_t> digest_on_host(const DeviceRange& range) const;

  const GpuContext* gpu_;
  CudaHandle module_ = nullptr;
  CudaHandle compare_ = nullptr, digest_ = nullptr;  // null: not available
  CudaPointer results_ = 0;
};

}  // namespace burin::gpu
