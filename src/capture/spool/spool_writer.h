// Appends records to the spool file of one process. It is thread-safe and tolerates a full disk or
// a file size limit: a record that does not fit is omitted completely, the last record says so, and
// the program continues.
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

  // Records are buffered until there are enough for a write; `flush` writes them immediately.
  void add(const SpoolRecord& record);
  void flush();

  // Returns whether a write failed, for example because the disk is full. The file then ends with a
  // complete record.
  bool full() const { return full_; }

  // Drops the file without writing. For the child of a fork, which must not write to its parent's
  // file.
  void forget();

 private:
  void write_gathered();
  void write_last(int error);

  std::mutex mutex_;
  std::vector<std::uint8_t> gathered_;
  std::uint64_t written_ = 0;  // bytes of complete records in the file
  int descriptor_ = -1;
  bool full_ = false;
};

}  // namespace burin::capture
