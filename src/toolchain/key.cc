#include "toolchain/key.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/format.h"
#include "base/sha256.h"
#include "toolchain/file_digest.h"
#include "toolchain/message.h"

namespace burin::toolchain {

namespace fs = std::filesystem;

std::string identity_of(const std::string& tool) {
  std::error_code none;
  const std::string real = fs::canonical(tool, none).string();
  struct stat status{};
  ::stat(tool.c_str(), &status);
  return fmt::format("{} {} {}.{}", real, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

std::string digest_of_parts(const std::vector<std::string>& parts) {
  Packer packer;  // so that no two lists read the same
  packer.add_list(parts);
  Sha256 hash;
  hash.add(packer.take());
  return hash.hex();
}

std::string request_digest(const CompileRequest& request, const std::string& arch,
                           const std::string& tool) {
  std::error_code none;
  // PTX names its files itself and includes none: where it lies does not matter.
  const bool is_ptx = request.language == CompileRequest::Language::kPtx;
  Packer lists;
  lists.add_list(request.flags);
  lists.add_list(request.defines);
  lists.add_list(request.name_expressions);
  std::vector<std::string> parts{
      fmt::format("burin compile {}", kMessageVersion + 1),
      identity_of(tool),
      arch,
      is_ptx ? "PTX" : request.source,
      is_ptx ? "" : fs::current_path(none).string(),
      file_digest(request.source),
      lists.take(),
      fmt::format("{} {}", request.max_registers, static_cast<int>(request.output))};
  for (const char* variable :
       {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "CPLUS_INCLUDE_PATH"}) {
    const char* value = std::getenv(variable);
    parts.push_back(std::string(variable) + "=" + (value == nullptr ? "" : value));
  }
  return digest_of_parts(parts);
}

}  // namespace burin::toolchain
