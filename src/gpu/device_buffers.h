// The buffers of a request in GPU memory. They are filled as the emulator fills them, can be read
// back, and can be restored to their initial contents. Buffers stay for the next request, which
// takes over those that it has too.
//
//   DeviceBuffers buffers(gpu, comparer);
//   Attempt<void> made = buffers.make(request, [&] { say("filling the buffers"); });
//   … launch with buffers.addresses(request) …
//   Result<std::vector<DeviceOutput>> outputs = buffers.collect("/tmp/outputs");
//   buffers.restore();   // contents as before the launch
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/attempt.h"
#include "gpu/buffer_contents.h"
#include "gpu/context.h"
#include "gpu/device_comparer.h"
#include "launch/launch.h"
#include "measure/device.h"
#include "measure/request.h"

namespace burin::gpu {

class DeviceBuffers {
 public:
  // Both must outlive the buffers.
  DeviceBuffers(const GpuContext& gpu, const DeviceComparer& comparer)
      : gpu_(&gpu), comparer_(&comparer) {}

  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;
  ~DeviceBuffers() { clear(); }

  // Makes the buffers of all steps. A buffer that has the same place and text as one of the
  // previous request is restored; the others are allocated and filled, after a call of
  // `before_filling`, and buffers that are no longer needed are released. Contents that are not
  // given (Unknown, undefined) are zeros, as in the emulator's output.
  Attempt<void> make(const measure::DeviceRequest& request,
                     const std::function<void()>& before_filling);
  void clear();  // releases all buffers

  // One list per step with one entry per argument: the address of the buffer that it passes, or 0.
  std::vector<std::vector<std::uint64_t>> addresses(const measure::DeviceRequest& request) const;

  // The buffer at `place`, which must exist.
  DeviceRange at(measure::BufferPlace place) const;

  // Notes which buffers the kernels changed; to be called after the first run. Writes the contents
  // to files `0.bin`, `1.bin`, … in `folder` (`S.0.bin` for step S after the first), unless that is
  // "".
  Result<std::vector<measure::DeviceOutput>> collect(const std::string& folder);

  // True if all buffers have the contents of the files in `outputs`. Increments `agreeing` of each
  // output whose buffer has.
  Result<bool> hold(std::vector<measure::DeviceOutput>& outputs);

  // Restores the changed buffers, in stream order: by copies on the GPU if its memory has room for
  // the originals, otherwise by copies from the host, which wait for the stream.
  Result<void> restore();
  Result<bool> restores_on_gpu();
  std::size_t changed() const;  // number of changed buffers
  std::size_t size() const { return held_.size(); }

  // Calls `visit` for every buffer in order, until it returns an Error.
  Result<void> for_each(
      const std::function<Result<void>(CudaPointer address, std::uint64_t size)>& visit) const;

 private:
  struct Held {
    measure::BufferPlace place{};
    std::string text;  // of the argument
    launch::Buffer buffer{};
    CudaPointer address = 0;
    CudaPointer original = 0;               // copy of the initial contents on the GPU; 0: none yet
    std::optional<std::uint64_t> digest{};  // of the initial contents
    bool changed = false;
  };

  void release(const Held& held) const;
  const Held* find(measure::BufferPlace place) const;
  Attempt<void> add_all(std::span<const BufferPlan::Missing> missing);
  Attempt<void> add(measure::BufferPlace place, const launch::Argument& argument);
  Result<void> fill(const launch::Buffer& buffer, CudaPointer address);
  Result<void> keep_originals();
  // Digests of the buffers of which it is not known that they change.
  Result<std::vector<std::uint64_t>> digest_unchanged() const;
  Result<void> note_digests();
  Result<void> find_changed();
  Result<bool> holds(const Held& held, const std::string& path);
  Result<measure::DeviceOutput> write_file(Held& held, const std::string& folder);

  const GpuContext* gpu_;
  const DeviceComparer* comparer_;
  std::vector<Held> held_;
  std::vector<std::uint8_t> chunk_, expected_;
  bool originals_fit_ = true;
};

}  // namespace burin::gpu
