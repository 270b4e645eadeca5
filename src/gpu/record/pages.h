// The pages of the GPU's memory that the spool holds already, so that what did not change between
// two launches is written once.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "capture/spool/spool_writer.h"

namespace burin::gpu {

// Safe from many threads.
class Pages {
 public:
  // `most_bytes` bounds the copies that are kept to compare with: behind it all are forgotten, and
  // told again where they are met.
  Pages(capture::SpoolWriter& out, std::uint64_t most_bytes) : out_(out), most_bytes_(most_bytes) {}

  // The number of the contents that are at this address now, which the spool has been told.
  std::uint64_t number(std::uint64_t address, Bytes bytes);

 private:
  struct Page {
    std::uint64_t content = 0;
    std::vector<std::uint8_t> bytes{};
  };

  capture::SpoolWriter& out_;
  std::uint64_t most_bytes_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Page> seen_;  // by address
  std::uint64_t kept_bytes_ = 0, numbered_ = 0;
};

}  // namespace burin::gpu
