// The log of the launch library: lines that start with "burin: ", appended to a file. Safe from
// several threads and processes, since each line is one write().
//
//   log.line("%s: block %u -> %u", name, 256u, 64u);
//   if (log.first_time(hash)) …            once per hash
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace burin::runtime {

class Log {
 public:
  // "": no log; "-": standard error. A file that cannot be opened is replaced by standard error.
  explicit Log(const std::string& path);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool enabled() const { return descriptor_ >= 0; }
  void line(const char* format, ...) __attribute__((format(printf, 2, 3)));

  // True for the first caller with this hash. False also when too many hashes are known, so that
  // no log grows without bound.
  bool first_time(std::uint64_t hash);

 private:
  int descriptor_ = -1;
  bool owned_ = false;
  std::array<std::atomic<std::uint64_t>, 1024> seen_{};
};

}  // namespace burin::runtime
