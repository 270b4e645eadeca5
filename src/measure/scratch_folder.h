// A folder of its own for files that pass between burin and a worker; it goes, with all in it, when
// the last holder lets go.
//
//   Result<std::shared_ptr<ScratchFolder>> folder = ScratchFolder::make();
//   write((*folder)->path() + "/kernel.cubin", …);
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace burin::measure {

class ScratchFolder {
 public:
  static Result<std::shared_ptr<ScratchFolder>> make();  // in $TMPDIR, else /tmp

  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace burin::measure
