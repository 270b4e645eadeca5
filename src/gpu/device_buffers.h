// The buffers of a launch in the GPU's memory: filled as the emulator fills them, read back, put
// back to what they were.
//
//   Result<DeviceBuffers> buffers = DeviceBuffers::make(gpu, launch);
//   … launch with buffers->addresses() …
//   Result<std::vector<DeviceOutput>> outputs = buffers->collect("/tmp/outputs");
//   buffers->restore();   // as before the launch
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/context.h"
#include "launch/launch.h"
#include "measure/device.h"

namespace burin::gpu {

class DeviceBuffers {
 public:
  // Allocated and filled. Contents that are not given (Unknown, undefined) are zeros here, as they
  // are in what the emulator writes out. `gpu` and `launch` must outlive the buffers.
  static Result<DeviceBuffers> make(const GpuContext& gpu, const launch::Launch& launch);

  DeviceBuffers(DeviceBuffers&&) = default;
  DeviceBuffers& operator=(DeviceBuffers&&) = delete;
  ~DeviceBuffers();

  const std::vector<std::uint64_t>& addresses() const { return addresses_; }  // one per argument

  // Reads all buffers back, into files `0.bin`, `1.bin`, … of `folder` unless that is "", and
  // remembers which ones the kernel changed.
  Result<std::vector<measure::DeviceOutput>> collect(const std::string& folder);

  // Whether all buffers hold what the files of `outputs` do; each that does is counted as agreeing.
  Result<bool> hold(std::vector<measure::DeviceOutput>& outputs);

  // Puts the changed buffers back, in order with the stream's other work: by copies inside the GPU
  // where its memory has room for the originals, else from here, which waits for the stream.
  Result<void> restore();
  Result<bool> restores_on_gpu();
  std::size_t changed() const;  // how many there are

  // Every buffer in order, until an Error.
  Result<void> for_each(
      const std::function<Result<void>(CudaPointer address, std::uint64_t size)>& visit) const;

 private:
  DeviceBuffers(const GpuContext& gpu) : gpu_(&gpu) {}
  Result<void> fill(const launch::Buffer& buffer, CudaPointer address);
  Result<void> keep_originals();
  Result<bool> holds(std::size_t index, const std::string& path);
  Result<measure::DeviceOutput> collect_one(std::size_t index, const std::string& folder);

  struct Held {
    const launch::Buffer* buffer = nullptr;
    std::size_t argument = 0;
    CudaPointer address = 0;
    CudaPointer original = 0;  // a copy of the contents at the start; 0: none yet
    bool changed = false;
  };

  const GpuContext* gpu_;
  std::vector<Held> held_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::uint8_t> chunk_, expected_;
  bool originals_fit_ = true;
};

}  // namespace burin::gpu
