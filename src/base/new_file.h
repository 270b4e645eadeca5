// Writes a file atomically: it is written under a temporary name in the same folder and renamed
// when it is complete.
//
//   Result<NewFile> file = NewFile::create("out.bin");
//   if (!file) return file.error();
//   if (Result<void> written = file->write(bytes); !written) return written.error();
//   return file->finish();
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace burin {

class NewFile {
 public:
  // An existing file at `path` stays until `finish`. A symbolic link is followed. Anything that is
  // not a regular file (/dev/null, a pipe) is written in place, because it must not be replaced.
  static Result<NewFile> create(const std::string& path);

  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();  // an unfinished file is removed

  Result<void> write(Bytes bytes);
  Result<void> finish();

 private:
  NewFile() = default;
  Error failure(const char* what) const;

  std::string path_;       // for messages
  std::string place_;      // final path; empty: written in place
  std::string temporary_;  // path until `finish`
  int descriptor_ = -1;
};

}  // namespace burin
