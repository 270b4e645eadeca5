// A whole file as read-only bytes, mapped rather than read: a 600 MB library costs what is touched.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace burin {

class MappedFile {
 public:
  // Refuses directories, empty and unreadable files, in words that name `path`.
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
