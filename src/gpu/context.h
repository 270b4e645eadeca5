// An open GPU with its primary context. The context belongs to the whole process: after a fault,
// the GPU can no longer be used from this process.
//
//   Result<GpuContext> gpu = GpuContext::open(0);
//   gpu->cuda().launch(…, gpu->stream());
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "gpu/cuda.h"

namespace burin::gpu {

class GpuContext {
 public:
  static Result<GpuContext> open(unsigned device);  // the N of cuda:N

  const Cuda& cuda() const { return *cuda_; }
  CudaHandle stream() const { return stream_; }  // does not synchronise with the default stream

  const std::string& label() const { return label_; }                // "cuda:0"
  const std::string& name() const { return name_; }                  // "NVIDIA H200"
  const std::string& architecture() const { return architecture_; }  // "sm_90"
  const std::string& driver() const { return driver_; }              // "580.65.06"
  const std::string& bus_id() const { return bus_id_; }              // "0000:19:00.0"
  std::uint64_t l2_bytes() const { return l2_bytes_; }
  std::uint32_t sms() const { return sms_; }

  // Returns an Error if the call failed: "cuda:0: cuModuleLoadData: …".
  Result<void> check(CudaStatus status, const char* call) const;

  // Waits for all work in the stream. The Error says that `kernel` stopped, and why.
  Result<void> finish(const std::string& kernel) const;

  // True after a fault: every further call of this process fails.
  bool lost() const { return cuda_->context_synchronize() != 0; }

 private:
  const Cuda* cuda_ = nullptr;
  CudaHandle stream_ = nullptr;
  std::string label_, name_, architecture_, driver_, bus_id_;
  std::uint64_t l2_bytes_ = 0;
  std::uint32_t sms_ = 0;
};

}  // namespace burin::gpu
