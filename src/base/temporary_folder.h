// A folder for temporary files, in $TMPDIR or /tmp. It is removed with all its files when the
// object goes. A process that is killed cannot do so: the next one that makes a folder removes what
// such processes left.
//
//   const Result<TemporaryFolder> folder = TemporaryFolder::make();
//   if (!folder) return folder.error();
//   write(folder->path() + "/kernel.cubin", …);
#pragma once

#include <string>

#include "base/result.h"

namespace burin {

class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();

  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  TemporaryFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  // The folder itself, open and locked. The system drops the lock when the process ends, however it
  // ends: an unlocked folder belongs to nobody.
  int lock_ = -1;
};

}  // namespace burin
