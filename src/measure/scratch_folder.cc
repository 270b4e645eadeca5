#include "measure/scratch_folder.h"

#include "base/new_file.h"

namespace burin::measure {

Result<std::shared_ptr<ScratchFolder>> ScratchFolder::make() {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  return std::make_shared<ScratchFolder>(std::move(*folder));
}

Result<std::string> ScratchFolder::write(const std::string& name, Bytes bytes) const {
  std::string path = folder_.path() + "/" + name;
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error();
  if (Result<void> written = file->write(bytes); !written) return written.error();
  if (Result<void> finished = file->finish(); !finished) return finished.error();
  return path;
}

}  // namespace burin::measure
