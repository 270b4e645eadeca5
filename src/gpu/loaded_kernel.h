// A kernel loaded on the GPU together with its launch configuration; it can be launched any number
// of times.
//
//   Result<LoadedKernel> kernel = LoadedKernel::load(gpu, cubin, request, addresses);
//   kernel->launch();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "gpu/context.h"
#include "measure/device.h"
#include "read/binary/image.h"

namespace burin::gpu {

class LoadedKernel {
 public:
  // `addresses` are those of the launch's buffers, one per argument. `gpu` must outlive the kernel.
  static Result<LoadedKernel> load(const GpuContext& gpu, Bytes cubin,
                                   const measure::DeviceRequest& request,
                                   const std::vector<std::uint64_t>& addresses);

  LoadedKernel(LoadedKernel&& other) noexcept;
  LoadedKernel& operator=(LoadedKernel&&) = delete;
  ~LoadedKernel();

  // Launches the kernel in the GPU's stream; returns before the kernel has ended.
  //
  // If a cubin has __device__ variables, a second launch would see the values left by the first.
  // Each launch of such a kernel therefore uses a fresh copy of the cubin. Loading a copy waits for
  // the GPU, so `prepare(n)` loads the copies for the next n launches in advance, and
  // `release_used()`, called when the stream is idle, unloads the used copies.
  Result<void> launch();
  Result<void> prepare(std::size_t launches);
  void release_used();

  const std::string& name() const { return name_; }            // name in the symbol table (mangled)
  const std::string& demangled() const { return demangled_; }  // name for messages

 private:
  explicit LoadedKernel(const GpuContext& gpu) : gpu_(&gpu) {}
  Result<void> load_one();
  Result<void> set_variables(CudaHandle module) const;
  Result<void> set_attributes(CudaHandle function) const;

  struct Copy {
    CudaHandle module = nullptr;
    CudaHandle function = nullptr;
  };

  const GpuContext* gpu_;
  Bytes cubin_;
  std::string architecture_;  // architecture of the cubin
  std::string name_, demangled_;
  bool has_variables_ = false;
  std::uint64_t static_shared_bytes_ = 0;
  launch::Dims grid_, block_;
  std::uint64_t shared_bytes_ = 0;
  std::uint64_t cluster_blocks_ = 1;
  std::vector<CudaLaunchAttribute> attributes_;
  std::vector<std::uint8_t> parameters_;
  std::vector<launch::Setting> settings_;
  std::vector<Copy> copies_;
  std::size_t used_ = 0;  // number of used copies, if there are variables
};

}  // namespace burin::gpu
