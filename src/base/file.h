// Maps a whole file read-only into memory, so that only the pages that are used of a 600 MB library
// are read.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace burin {

class MappedFile {
 public:
  // Returns an Error that names `path` for directories, empty files and unreadable files.
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
