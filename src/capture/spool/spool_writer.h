// Appends records to the spool file of one process. Safe from many threads, and in the face of a
// full disk or a limit on the size of files: what does not fit is left out whole, the last record
// says so, and the program goes on.
//
//   SpoolWriter out;
//   if (Result<void> made = out.create(path); !made) …
//   out.add(SpoolProcess{.pid = …});
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/spool/spool.h"

namespace burin::capture {

class SpoolWriter {
 public:
  SpoolWriter() = default;
  ~SpoolWriter();
  SpoolWriter(const SpoolWriter&) = delete;
  SpoolWriter& operator=(const SpoolWriter&) = delete;

  Result<void> create(const std::string& path);

  // Records gather until there are enough for a write; `flush` writes them now.
  void add(const SpoolRecord& record);
  void flush();

  // Whether the disk took all so far. Where it did not, the file ends with a whole record.
  bool full() const { return full_; }

  // For the child of a fork, which must not write into its parent's file.
  void forget();

 private:
  void write_gathered();
  void write_last(int error);

  std::mutex mutex_;
  std::vector<std::uint8_t> gathered_;
  std::uint64_t written_ = 0;  // bytes of the file that are whole records
  int descriptor_ = -1;
  bool full_ = false;
};

}  // namespace burin::capture
