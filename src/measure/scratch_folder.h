// A temporary folder for files exchanged between burin and a worker. The folder and its contents
// are deleted when the last shared_ptr to it is released.
//
//   Result<std::shared_ptr<ScratchFolder>> folder = ScratchFolder::make();
//   write((*folder)->path() + "/kernel.cubin", …);
#pragma once

#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "base/temporary_folder.h"

namespace burin::measure {

class ScratchFolder {
 public:
  static Result<std::shared_ptr<ScratchFolder>> make();  // in $TMPDIR, or /tmp if that is unset

  explicit ScratchFolder(TemporaryFolder folder) : folder_(std::move(folder)) {}

  // Writes a file and returns its path.
  Result<std::string> write(const std::string& name, Bytes bytes) const;

  const std::string& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace burin::measure
