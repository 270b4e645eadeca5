// A file that appears whole or not at all: it is written beside its place under another name, and
// renamed when it is done.
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
  // What stands at `path` stays until `finish`. A link is followed, and what is no regular file
  // (/dev/null, a pipe) is written in place: it must not be replaced.
  static Result<NewFile> create(const std::string& path);

  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();  // unfinished: nothing is left of it

  Result<void> write(Bytes bytes);
  Result<void> finish();

 private:
  NewFile() = default;
  Error failure(const char* what) const;

  std::string path_;       // for messages
  std::string place_;      // where it goes; empty: written in place
  std::string temporary_;  // where it is meanwhile
  int descriptor_ = -1;
};

}  // namespace burin
