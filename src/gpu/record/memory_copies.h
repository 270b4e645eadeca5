// The contents of a launch's buffers before and after it, for launches named in advance.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "capture/spool/spool_writer.h"
#include "gpu/record/driver/driver.h"
#include "gpu/record/pages.h"

namespace burin::gpu {

// Safe from many threads; other launches of the program go on meanwhile.
class MemoryCopies {
 public:
  using Tell = std::function<void(const capture::SpoolProblem&)>;

  MemoryCopies(const RecordDriver& driver, capture::SpoolWriter& out, std::uint64_t limit_bytes,
               Tell tell)
      : driver_(driver),
        out_(out),
        limit_bytes_(limit_bytes),
        tell_(std::move(tell)),
        pages_(out, limit_bytes) {}

  // An allocation; its contents are in the spool, page by page.
  struct Copy {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::vector<std::uint64_t> contents{};
  };
  using Copies = std::vector<Copy>;

  // Both wait until the stream has done what it was given so far, but not for ever. `launch` is the
  // launch's number; the context must be current. The second tells of both, behind the launch
  // that they belong to.
  Copies before(std::uint64_t launch, CudaHandle context, CudaHandle stream,
                const std::vector<capture::SpoolAllocation>& allocations);
  void after(std::uint64_t launch, CudaHandle context, CudaHandle stream, const Copies& before);

 private:
  CudaHandle own_stream(CudaHandle context);
  bool copy(CudaHandle context, Copy& copied);

  const RecordDriver& driver_;
  capture::SpoolWriter& out_;
  std::uint64_t limit_bytes_;
  Tell tell_;
  Pages pages_;
  std::mutex mutex_;
  std::unordered_map<CudaHandle, CudaHandle> streams_;  // our own, of each context
};

}  // namespace burin::gpu
