#include "measure/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace burin::measure {

Result<std::shared_ptr<ScratchFolder>> ScratchFolder::make() {
  const char* chosen = std::getenv("TMPDIR");
  const std::string in = chosen == nullptr || *chosen == 0 ? "/tmp" : chosen;
  std::string path = in + "/burin-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return Error{"cannot create a folder in " + in + ": " + std::strerror(errno) +
                 "; set TMPDIR to a writable folder"};
  }
  return std::make_shared<ScratchFolder>(path);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;  // what cannot be removed is the system's to clear
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace burin::measure
