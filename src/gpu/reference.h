// The outputs that configurations are verified against. They stay in GPU memory: those of an
// earlier run, or the contents of files.
//
//   Reference reference(gpu, comparer);
//   reference.keep(request, buffers);                       // the outputs of this run
//   Attempt<std::vector<CheckedBuffer>> checked = reference.compare(request, buffers);
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/attempt.h"
#include "gpu/context.h"
#include "gpu/device_buffers.h"
#include "gpu/device_comparer.h"
#include "measure/device.h"

namespace burin::gpu {

class Reference {
 public:
  // Both must outlive the reference.
  Reference(const GpuContext& gpu, const DeviceComparer& comparer)
      : gpu_(&gpu), comparer_(&comparer) {}
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  ~Reference();

  // Copies the `expected` outputs of the request. An earlier reference is released.
  Attempt<void> keep(const measure::DeviceRequest& request, const DeviceBuffers& buffers);

  // Compares the `expected` outputs, each with its file or with the kept output of the same index.
  Attempt<std::vector<measure::CheckedBuffer>> compare(const measure::DeviceRequest& request,
                                                       const DeviceBuffers& buffers);

 private:
  Attempt<DeviceRange> allocate(std::uint64_t bytes) const;
  Attempt<DeviceRange> from_file(const std::string& path);
  Attempt<DeviceRange> expected(const measure::DeviceRequest& request, std::size_t index,
                                std::uint64_t bytes);
  void release_kept();

  const GpuContext* gpu_;
  const DeviceComparer* comparer_;
  std::vector<DeviceRange> kept_;             // one per expected output
  std::map<std::string, DeviceRange> files_;  // by path
};

}  // namespace burin::gpu
