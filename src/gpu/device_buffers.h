// The buffers of a launch in GPU memory. They are filled as the emulator fills them, can be read
// back, and can be restored to their initial contents.
//
//   Result<DeviceBuffers> buffers = DeviceBuffers::make(gpu, launch);
//   … launch with buffers->addresses() …
//   Result<std::vector<DeviceOutput>> outputs = buffers->collect("/tmp/outputs");
//   buffers->restore();   // contents as before the launch
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
  // Allocates and fills the buffers. Contents that are not given (Unknown, undefined) are zeros, as
  // in the emulator's output. `gpu` and `launch` must outlive the buffers.
  static Result<DeviceBuffers> make(const GpuContext& gpu, const launch::Launch& launch);

  DeviceBuffers(DeviceBuffers&&) = default;
  DeviceBuffers& operator=(DeviceBuffers&&) = delete;
  ~DeviceBuffers();

  const std::vector<std::uint64_t>& addresses() const { return addresses_; }  // one per argument

  // Reads all buffers back and notes which ones the kernel changed. Writes them to files `0.bin`,
  // `1.bin`, … in `folder`, unless that is "".
  Result<std::vector<measure::DeviceOutput>> collect(const std::string& folder);

  // True if all buffers have the contents of the files in `outputs`. Increments `agreeing` of each
  // output whose buffer has.
  Result<bool> hold(std::vector<measure::DeviceOutput>& outputs);

  // Restores the changed buffers, in stream order: by copies on the GPU if its memory has room for
  // the originals, otherwise by copies from the host, which wait for the stream.
  Result<void> restore();
  Result<bool> restores_on_gpu();
  std::size_t changed() const;  // number of changed buffers

  // Calls `visit` for every buffer in order, until it returns an Error.
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
    CudaPointer original = 0;  // copy of the initial contents on the GPU; 0: none yet
    bool changed = false;
  };

  const GpuContext* gpu_;
  std::vector<Held> held_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::uint8_t> chunk_, expected_;
  bool originals_fit_ = true;
};

}  // namespace burin::gpu
