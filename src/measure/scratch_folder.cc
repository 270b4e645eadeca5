#include "measure/scratch_folder.h"

namespace burin::measure {

Result<std::shared_ptr<ScratchFolder>> ScratchFolder::make() {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  return std::make_shared<ScratchFolder>(std::move(*folder));
}

}  // namespace burin::measure
