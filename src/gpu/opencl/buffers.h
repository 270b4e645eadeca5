// The buffers of a request on an OpenCL device: filled, restored and compared as those on a GPU
// (gpu/device_buffers.h), but read back to the host for comparison.
//
//   OpenclBuffers buffers(device);
//   Attempt<void> made = buffers.make(request, [&] { say("filling the buffers"); });
//   OpenclHandle memory = buffers.at({0, 2});          // of argument 2 of the first step
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "gpu/attempt.h"
#include "gpu/opencl/context.h"
#include "launch/launch.h"
#include "measure/device.h"
#include "measure/request.h"

namespace burin::gpu {

class OpenclBuffers {
 public:
  explicit OpenclBuffers(const OpenclContext& device) : device_(&device) {}
  OpenclBuffers(const OpenclBuffers&) = delete;
  OpenclBuffers& operator=(const OpenclBuffers&) = delete;
  ~OpenclBuffers() { clear(); }

  // Makes the buffers of all steps. A buffer that has the same place and text as one of the
  // previous request is restored; the others are allocated and filled, after a call of
  // `before_filling`.
  Attempt<void> make(const measure::DeviceRequest& request,
                     const std::function<void()>& before_filling);
  void clear();

  OpenclHandle at(measure::BufferPlace place) const;  // the buffer must exist

  // Notes which buffers the kernels changed, and writes them to files in `folder`, unless that is
  // "".
  Result<std::vector<measure::DeviceOutput>> collect(const std::string& folder);

  // True if all buffers have the contents of the files in `outputs`. Increments `agreeing` of each
  // output whose buffer has.
  Result<bool> hold(std::vector<measure::DeviceOutput>& outputs);

  // Restores the changed buffers to their initial contents, in queue order.
  Result<void> restore();

  // The contents of a buffer. Waits for the queue.
  Result<std::vector<std::uint8_t>> read(measure::BufferPlace place) const;

 private:
  struct Held {
    measure::BufferPlace place{};
    std::string text;
    launch::Buffer buffer{};
    OpenclHandle memory = nullptr;
    OpenclHandle original = nullptr;  // a copy of the initial contents; null: none yet
    std::uint64_t digest = 0;         // of the initial contents
    bool changed = false;
  };

  const Held* find(measure::BufferPlace place) const;
  void release(const Held& held) const;
  Attempt<OpenclHandle> allocate(const Held& held) const;
  Attempt<void> add(measure::BufferPlace place, const launch::Argument& argument);
  Result<std::uint64_t> fill(const launch::Buffer& buffer, OpenclHandle memory);
  // Calls `visit(offset, bytes)` for the contents, a chunk at a time.
  Result<void> for_each_part(const Held& held,
                             const std::function<Result<void>(std::uint64_t, Bytes)>& visit) const;
  Result<measure::DeviceOutput> collect_one(Held& held, const std::string& folder);

  const OpenclContext* device_;
  std::vector<Held> held_;
};

}  // namespace burin::gpu
