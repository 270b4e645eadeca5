// Records the contents of a launch's buffers before and after the launch, for launches selected in
// advance.
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

// Thread-safe; other launches of the program continue meanwhile.
class MemoryCopies {
 public:
  using Warn = std::function<void(const capture::SpoolProblem&)>;

  MemoryCopies(const RecordDriver& driver, capture::SpoolWriter& out, std::uint64_t limit_bytes,
               Warn warn)
      : driver_(driver),
        out_(out),
        limit_bytes_(limit_bytes),
        warn_(std::move(warn)),
        pages_(out, limit_bytes) {}

  // A copied allocation. `contents` are the numbers of its pages in the spool; 0: left out.
  struct Copy {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::vector<std::uint64_t> contents{};
  };
  using Copies = std::vector<Copy>;
  // The allocations that any word of these bytes points into.
  using Follow = std::function<std::vector<capture::SpoolAllocation>(Bytes)>;

  // Both wait, with a time limit, until the stream has finished its work so far. `launch` is the
  // number of the launch; the context must be current. `after` writes both copies to the spool,
  // after the launch they belong to.
  //
  // Pointers in variables and in small allocations are followed: what they point into is copied
  // too, as long as the limit permits. `needed_only`: of a launch with large buffers, pages of
  // floating-point numbers are left out, and once the limit is reached, whole launches.
  Copies before(std::uint64_t launch, CudaHandle context, CudaHandle stream,
                const std::vector<capture::SpoolAllocation>& allocations, const Follow& follow,
                bool needed_only = false);
  void after(std::uint64_t launch, CudaHandle context, CudaHandle stream, const Copies& before);

  // Records `__constant__` variables, which a launch does not change. Waits for the stream as well.
  void constants(std::uint64_t launch, CudaHandle context, CudaHandle stream,
                 const std::vector<capture::SpoolVariable>& variables);

 private:
  CudaHandle own_stream(CudaHandle context);
  // Reads the allocation, and writes the pages to the spool for which `keep` returns true.
  using Keep = std::function<bool(std::size_t page, Bytes)>;
  using See = std::function<void(Bytes)>;
  bool copy(CudaHandle context, Copy& copied, const Keep& keep = {}, const See& see = {});
  bool is_spent(std::uint64_t launch);

  const RecordDriver& driver_;
  capture::SpoolWriter& out_;
  std::uint64_t limit_bytes_;
  Warn warn_;
  Pages pages_;
  std::mutex mutex_;
  std::unordered_map<CudaHandle, CudaHandle> streams_;  // the recorder's own stream, by context
  bool told_spent_ = false;
};

}  // namespace burin::gpu
