// Maps a whole file read-only into memory, so that only the pages that are used of a 600 MB library
// are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace burin {

// At most the first `count` bytes of a regular file. Empty for anything else: what is read from a
// pipe is gone, and opening one may wait for ever.
std::vector<std::uint8_t> first_bytes(const std::string& path, std::size_t count);

// True if both paths lead to one file, also through symbolic and hard links.
bool is_same_file(const std::string& a, const std::string& b);

class MappedFile {
 public:
  // Returns an Error that names `path` for folders, pipes, devices, empty files and unreadable
  // files.
  static Result<MappedFile> open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  Bytes bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  MappedFile() = default;
  void reset();

  std::string path_;
  Bytes bytes_;
};

}  // namespace burin
