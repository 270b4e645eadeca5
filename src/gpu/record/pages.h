// Keeps track of the pages of GPU memory that are already in the spool, so that pages that did not
// change between two launches are written only once.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "capture/spool/spool_writer.h"

namespace burin::gpu {

// Thread-safe.
class Pages {
 public:
  // `most_bytes` limits the memory for the copies kept for comparison. When it is exceeded, all
  // copies are discarded, and pages are written to the spool again when they are next seen.
  Pages(capture::SpoolWriter& out, std::uint64_t most_bytes) : out_(out), most_bytes_(most_bytes) {}

  // The number of the current contents of the page at `address`. New contents are written to the
  // spool.
  std::uint64_t number(std::uint64_t address, Bytes bytes);
  std::uint64_t written_bytes();

 private:
  struct Page {
    std::uint64_t content = 0;
    std::vector<std::uint8_t> bytes{};
  };

  capture::SpoolWriter& out_;
  std::uint64_t most_bytes_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Page> seen_;  // by address
  std::uint64_t kept_bytes_ = 0, numbered_ = 0, written_bytes_ = 0;
};

}  // namespace burin::gpu
